/** What R2 keeps beside the bytes of an object. `cacheExpiry` in milliseconds since 1970. */
export type ObjectMetadata = {
  contentType?: string
  contentLanguage?: string
  contentDisposition?: string
  contentEncoding?: string
  cacheControl?: string
  cacheExpiry?: number
  custom?: Record<string, string>
}

/** An object as a listing names it. The etag without quotes: the MD5 of the bytes, unless they came in parts. */
export type ListedObject = { key: string; etag: string; size: number }

/** An object under way: its etag and size are those of the bytes that come. */
export type FetchedObject = {
  etag: string
  size: number
  metadata: ObjectMetadata
  body: AsyncIterable<Uint8Array>
}

/** An object to be written: `open` gives its bytes, anew each time it is called. */
export type NewObject = {
  key: string
  size: number
  sha256: string
  metadata: ObjectMetadata
  open: () => AsyncIterable<Uint8Array>
}

export type ObjectStore = {
  list: () => AsyncIterable<ListedObject>
  /** Null: it is gone. */
  get: (key: string) => Promise<FetchedObject | null>
}

/** A deployment, or a folder of `npm start`: where a backup is made of, and where it is restored to. */
export type Place = {
  name: string
  objects: ObjectStore
  /** Writes the database as it is at one moment into a new SQLite file. */
  snapshot: (file: string) => Promise<void>
  /** Makes sure that it may be written to, and says how much is there. Throws a StateProblem where it may not. */
  look: () => Promise<{ rows: number; objects: number }>
  /** Opens it for writing; `close` afterwards. */
  open: () => Promise<Writable>
}

export type Writable = {
  /** Puts these statements in the place of whatever the database holds: all of them, or none. */
  load: (statements: Iterable<string>) => Promise<void>
  put: (object: NewObject) => Promise<void>
  /** Sets keys that KV finds until `expiresAt` (milliseconds since 1970). */
  remember: (entries: { key: string; value: string; expiresAt: number }[]) => Promise<void>
  close: () => Promise<void>
}

/** What tells whether a file that is chosen again is the same. */
export type FileIdentity = {
  name: string
  /** Bytes. */
  size: number
  /** Milliseconds; some phones give the time of choosing instead. */
  lastModified: number
  mimeType: string
  /** SHA-256 of its first and its last bytes, in hex; '' where it is not known. */
  ends: string
}

const END_BYTES = 64 * 1024

/** SHA-256, in hex, of a file's first and last 64 kB. */
export async function endsOf(file: Blob): Promise<string> {
  const ends = new Blob([file.slice(0, END_BYTES), file.slice(Math.max(0, file.size - END_BYTES))])
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await ends.arrayBuffer()))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Whether `file` is the one that was begun: its rest would be put behind the beginning of that one. The name and the size
 * must be the same, and the time of the last change or, where a phone makes that up, the first and the last bytes.
 */
export async function isSameFile(begun: FileIdentity, file: File): Promise<boolean> {
  if (file.name !== begun.name || file.size !== begun.size) return false
  if (begun.ends !== '') return begun.ends === (await endsOf(file))
  return file.lastModified === begun.lastModified
}

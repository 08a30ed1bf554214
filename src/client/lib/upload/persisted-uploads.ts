import { clear, createStore, del, get, keys, set } from 'idb-keyval'
import {
  HOUR_MS,
  PERSISTED_FILE_MAX_BYTES,
  PERSISTED_FILES_MAX_BYTES,
  UPLOAD_EXPIRES_MS,
} from '#shared/limits.ts'
import { MEDIA_TYPES, type MediaType } from '#shared/media/media-types.ts'
import { removeTextsByPrefix, readText, removeText, textKeys, writeText } from '../browser/stored-text.ts'

/** Identifies a file, to check that the user picked the same one again. */
export type FileIdentity = {
  name: string
  /** Bytes. */
  size: number
  /** Milliseconds; some phones report the time of picking instead. */
  lastModified: number
  mimeType: string
  /** SHA-256 of its first and last bytes, in hex; '' if unknown. */
  ends: string
}

/** An unfinished upload, stored on this device so that another visit can resume it. */
export type PersistedUpload = FileIdentity & {
  /** Idempotency key. */
  key: string
  memorialId: string
  /** The account or contributor who sends it; other users of this device don't see it. */
  personId: string
  type: MediaType
  /** True for the wizard's main photo. */
  isMain: boolean
  /** Upload URL; null until the server has assigned one. */
  url: string | null
  /** Bytes that the server has confirmed. */
  safe: number
  /** After this, the server may have deleted it. Milliseconds. */
  expiresAt: number
  /** True if the file itself is stored on this device as well. */
  hasFile: boolean
  /** The user stopped it, and the server doesn't know yet. */
  isUnwanted: boolean
}

/** localStorage prefix: one JSON text per upload. */
const PREFIX = 'kept-upload:'
/** IndexedDB: the files, by idempotency key. */
const files = createStore('kept-uploads', 'files')
const persistedHere = new Set<string>()
/** Keys of users who have signed out: never persist these again, even while their rows are still on the screen. */
const signedOut = new Set<string>()

/** This user's unfinished uploads to this memorial, from any visit. Deletes expired ones. */
export function listPersisted(personId: string, memorialId: string): PersistedUpload[] {
  deleteExpired()
  return allPersisted().filter((upload) => upload.personId === personId && upload.memorialId === memorialId)
}

/** Deletes uploads that were not resumed within a day. */
export function deleteExpired(): void {
  for (const { key, expiresAt } of allPersisted()) if (expiresAt <= Date.now()) deletePersisted(key)
}

function allPersisted(): PersistedUpload[] {
  return textKeys(PREFIX)
    .map((textKey) => readPersisted(textKey.slice(PREFIX.length)))
    .filter((upload) => upload !== null)
}

function readPersisted(key: string): PersistedUpload | null {
  const text = readText(PREFIX + key)
  if (text === null) return null
  try {
    const value: unknown = JSON.parse(text)
    if (isPersistedUpload(value)) return value
  } catch {
    // Written by another version of this page.
  }
  removeText(PREFIX + key)
  return null
}

const TEXTS = ['key', 'memorialId', 'personId', 'name', 'mimeType', 'ends'] as const
const NUMBERS = ['size', 'lastModified', 'safe', 'expiresAt'] as const

function isPersistedUpload(value: unknown): value is PersistedUpload {
  if (typeof value !== 'object' || value === null) return false
  const upload = value as Record<keyof PersistedUpload, unknown>
  return (
    TEXTS.every((name) => typeof upload[name] === 'string') &&
    NUMBERS.every((name) => typeof upload[name] === 'number') &&
    MEDIA_TYPES.some((type) => type === upload.type) &&
    (upload.url === null || typeof upload.url === 'string')
  )
}

/** Persists an upload at its start, with its file if this device has space for it. */
export async function persistUpload(
  upload: Pick<PersistedUpload, 'key' | 'memorialId' | 'personId' | 'type' | 'isMain'>,
  file: File,
): Promise<void> {
  const { name, size, lastModified, type: mimeType } = file
  const { key } = upload
  if (signedOut.has(key)) return
  persistedHere.add(key)
  const initial = { url: null, safe: 0, expiresAt: expiry(), hasFile: false, isUnwanted: false }
  write({ ...upload, ...initial, name, size, lastModified, mimeType, ends: '' })
  await withFiles(async () => {
    const ends = await hashEnds(file)
    if (!amend(key, { ends })) return
    if (size > PERSISTED_FILE_MAX_BYTES || size + persistedBytes() > PERSISTED_FILES_MAX_BYTES) return
    await set(key, file, files)
    // The upload may have finished meanwhile, or the user may have signed out.
    if (!amend(key, { hasFile: true })) await del(key, files)
  })
}

function persistedBytes(): number {
  let bytes = 0
  for (const { hasFile, size } of allPersisted()) if (hasFile) bytes += size
  return bytes
}

export function updatePersisted(key: string, url: string | null, safe: number): void {
  amend(key, { url, safe, expiresAt: expiry() })
}

/** False if nothing is persisted under this key. */
function amend(key: string, changes: Partial<PersistedUpload>): boolean {
  const upload = readPersisted(key)
  if (upload) write({ ...upload, ...changes })
  return upload !== null
}

function write(upload: PersistedUpload): void {
  writeText(PREFIX + upload.key, JSON.stringify(upload))
}

/** An hour less than a day from now: the server extends an upload's life at most once an hour. */
function expiry(): number {
  return Date.now() + UPLOAD_EXPIRES_MS - HOUR_MS
}

/** The file of a persisted upload, or null. */
export async function persistedFile({ key, hasFile }: PersistedUpload): Promise<File | null> {
  if (!hasFile) return null
  return (await withFiles(() => get<File>(key, files))) ?? null
}

/** True if an upload is persisted, with or without its file. */
export function isPersisted(key: string): boolean {
  return readText(PREFIX + key) !== null
}

/** True if another visit could resume this upload without asking for the file. */
export function isFilePersisted(key: string): boolean {
  return readPersisted(key)?.hasFile === true
}

/** Deletes a persisted upload if it is of another file than the one being sent. */
export function deleteOtherFile(key: string, { size, type }: File): void {
  const upload = readPersisted(key)
  if (upload && (upload.size !== size || upload.mimeType !== type)) deletePersisted(key)
}

/** Deletes a finished upload from this device. */
export function deletePersisted(key: string): void {
  removeText(PREFIX + key)
  void withFiles(() => del(key, files))
}

/** Marks an upload that the user stopped offline: screens hide it, and the next visit tells the server. */
export function markUnwanted(key: string): void {
  amend(key, { isUnwanted: true, hasFile: false })
  void withFiles(() => del(key, files))
}

/**
 * Gives this user's uploads to this memorial to `heirId`, the same person under a new invitation. They start again, because
 * the server has their first bytes for the old one. Null deletes them.
 */
export function reassignPersisted(personId: string, memorialId: string, heirId: string | null): void {
  for (const { key } of listPersisted(personId, memorialId)) {
    if (heirId === null) deletePersisted(key)
    else amend(key, { personId: heirId, url: null, safe: 0 })
  }
}

/** Deletes every upload on this device, at sign-out. Names and URLs are gone when it returns; files follow. */
export function deleteAllPersisted(): void {
  for (const key of persistedHere) signedOut.add(key)
  removeTextsByPrefix(PREFIX)
  void withFiles(() => clear(files))
}

/** Deletes files without an upload: the page was closed after only one of the two was deleted. */
export async function deleteOrphanFiles(): Promise<void> {
  await withFiles(async () => {
    for (const key of await keys<string>(files)) if (!isPersisted(key)) await del(key, files)
  })
}

/** Null if there is no space, or the browser stores no files. The next visit then asks the user for the file. */
async function withFiles<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch {
    return null
  }
}

const END_BYTES = 64 * 1024

/** SHA-256, in hex, of a file's first and last 64 kB. */
export async function hashEnds(file: Blob): Promise<string> {
  const ends = new Blob([file.slice(0, END_BYTES), file.slice(Math.max(0, file.size - END_BYTES))])
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await ends.arrayBuffer()))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * True if `file` is the one whose upload was started: resuming with another file would corrupt it. Name and size must
 * match, and the first and last bytes or, if those are unknown, the modification time.
 */
export async function isSameFile(identity: FileIdentity, file: File): Promise<boolean> {
  if (file.name !== identity.name || file.size !== identity.size) return false
  if (identity.ends !== '') return identity.ends === (await hashEnds(file))
  return file.lastModified === identity.lastModified
}

import { clear, createStore, del, get, keys, set } from 'idb-keyval'
import {
  HOUR_MS,
  PERSISTED_FILE_MAX_BYTES,
  PERSISTED_FILES_MAX_BYTES,
  UPLOAD_EXPIRES_MS,
} from '#shared/limits.ts'
import { MEDIA_TYPES, type MediaType } from '#shared/media.ts'
import { forgetTexts, readText, removeText, textKeys, writeText } from '../stored-text.ts'

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

/** An unfinished upload, as this device stores it so that another visit can resume it. */
export type PersistedUpload = FileIdentity & {
  /** Idempotency key. */
  key: string
  memorialId: string
  /** The account or contributor who sends it; nobody else on this device is shown it. */
  personId: string
  type: MediaType
  /** The wizard's main photo. */
  isMain: boolean
  /** Null before the server has given it one. */
  url: string | null
  /** Bytes known to be on the server. */
  safe: number
  /** By then the server may have deleted it. Milliseconds. */
  expiresAt: number
  /** The file itself is stored on this device as well. */
  hasFile: boolean
  /** The user stopped it, and the server could not be told yet. */
  isUnwanted: boolean
}

/** In localStorage: one JSON text for each upload. */
const PREFIX = 'kept-upload:'
/** In IndexedDB: the files, by idempotency key. */
const files = createStore('kept-uploads', 'files')
/** Keys that this page has persisted. */
const persistedHere = new Set<string>()
/** Those of them whose user has signed out since: rows that are still shown for a moment are not persisted again. */
const signedOut = new Set<string>()

/** The unfinished uploads of this person to this memorial, from any visit. Deletes those that have expired. */
export function listPersisted(personId: string, memorialId: string): PersistedUpload[] {
  deleteExpired()
  return allPersisted().filter((upload) => upload.personId === personId && upload.memorialId === memorialId)
}

/** Deletes the uploads that nobody has resumed within a day. */
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

/** Persists an upload that begins, with its file where this device has room for it. */
export async function persistUpload(
  upload: Pick<PersistedUpload, 'key' | 'memorialId' | 'personId' | 'type' | 'isMain'>,
  file: File,
): Promise<void> {
  const { name, size, lastModified, type: mimeType } = file
  const { key } = upload
  if (signedOut.has(key)) return
  persistedHere.add(key)
  const begun = { url: null, safe: 0, expiresAt: expiry(), hasFile: false, isUnwanted: false }
  write({ ...upload, ...begun, name, size, lastModified, mimeType, ends: '' })
  await withFiles(async () => {
    const ends = await endsOf(file)
    if (!amend(key, { ends })) return
    if (size > PERSISTED_FILE_MAX_BYTES || size + persistedBytes() > PERSISTED_FILES_MAX_BYTES) return
    await set(key, file, files)
    // It may have ended meanwhile, or its user may have signed out.
    if (!amend(key, { hasFile: true })) await del(key, files)
  })
}

/** Bytes of all files that this device stores, of all its users. */
function persistedBytes(): number {
  let bytes = 0
  for (const { hasFile, size } of allPersisted()) if (hasFile) bytes += size
  return bytes
}

/** Records how far an upload is. */
export function updatePersisted(key: string, url: string | null, safe: number): void {
  amend(key, { url, safe, expiresAt: expiry() })
}

/** False where nothing is persisted under this key. */
function amend(key: string, changes: Partial<PersistedUpload>): boolean {
  const upload = readPersisted(key)
  if (upload) write({ ...upload, ...changes })
  return upload !== null
}

function write(upload: PersistedUpload): void {
  writeText(PREFIX + upload.key, JSON.stringify(upload))
}

/** The server extends an upload once an hour at the most, so it may expire an hour earlier than a day after a chunk. */
function expiry(): number {
  return Date.now() + UPLOAD_EXPIRES_MS - HOUR_MS
}

/** The file of a persisted upload, or null. */
export async function persistedFile({ key, hasFile }: PersistedUpload): Promise<File | null> {
  if (!hasFile) return null
  return (await withFiles(() => get<File>(key, files))) ?? null
}

/** Whether an upload is persisted, with or without its file. */
export function isPersisted(key: string): boolean {
  return readText(PREFIX + key) !== null
}

/** Whether another visit could resume this upload without asking for the file. */
export function isFilePersisted(key: string): boolean {
  return readPersisted(key)?.hasFile === true
}

/** Deletes what is persisted of an upload where that is another file than the one that is sent now. */
export function deleteOtherFile(key: string, { size, type }: File): void {
  const upload = readPersisted(key)
  if (upload && (upload.size !== size || upload.mimeType !== type)) deletePersisted(key)
}

/** Deletes an upload from this device, because it has ended. */
export function deletePersisted(key: string): void {
  removeText(PREFIX + key)
  void withFiles(() => del(key, files))
}

/** The user stopped an upload and the server could not be told: no screen shows it, and another visit tells the server. */
export function markUnwanted(key: string): void {
  amend(key, { isUnwanted: true, hasFile: false })
  void withFiles(() => del(key, files))
}

/** Deletes this person's uploads to this memorial: their session has ended. */
export function deletePersistedOf(personId: string, memorialId: string): void {
  for (const { key } of listPersisted(personId, memorialId)) deletePersisted(key)
}

/** Deletes every upload on this device, because a user signs out. Names and addresses are gone when it returns. */
export function deleteAllPersisted(): void {
  for (const key of persistedHere) signedOut.add(key)
  forgetTexts(PREFIX)
  void withFiles(() => clear(files))
}

/** Deletes files without an upload: the page was closed after one of the two was deleted. */
export async function deleteOrphanFiles(): Promise<void> {
  await withFiles(async () => {
    for (const key of await keys<string>(files)) if (!isPersisted(key)) await del(key, files)
  })
}

/** Null where there is no room, or the browser stores no files: then the user is asked for the file on the next visit. */
async function withFiles<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch {
    return null
  }
}

const END_BYTES = 64 * 1024

/** SHA-256, in hex, of a file's first and last 64 kB. */
export async function endsOf(file: Blob): Promise<string> {
  const ends = new Blob([file.slice(0, END_BYTES), file.slice(Math.max(0, file.size - END_BYTES))])
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await ends.arrayBuffer()))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Whether `file` is the one whose upload was begun: sending the rest of another file would corrupt it. The name and the size
 * must be the same, and the first and last bytes or, where those are not known, the time of the last change.
 */
export async function isSameFile(begun: FileIdentity, file: File): Promise<boolean> {
  if (file.name !== begun.name || file.size !== begun.size) return false
  if (begun.ends !== '') return begun.ends === (await endsOf(file))
  return file.lastModified === begun.lastModified
}

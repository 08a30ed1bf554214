import { clear, createStore, del, get, keys, set } from 'idb-keyval'
import { HOUR_MS, KEPT_FILE_MAX_BYTES, KEPT_FILES_MAX_BYTES, UPLOAD_EXPIRES_MS } from '#shared/limits.ts'
import { MEDIA_TYPES, type MediaType } from '#shared/media.ts'
import { endsOf, type FileIdentity } from './file-identity.ts'
import { forgetTexts, readText, removeText, textKeys, writeText } from './stored-text.ts'

/** An upload that has not ended, as this device keeps it so that another visit can go on with it. */
export type KeptUpload = FileIdentity & {
  /** Idempotency key. */
  key: string
  memorialId: string
  /** Who sends it: nobody else at this device is shown it. */
  personId: string
  type: MediaType
  /** The builder's main photo. */
  isMain: boolean
  /** Null before the server has given it one. */
  url: string | null
  /** Bytes that were on the server at last. */
  safe: number
  /** By then the server may have forgotten it. Milliseconds. */
  expiresAt: number
  /** The file itself is kept here as well. */
  hasFile: boolean
  /** Stopped, and the server could not be told yet. */
  isUnwanted: boolean
}

/** What this page has kept. */
const known = new Set<string>()
/** Its person has signed out since: rows that are still shown for a moment are not kept again. */
const over = new Set<string>()

const PREFIX = 'kept-upload:'
const files = createStore('kept-uploads', 'files')

/** What this person has begun to send to this memorial and not ended, on whatever visit; what has expired goes. */
export function listKept(personId: string, memorialId: string): KeptUpload[] {
  forgetExpired()
  return allKept().filter((kept) => kept.personId === personId && kept.memorialId === memorialId)
}

/** Forgets what nobody has come back for in a day, of whoever. */
export function forgetExpired(): void {
  for (const { key, expiresAt } of allKept()) if (expiresAt <= Date.now()) forgetUpload(key)
}

function allKept(): KeptUpload[] {
  return textKeys(PREFIX)
    .map((textKey) => readKept(textKey.slice(PREFIX.length)))
    .filter((kept) => kept !== null)
}

function readKept(key: string): KeptUpload | null {
  const text = readText(PREFIX + key)
  if (text === null) return null
  try {
    const kept: unknown = JSON.parse(text)
    if (isKeptUpload(kept)) return kept
  } catch {
    // Written by another version of this page: of no use.
  }
  removeText(PREFIX + key)
  return null
}

const TEXTS = ['key', 'memorialId', 'personId', 'name', 'mimeType', 'ends'] as const
const NUMBERS = ['size', 'lastModified', 'safe', 'expiresAt'] as const

function isKeptUpload(value: unknown): value is KeptUpload {
  if (typeof value !== 'object' || value === null) return false
  const kept = value as Record<keyof KeptUpload, unknown>
  return (
    TEXTS.every((name) => typeof kept[name] === 'string') &&
    NUMBERS.every((name) => typeof kept[name] === 'number') &&
    MEDIA_TYPES.some((type) => type === kept.type) &&
    (kept.url === null || typeof kept.url === 'string')
  )
}

/** Keeps an upload that begins, with its file where there is room on this device. */
export async function keepUpload(
  upload: Pick<KeptUpload, 'key' | 'memorialId' | 'personId' | 'type' | 'isMain'>,
  file: File,
): Promise<void> {
  const { name, size, lastModified, type: mimeType } = file
  const { key } = upload
  if (over.has(key)) return
  known.add(key)
  const begun = { url: null, safe: 0, expiresAt: expiry(), hasFile: false, isUnwanted: false }
  write({ ...upload, ...begun, name, size, lastModified, mimeType, ends: '' })
  try {
    const ends = await endsOf(file)
    if (!amend(key, { ends })) return
    if (size > KEPT_FILE_MAX_BYTES || size + keptBytes() > KEPT_FILES_MAX_BYTES) return
    await set(key, file, files)
    // It may have ended meanwhile, or its person may have signed out.
    if (!amend(key, { hasFile: true })) await del(key, files)
  } catch {
    // No room, or a browser that keeps no files: the person is asked for the file.
  }
}

/** Bytes of all files that this device keeps, of whoever. */
function keptBytes(): number {
  let bytes = 0
  for (const { hasFile, size } of allKept()) if (hasFile) bytes += size
  return bytes
}

/** Notes how far an upload is. */
export function noteProgress(key: string, url: string | null, safe: number): void {
  amend(key, { url, safe, expiresAt: expiry() })
}

/** Changes what is kept; false where nothing is. */
function amend(key: string, changes: Partial<KeptUpload>): boolean {
  const kept = readKept(key)
  if (kept) write({ ...kept, ...changes })
  return kept !== null
}

function write(kept: KeptUpload): void {
  writeText(PREFIX + kept.key, JSON.stringify(kept))
}

/** The server renews an upload once an hour at the most, so that it may end an hour earlier than a day after a piece. */
function expiry(): number {
  return Date.now() + UPLOAD_EXPIRES_MS - HOUR_MS
}

/** The file of a kept upload, or null. */
export async function keptFile({ key, hasFile }: KeptUpload): Promise<File | null> {
  if (!hasFile) return null
  try {
    return (await get<File>(key, files)) ?? null
  } catch {
    return null
  }
}

/** Whether anything is kept of an upload. */
export function isKept(key: string): boolean {
  return readText(PREFIX + key) !== null
}

/** Forgets what is kept of an upload where that is another file than the one that is sent now. */
export function forgetOther(key: string, { size, type }: File): void {
  const kept = readKept(key)
  if (kept && (kept.size !== size || kept.mimeType !== type)) forgetUpload(key)
}

/** Whether another visit could go on with this upload by itself. */
export function isFileKept(key: string): boolean {
  return readKept(key)?.hasFile === true
}

/** An upload has ended, and so does everything that is kept of it. */
export function forgetUpload(key: string): void {
  removeText(PREFIX + key)
  void removeFile(key)
}

/** Somebody has stopped an upload and the server could not be told: it is shown to nobody, and kept to tell the server. */
export function keepUnwanted(key: string): void {
  amend(key, { isUnwanted: true, hasFile: false })
  void removeFile(key)
}

/** A session of this person has ended: what they were sending to this memorial goes with it. */
export function forgetUploadsOf(personId: string, memorialId: string): void {
  for (const { key } of listKept(personId, memorialId)) forgetUpload(key)
}

/** Forgets every upload on this device, of whoever: somebody signs out. Names and addresses go at once. */
export function forgetUploads(): void {
  for (const key of known) over.add(key)
  forgetTexts(PREFIX)
  void removeFiles()
}

async function removeFile(key: string): Promise<void> {
  try {
    await del(key, files)
  } catch {
    // A browser that keeps no files.
  }
}

async function removeFiles(): Promise<void> {
  try {
    await clear(files)
  } catch {
    // As above.
  }
}

/** Removes files of which nothing else is kept: a page was closed between the two. */
export async function sweepFiles(): Promise<void> {
  try {
    for (const key of await keys<string>(files)) {
      if (readText(PREFIX + key) === null) await del(key, files)
    }
  } catch {
    // As above.
  }
}

import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { QuotaLine, SandboxRecords, State, StoredObject } from '../invariants/invariants.ts'
import { OperatorError } from './command.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
/** A running workerd may be writing to the databases; SQLite's locks keep them consistent. */
const LOCK_TIMEOUT_MS = 5000

/** The SQLite file of the local D1 in `state`, a folder relative to the project. Throws {@link OperatorError}. */
export function findDatabaseFile(state: string): string {
  const folder = resolve(ROOT, state)
  const files = sqliteFiles(folder, '**/miniflare-D1DatabaseObject', 'users')
  const [file] = files
  if (!file) throw new OperatorError(`There is no database in ${folder} yet. Run npm start first.`)
  if (files.length > 1) {
    throw new OperatorError(
      `There are ${files.length} databases in ${folder}. Set NHAKA_STATE to the folder of one.`,
    )
  }
  return file
}

/**
 * Reads the state of a local folder from its files, without changes; the server may be running. It skips quota objects that no
 * request has woken since the server started, because each one reloads from the rows when it wakes. Throws {@link OperatorError}.
 */
export function localState(state: string): State {
  const folder = resolve(ROOT, state)
  const database = findDatabaseFile(state)
  const outside = localSandbox(folder)
  return {
    now: Date.now(),
    sql: async <T>(query: string) => readAll(database, query) as T[],
    all: async (queries) => queries.map((query) => readAll(database, query)),
    objects: async () => localObjects(folder),
    quota: localQuotas(folder),
    ...(outside ? { outside } : {}),
  }
}

/** The SQLite files in a folder that match `pattern` and contain `table`. */
function sqliteFiles(folder: string, pattern: string, table: string): string[] {
  if (!existsSync(folder)) return []
  return globSync(`${pattern}/*.sqlite`, { cwd: folder })
    .map((file) => resolve(folder, file))
    .filter(
      (file) =>
        readAll(file, `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '${table}'`).length > 0,
    )
}

function readAll(file: string, query: string): Record<string, unknown>[] {
  using db = new DatabaseSync(file, { readOnly: true, timeout: LOCK_TIMEOUT_MS })
  return db.prepare(query).all()
}

type ObjectRow = { key: string; blob: string | null; size: number; whole: number; uploaded: number }

/** One row for each part of an object: the object itself, or the parts of a multipart upload. */
const PARTS = `
  SELECT key, blob_id AS blob, size, size AS whole, uploaded FROM _mf_objects WHERE blob_id IS NOT NULL
  UNION ALL SELECT _mf_objects.key, parts.blob_id, parts.size, _mf_objects.size, _mf_objects.uploaded
  FROM _mf_objects LEFT JOIN _mf_multipart_parts parts ON parts.object_key = _mf_objects.key
  WHERE _mf_objects.blob_id IS NULL`

/** An object has size -1 if its bytes are missing or incomplete. */
function localObjects(folder: string): StoredObject[] {
  return sqliteFiles(folder, '**/miniflare-R2BucketObject', '_mf_objects').flatMap((file) => {
    const blobs = resolve(file, '../../nhaka-media/blobs')
    const found = new Map<string, { size: number; whole: number; uploadedAt: number }>()
    for (const part of readAll(file, PARTS) as ObjectRow[]) {
      const object = found.get(part.key) ?? { size: 0, whole: part.whole, uploadedAt: part.uploaded }
      const path = resolve(blobs, String(part.blob))
      const isComplete = existsSync(path) && statSync(path).size === part.size
      found.set(part.key, {
        ...object,
        size: isComplete ? object.size + part.size : Number.NEGATIVE_INFINITY,
      })
    }
    return [...found].map(([key, { size, whole, uploadedAt }]) => ({
      key,
      size: size === whole ? whole : -1,
      uploadedAt,
    }))
  })
}

/** The file that names the processes of the server on this folder. */
export function pidFileOf(folder: string): string {
  return resolve(folder, 'runtime.pids')
}

/** The processes of the last server on this folder: start.ts and its runtime. None if it ended properly. */
export function pidsIn(folder: string): number[] {
  const file = pidFileOf(folder)
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').map(Number).filter(Boolean) : []
}

/** When the server on this folder started (ms since 1970), or null if none is running. */
export function runningSince(folder: string): number | null {
  const file = pidFileOf(folder)
  return existsSync(file) && pidsIn(folder).every(isRunning) ? statSync(file).mtimeMs : null
}

/** Creates the folder, and the file without which `npm start` adds its demo. */
export function skipDemo(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const seeded = resolve(folder, 'seeded.json')
  if (!existsSync(seeded)) writeFileSync(seeded, JSON.stringify({ publicSlug: '', inviteLink: '' }))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function localQuotas(folder: string): (memorialId: string) => Promise<QuotaLine[] | null> {
  const since = runningSince(folder)
  const files = new Map<string, string>()
  for (const file of since === null ? [] : sqliteFiles(folder, '**/nhaka-MemorialQuota', 'items')) {
    const wokenAt = Math.max(
      ...[file, `${file}-wal`].filter((path) => existsSync(path)).map((path) => statSync(path).mtimeMs),
    )
    // The object stores its memorial's id under this key, serialized.
    const [row] = readAll(file, "SELECT value FROM _cf_KV WHERE key = 'memorialId'")
    const id = /mem_[a-z0-9]+/u.exec(new TextDecoder('latin1').decode(row?.['value'] as Uint8Array))?.[0]
    if (id && wokenAt >= Number(since)) files.set(id, file)
  }
  return async (memorialId) => {
    const file = files.get(memorialId)
    return file
      ? (readAll(
          file,
          `SELECT media_id AS mediaId, type, contributor_id AS contributorId, bytes, duration_sec AS durationSec,
             expires_at AS expiresAt, lease FROM items`,
        ) as QuotaLine[])
      : null
  }
}

type SandboxFile = {
  intents: Record<string, { status: string; metadata: Record<string, string> }>
  mails: { receivedAt: string; headers: Record<string, string> }[]
  paynow?: { reference: string; status: string }[]
}

/** The records of the sandbox of `npm start`; null if there are none. */
/** States of Paynow's that a payment reaches only once somebody has paid. */
const WAS_PAID = new Set(['Paid', 'Awaiting Delivery', 'Delivered', 'Disputed', 'Refunded'])

function localSandbox(folder: string): SandboxRecords | null {
  const file = resolve(folder, 'sandbox/sandbox.json')
  if (!existsSync(file)) return null
  const read = () => JSON.parse(readFileSync(file, 'utf8')) as SandboxFile
  return {
    async mails() {
      return read().mails.map(({ headers, receivedAt }) => ({
        id: headers['X-Nhaka-Mail-Id'] ?? '',
        at: Date.parse(receivedAt),
      }))
    },
    async paidPaymentIds() {
      const { intents, paynow = [] } = read()
      const cards = Object.values(intents)
        .filter(({ status }) => status === 'succeeded')
        .flatMap(({ metadata }) => metadata['paymentId'] ?? [])
      return [
        ...cards,
        ...paynow.filter(({ status }) => WAS_PAID.has(status)).map(({ reference }) => reference),
      ]
    },
  }
}

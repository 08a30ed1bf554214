import { createHash } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod/mini'
import { BACKUP_RETENTION_DAYS, DAY_MS } from '#shared/limits.ts'
import { StateError } from '../local/local-state.ts'
import { isSafeKey } from './bucket.ts'

const hex = z.string().check(z.regex(/^[\da-f]{64}$/u))
const keptObject = z.object({
  key: z.string().check(z.refine(isSafeKey, 'leads out of the bucket')),
  etag: z.string(),
  size: z.number(),
  sha256: hex,
  headers: z.record(z.string(), z.string()),
})
/** `at` is ISO 8601 in UTC, `database` the SHA-256 of the dump; `size` is in bytes, `headers` are the stored metadata. */
const manifest = z.object({
  version: z.literal(1),
  at: z.string(),
  database: hex,
  objects: z.array(keptObject),
})

export type KeptObject = z.infer<typeof keptObject>
/** What belongs to one backup. It is written last, so a backup that has its manifest is complete. */
export type Manifest = z.infer<typeof manifest>

const BACKUP_FILE = /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)\.(json|sql)(?:\.part)?$/u
const OBJECT_FILE = /^(?:[\da-f]{64}|[\da-f-]{36}\.part)$/u

/** The name of a backup of this moment, such as `2026-11-20T01-30-00Z`. */
export function backupName(at: Date): string {
  return `${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z`
}

/** The names of the backups in a folder, oldest first. */
export function listBackups(folder: string): string[] {
  const files = existsSync(folder) ? readdirSync(folder) : []
  return files
    .flatMap((file) => (file.endsWith('.json') ? (BACKUP_FILE.exec(file)?.[1] ?? []) : []))
    .toSorted()
}

/** Reads a manifest. Throws a StateError when it is damaged, or names files or keys outside the folder or the bucket. */
export function readManifest(folder: string, name: string): Manifest {
  try {
    return z.parse(manifest, JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')))
  } catch (error) {
    throw new StateError(`The backup ${name} cannot be read, nothing was changed: ${String(error)}`)
  }
}

/** The file with the bytes of an object. It is named by its checksum, never by a key; equal objects share it. */
export function objectFile(folder: string, sha256: string): string {
  return join(folder, 'objects', sha256)
}

/** The SHA-256 of a file in hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** Compares every file of a backup with its checksum. Throws a StateError that names those that are damaged or missing. */
export async function verifyFiles(
  folder: string,
  name: string,
  { database, objects }: Manifest,
): Promise<void> {
  const files = new Map(objects.map(({ sha256 }) => [objectFile(folder, sha256), sha256]))
  files.set(join(folder, `${name}.sql`), database)
  const damaged: string[] = []
  for (const [file, sha256] of files)
    if (!existsSync(file) || (await hashFile(file)) !== sha256) damaged.push(file)
  if (damaged.length > 0)
    throw new StateError(['The backup is damaged, nothing was changed:', ...damaged].join('\n'))
}

/**
 * Removes the backups that would be older than 30 days at tomorrow's run, except the newest, and then the object files that no
 * backup needs: what a family deleted is gone from here, too. Files that no backup has named stay.
 */
export function prune(folder: string, now: Date): void {
  const oldest = backupName(new Date(now.getTime() - (BACKUP_RETENTION_DAYS - 1) * DAY_MS))
  const kept = listBackups(folder).filter((name, at, all) => name >= oldest || at === all.length - 1)
  const needed = new Set(
    kept.flatMap((name) => readManifest(folder, name).objects.map(({ sha256 }) => sha256)),
  )
  // Sorted: a manifest goes before its dump, so what a crash leaves behind is no backup any more.
  for (const file of readdirSync(folder).toSorted()) {
    const name = BACKUP_FILE.exec(file)?.[1]
    if (name !== undefined && !kept.includes(name)) rmSync(join(folder, file))
  }
  for (const file of readdirSync(join(folder, 'objects')))
    if (OBJECT_FILE.test(file) && !needed.has(file)) rmSync(join(folder, 'objects', file))
}

/** Runs `work` while no other run uses this folder. The lock ends with the process. Throws a StateError if it is taken. */
export async function withLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(join(folder, 'objects'), { recursive: true, mode: 0o700 })
  const lock = new DatabaseSync(join(folder, 'lock'))
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch {
    lock.close()
    throw new StateError(`Another backup or restore is using ${folder}.`)
  }
  return work().finally(() => lock.close())
}

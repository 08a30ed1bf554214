import { createHash } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod/mini'
import { BACKUP_RETENTION_DAYS, DAY_MS } from '#shared/limits.ts'
import { isSafeKey } from './bucket.ts'
import { OperatorError } from '../local/command.ts'

const hex = z.string().check(z.regex(/^[\da-f]{64}$/u))
const backupObject = z.object({
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
  objects: z.array(backupObject),
})

export type BackupObject = z.infer<typeof backupObject>
/** The contents of one backup. It is written last, so a backup with a manifest is complete. */
export type Manifest = z.infer<typeof manifest>

const BACKUP_FILE = /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)\.(json|sql)(?:\.part)?$/u
const OBJECT_FILE = /^(?:[\da-f]{64}|[\da-f-]{36}\.part)$/u

/** The name of a backup created at this time, such as `2026-11-20T01-30-00Z`. */
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

/** Reads a manifest. Throws an OperatorError if it is damaged, or names files or keys outside the folder or the bucket. */
export function readManifest(folder: string, name: string): Manifest {
  try {
    return z.parse(manifest, JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')))
  } catch (error) {
    throw new OperatorError(`Could not read the backup ${name}, nothing was changed: ${String(error)}`)
  }
}

/** The path of an object's bytes. Files are named by checksum, never by key; equal objects share a file. */
export function objectFile(folder: string, sha256: string): string {
  return join(folder, 'objects', sha256)
}

/** The SHA-256 of a file, in hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** Compares every file of a backup with its checksum. Throws an OperatorError that lists damaged and missing files. */
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
    throw new OperatorError(['The backup is damaged, nothing was changed:', ...damaged].join('\n'))
}

/**
 * Deletes the backups that will be older than 30 days at tomorrow's run, except the newest, and then the object files that no
 * backup needs, so that what a family deleted disappears here too. It never deletes files that it did not name.
 */
export function prune(folder: string, now: Date): void {
  const oldest = backupName(new Date(now.getTime() - (BACKUP_RETENTION_DAYS - 1) * DAY_MS))
  const retained = listBackups(folder).filter((name, at, all) => name >= oldest || at === all.length - 1)
  const needed = new Set(
    retained.flatMap((name) => readManifest(folder, name).objects.map(({ sha256 }) => sha256)),
  )
  // Sorted, so that a manifest is deleted before its dump: after a crash the rest no longer counts as a backup.
  for (const file of readdirSync(folder).toSorted()) {
    const name = BACKUP_FILE.exec(file)?.[1]
    if (name !== undefined && !retained.includes(name)) rmSync(join(folder, file))
  }
  for (const file of readdirSync(join(folder, 'objects')))
    if (OBJECT_FILE.test(file) && !needed.has(file)) rmSync(join(folder, 'objects', file))
}

/** Runs `work` with a lock on the folder, which ends with the process. Throws an OperatorError if another run has it. */
export async function withLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(join(folder, 'objects'), { recursive: true, mode: 0o700 })
  const lock = new DatabaseSync(join(folder, 'lock'))
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch {
    lock.close()
    throw new OperatorError(`Another backup or restore is using ${folder}.`)
  }
  return work().finally(() => lock.close())
}

import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { StateProblem } from '../local-state.ts'
import type { KeptObject } from './catalogue.ts'
import type { TableSum } from './sql-dump.ts'
import { hashFile, syncFolder } from './vault.ts'

/** A file of the backup, its path from the backup's folder, and what it must be. */
export type FileSum = { file: string; sha256: string }

/** One backup. Written last, so where it stands the rest is there. */
export type Manifest = {
  version: 1
  /** When its database was read: ISO 8601, UTC. */
  at: string
  place: string
  database: FileSum & { tables: Record<string, TableSum> }
  /** One line of JSON an object, gzip. */
  objects: FileSum & { count: number; bytes: number }
  fetched: { count: number; bytes: number }
  /** What could not be had. Empty: the backup is whole. */
  problems: string[]
}

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/u
/** The files that backups are made of, finished or not, and the name of the backup. */
export const BACKUP_FILE = /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)\.(?:json|objects\.gz|sql\.gz)(?:\.part)?$/u

/** The name of a moment in file names. */
export function nameOf(at: string): string {
  return `${at.slice(0, 19).replaceAll(':', '-')}Z`
}

/** Times of the backups in a folder, as file names, oldest first. */
export function backupNames(folder: string): string[] {
  if (!existsSync(join(folder, 'backups'))) return []
  return readdirSync(join(folder, 'backups'))
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .filter((name) => NAME.test(name))
    .toSorted()
}

/** Throws a StateProblem where it cannot be read. */
export function readManifest(folder: string, name: string): Manifest {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'backups', `${name}.json`), 'utf8')) as Manifest
    if (manifest.version !== 1) throw new Error(`version ${String(manifest.version)} is not known here`)
    return manifest
  } catch (error) {
    throw new StateProblem(`The backup ${name} cannot be read: ${String(error)}`)
  }
}

/** Makes the backup exist: from here on it is found. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const path = join(folder, 'backups', `${nameOf(manifest.at)}.json`)
  const file = await open(`${path}.part`, 'w', 0o600)
  await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`)
  await file.sync()
  await file.close()
  await rename(`${path}.part`, path)
  await syncFolder(join(folder, 'backups'))
}

/** Writes lines as a gzip file that is whole or not there. */
export async function writeLines(folder: string, file: string, lines: Iterable<string>): Promise<FileSum> {
  const path = join(folder, file)
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
  await pipeline(
    Readable.from(lines),
    createGzip(),
    createWriteStream(`${path}.part`, { mode: 0o600, flush: true }),
  )
  const sha256 = await hashFile(`${path}.part`)
  await rename(`${path}.part`, path)
  await syncFolder(join(path, '..'))
  return { file, sha256 }
}

/** The text of a gzip file, piece by piece. */
export async function* readText(path: string): AsyncGenerator<string> {
  const plain = createReadStream(path).pipe(createGunzip()).setEncoding('utf8')
  for await (const chunk of plain) yield String(chunk)
}

/** The objects of a backup, by key. */
export async function* objectsOf(folder: string, manifest: Manifest): AsyncGenerator<KeptObject> {
  const plain = createReadStream(join(folder, manifest.objects.file)).pipe(createGunzip())
  for await (const line of createInterface({ input: plain, crlfDelay: Infinity })) {
    if (line) yield JSON.parse(line) as KeptObject
  }
}

/** Removes a backup. The bytes that only it needed go with the next sweep of the vault. */
export function removeBackup(folder: string, name: string): void {
  // First what makes it a backup: broken off, the rest is no backup any more and goes with the next sweep.
  for (const file of [`backups/${name}.json`, `backups/${name}.objects.gz`, `database/${name}.sql.gz`]) {
    rmSync(join(folder, file), { force: true })
  }
}

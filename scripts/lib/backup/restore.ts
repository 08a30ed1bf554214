import { readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { constants, DatabaseSync } from 'node:sqlite'
import { MINUTE_MS } from '#shared/limits.ts'
import { StateProblem } from '../local-state.ts'
import { Catalogue, type KeptObject } from './catalogue.ts'
import { backupNames, objectsOf, readManifest, readText, type Manifest } from './manifest.ts'
import { inParallel } from './parallel.ts'
import type { Place, Writable } from './place.ts'
import { isOddKey } from './s3-objects.ts'
import { dumpStatements, sumTables, type TableSum } from './sql-dump.ts'
import { splitStatements } from './sql-statements.ts'
import { Vault } from './vault.ts'
import { verifyBackup } from './verify-backup.ts'

const MIGRATIONS = resolve(import.meta.dirname, '../../../migrations')
const AT_ONCE = 8

export type RestoreOptions = {
  folder: string
  place: Place
  /** Name of a backup; without it the newest one that is whole. */
  at?: string
  /** What is there may be replaced. */
  mayReplace: boolean
  now: Date
  say: (line: string) => void
}

export type Restored = { manifest: Manifest; objects: number; tables: number }

/**
 * Puts one backup into a place: reads all of it first and compares it with its checksums, then the database, then the
 * objects, then reads the place again and compares that. Throws a StateProblem where the backup is damaged, where the
 * place is not empty and may not be replaced, or where it is not the same afterwards. Broken off, it is run again.
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { folder, place, now, say } = options
  const manifest = chooseBackup(folder, options.at)
  const vault = new Vault(folder)
  // Keeps a backup from pruning what is being read.
  const catalogue = new Catalogue(folder)
  const scratch = join(folder, 'restored.sqlite')
  try {
    const there = await place.look()
    if (there.rows + there.objects > 0 && !options.mayReplace) {
      throw new StateProblem(
        `There are ${there.rows} rows and ${there.objects} objects already. With --yes the rows are replaced and the objects stay beside those of the backup.`,
      )
    }
    say(`Reading the backup of ${manifest.at} …`)
    const problems = await verifyBackup({ folder, manifest, vault, seen: new Set() })
    if (problems.length > 0) {
      throw new StateProblem(`The backup is damaged, nothing was changed:\n${problems.join('\n')}`)
    }
    for await (const { key } of objectsOf(folder, manifest)) refuseOddKey(key)
    removeScratch(scratch)
    await loadScratch(scratch, join(folder, manifest.database.file))
    compareTables(manifest.database.tables, scratch, 'The backup')
    const writable = await place.open()
    try {
      say('Writing the database …')
      await writeDatabase(writable, scratch, now)
      say(`Writing ${manifest.objects.count} objects …`)
      await writeObjects(writable, place, vault, objectsOf(folder, manifest))
    } finally {
      await writable.close()
    }
    say('Comparing …')
    await compareDatabase(place, scratch, folder)
    await compareObjects(place, objectsOf(folder, manifest))
    return { manifest, objects: manifest.objects.count, tables: Object.keys(manifest.database.tables).length }
  } finally {
    removeScratch(scratch)
    catalogue.close()
  }
}

function chooseBackup(folder: string, at: string | undefined): Manifest {
  const names = backupNames(folder)
  if (names.length === 0) throw new StateProblem(`There is no backup in ${folder}.`)
  if (at !== undefined) {
    if (names.includes(at)) return readManifest(folder, at)
    throw new StateProblem(`There is no backup ${at} in ${folder}. There are:\n${names.join('\n')}`)
  }
  const whole = names
    .map((name) => readManifest(folder, name))
    .findLast(({ problems }) => problems.length === 0)
  if (whole) return whole
  throw new StateProblem(
    `No backup in ${folder} is whole. Take one all the same with --at:\n${names.join('\n')}`,
  )
}

/** What making tables, rows, indexes and triggers asks SQLite for. Neither ATTACH, nor VACUUM INTO, nor the end of the transaction. */
const DUMP_DOES = new Set([
  constants.SQLITE_CREATE_TABLE,
  constants.SQLITE_CREATE_INDEX,
  constants.SQLITE_CREATE_TRIGGER,
  constants.SQLITE_INSERT,
  constants.SQLITE_UPDATE,
  constants.SQLITE_READ,
  constants.SQLITE_SELECT,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_REINDEX,
])

function refuseOddKey(key: string): void {
  if (isOddKey(key)) {
    throw new StateProblem(
      `The backup names an object ${JSON.stringify(key)}, which cannot be one of a bucket. Nothing was changed.`,
    )
  }
}

/**
 * Reads the dump into an SQLite file of its own: what is wrong with it is found before anything is written. Its checksum has no
 * key, so that anybody who may write to the folder may have written it: it makes tables and rows, and touches no other file.
 */
async function loadScratch(file: string, dump: string): Promise<void> {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  try {
    db.exec('PRAGMA synchronous = OFF; BEGIN')
    db.setAuthorizer((action, name) => {
      const isOurs =
        DUMP_DOES.has(action) || (action === constants.SQLITE_PRAGMA && name === 'defer_foreign_keys')
      return isOurs ? constants.SQLITE_OK : constants.SQLITE_DENY
    })
    for await (const statement of splitStatements(readText(dump))) run(db, statement)
    db.setAuthorizer(null)
    db.exec('COMMIT')
    refuseNewer(db)
  } finally {
    db.close()
  }
}

function run(db: DatabaseSync, statement: string): void {
  try {
    db.exec(statement)
  } catch (error) {
    throw new StateProblem(
      `The dump of the backup holds a statement that none of ours holds. Nothing was changed. ${String(error)}: ${statement.slice(0, 80)}`,
    )
  }
}

function refuseNewer(db: DatabaseSync): void {
  const known = new Set(readdirSync(MIGRATIONS))
  const rows = db.prepare('SELECT name FROM d1_migrations ORDER BY id').all() as { name: string }[]
  const unknown = rows.map(({ name }) => name).filter((name) => !known.has(name))
  if (unknown.length > 0) {
    throw new StateProblem(`The backup is of a newer Nhaka than this one, which lacks ${unknown.join(', ')}.`)
  }
}

/**
 * Sessions outlive the database in KV: one that was ended after the backup would hold again. So the scratch gets a number
 * for every account that no session was ever made with, and everybody signs in again.
 */
async function writeDatabase(writable: Writable, scratch: string, now: Date): Promise<void> {
  const db = new DatabaseSync(scratch)
  try {
    db.prepare('UPDATE users SET session_epoch = max(session_epoch + 1, ?)').run(
      Math.floor(now.getTime() / 1000),
    )
    await writable.load(dumpStatements(db))
    await writable.remember(guestTokens(db, now))
  } finally {
    db.close()
  }
}

/** Whom KV must know again: relatives who came by an invitation, who could not prove otherwise that their words are theirs. */
function guestTokens(db: DatabaseSync, now: Date): { key: string; value: string; expiresAt: number }[] {
  return db
    .prepare('SELECT * FROM contributors')
    .all()
    .filter(
      (row) => typeof row['token_hash'] === 'string' && Number(row['expires_at']) > now.getTime() + MINUTE_MS,
    )
    .map((row) => ({
      key: `contributor:${String(row['token_hash'])}`,
      value: String(row['id']),
      expiresAt: Number(row['expires_at']),
    }))
}

async function writeObjects(
  writable: Writable,
  place: Place,
  vault: Vault,
  objects: AsyncIterable<KeptObject>,
): Promise<void> {
  const there = place.objects.list()[Symbol.asyncIterator]()
  let next = await there.next()
  await inParallel(inStep(), AT_ONCE, async ({ key, size, sha256, metadata }) => {
    await writable.put({ key, size, sha256, metadata, open: () => vault.read(sha256) })
  })

  /** Both lists are in the order of their keys: those that are there already are passed over. */
  async function* inStep() {
    for await (const object of objects) {
      while (!next.done && isBefore(next.value.key, object.key)) next = await there.next()
      const isThere =
        !next.done &&
        next.value.key === object.key &&
        next.value.size === object.size &&
        next.value.etag === object.md5
      if (!isThere) yield object
    }
  }
}

function isBefore(a: string, b: string): boolean {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
}

async function compareDatabase(place: Place, scratch: string, folder: string): Promise<void> {
  const file = join(folder, 'snapshot.sqlite')
  const wanted = new DatabaseSync(scratch, { readOnly: true })
  try {
    rmSync(file, { force: true })
    await place.snapshot(file)
    compareTables(sumTables(wanted), file, 'The restored database')
  } finally {
    wanted.close()
    removeScratch(file)
  }
}

function compareTables(wanted: Record<string, TableSum>, file: string, what: string): void {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const found = sumTables(db)
    const names = [...new Set([...Object.keys(wanted), ...Object.keys(found)])]
    const different = names.filter((name) => wanted[name]?.sha256 !== found[name]?.sha256)
    const broken = db.prepare('PRAGMA foreign_key_check').all()
    if (different.length > 0) throw new StateProblem(`${what} differs in: ${different.join(', ')}`)
    if (broken.length > 0)
      throw new StateProblem(`${what} has ${broken.length} references that lead nowhere.`)
  } finally {
    db.close()
  }
}

async function compareObjects(place: Place, objects: AsyncIterable<KeptObject>): Promise<void> {
  const there = place.objects.list()[Symbol.asyncIterator]()
  let next = await there.next()
  const wrong: string[] = []
  for await (const { key, size, md5 } of objects) {
    while (!next.done && isBefore(next.value.key, key)) next = await there.next()
    const isSame = !next.done && next.value.key === key && next.value.size === size && next.value.etag === md5
    if (!isSame) wrong.push(key)
  }
  if (wrong.length > 0) {
    throw new StateProblem(
      `${wrong.length} objects are not as in the backup, the first: ${wrong.slice(0, 5).join(', ')}`,
    )
  }
}

function removeScratch(file: string): void {
  for (const ending of ['', '-journal', '-wal', '-shm', '.sql']) rmSync(`${file}${ending}`, { force: true })
}

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StateProblem } from '../local-state.ts'
import { Catalogue } from './catalogue.ts'
import {
  backupNames,
  nameOf,
  objectsOf,
  readManifest,
  writeLines,
  writeManifest,
  type Manifest,
} from './manifest.ts'
import { inParallel } from './parallel.ts'
import type { ListedObject, ObjectStore, Place } from './place.ts'
import { prune } from './prune.ts'
import { dumpStatements, sumTables } from './sql-dump.ts'
import { Vault, type Sums } from './vault.ts'
import { wantedObjects } from './wanted.ts'

/** Marks tell when this bucket was written (decision 0011), the probe only that it can be: neither is anybody's. */
const NOT_KEPT = /^(?:marks|system)\//u
const AT_ONCE = 8
/** The database is read again when rows name what came and went while it was read. */
const LOOKS_MAX = 3
/** So many objects in a row of failures are no bad objects but a store that is away. */
const FAILURES_MAX = 20

/** So many are said; a bucket that is empty has as many as there are files. */
const PROBLEMS_MAX = 1000

export type BackupOptions = {
  folder: string
  place: Place
  keepDays: number
  /** When this backup is made. */
  now: Date
}

/**
 * Makes one backup. Objects are fetched first, then the database is read, then what came meanwhile is fetched: so every
 * object that a row of the backup names is in it, or is said to be missing. What is known from earlier runs, broken ones
 * too, is not fetched again. Earlier backups are whole at every moment. Then those that are too old go, also when something
 * is missing: what people deleted must not wait for that.
 */
export async function backUp({ folder, place, keepDays, now }: BackupOptions): Promise<Manifest> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const name = nameOf(now.toISOString())
  if (backupNames(folder).includes(name)) throw new StateProblem(`There is a backup ${name} already.`)
  const catalogue = new Catalogue(folder)
  const vault = new Vault(folder)
  const snapshot = join(folder, 'snapshot.sqlite')
  try {
    vault.clean()
    if (catalogue.isNew) await learnFromNewest(folder, catalogue)
    const run = new Fetching(catalogue, vault, place.objects)
    await run.look()
    let database: Manifest['database']
    for (let look = 1; ; look++) {
      removeSnapshot(snapshot)
      await place.snapshot(snapshot)
      database = await writeDatabase(folder, name, snapshot, catalogue)
      await run.look()
      if (catalogue.missing().length === 0 || look === LOOKS_MAX) break
    }
    catalogue.dropDeleted()
    const problems = [
      ...run.problems,
      ...catalogue.missing().map(({ key, by }) => `${by} names ${key}, which is not there as it says`),
    ].slice(0, PROBLEMS_MAX)
    await vault.settle()
    const manifest: Manifest = {
      version: 1,
      at: now.toISOString(),
      place: place.name,
      database,
      objects: await writeObjects(folder, name, catalogue),
      fetched: { count: run.count, bytes: run.bytes },
      problems,
    }
    await writeManifest(folder, manifest)
    await prune({ folder, catalogue, vault, keepDays, now })
    return manifest
  } finally {
    removeSnapshot(snapshot)
    catalogue.close()
  }
}

/** One run's fetching of what is not in the vault. */
class Fetching {
  count = 0
  bytes = 0
  readonly problems: string[] = []
  readonly #catalogue: Catalogue
  readonly #vault: Vault
  readonly #store: ObjectStore

  constructor(catalogue: Catalogue, vault: Vault, store: ObjectStore) {
    this.#catalogue = catalogue
    this.#vault = vault
    this.#store = store
  }

  /** Goes through everything that is stored. */
  async look(): Promise<void> {
    this.#catalogue.beginLook()
    this.problems.length = 0
    await inParallel(this.#store.list(), AT_ONCE, async (listed) => {
      if (NOT_KEPT.test(listed.key)) return
      const kept = this.#catalogue.find(listed)
      if (kept && this.#vault.has(kept.sha256, kept.size)) this.#catalogue.list(kept)
      else await this.#fetch(listed)
    })
  }

  async #fetch({ key }: ListedObject): Promise<void> {
    try {
      const object = await this.#store.get(key)
      // Deleted since it was listed.
      if (!object) return
      const { etag, size, metadata } = object
      const sums = await this.#vault.write(object.body, (found) => checkSums({ etag, size }, found))
      const kept = { key, etag, metadata, ...sums }
      this.#catalogue.keep(kept)
      this.#catalogue.list(kept)
      this.count++
      this.bytes += size
    } catch (error) {
      this.problems.push(`${key} could not be fetched: ${String(error)}`)
      if (this.problems.length > FAILURES_MAX) {
        throw new StateProblem(
          `Too many objects could not be fetched, no backup was made. The last: ${String(error)}`,
        )
      }
    }
  }
}

/** An etag of 32 hex digits is the MD5 of the bytes; that of an object made of parts says nothing about them. */
function checkSums({ etag, size }: { etag: string; size: number }, found: Sums): void {
  if (found.size !== size) throw new Error(`${found.size} bytes came of ${size}`)
  if (/^[\da-f]{32}$/u.test(etag) && found.md5 !== etag)
    throw new Error('the bytes that came are not those of its etag')
}

/** From the newest list that can be read. */
async function learnFromNewest(folder: string, catalogue: Catalogue): Promise<void> {
  for (const name of backupNames(folder).toReversed()) {
    try {
      for await (const object of objectsOf(folder, readManifest(folder, name))) catalogue.keep(object)
      return
    } catch (error) {
      console.error(`The list of ${name} cannot be read: ${String(error)}`)
    }
  }
}

async function writeDatabase(
  folder: string,
  name: string,
  snapshot: string,
  catalogue: Catalogue,
): Promise<Manifest['database']> {
  const db = new DatabaseSync(snapshot)
  try {
    catalogue.want(wantedObjects(db))
    const dump = await writeLines(folder, `database/${name}.sql.gz`, lines(dumpStatements(db), ';\n'))
    return { ...dump, tables: sumTables(db) }
  } finally {
    db.close()
  }
}

async function writeObjects(
  folder: string,
  name: string,
  catalogue: Catalogue,
): Promise<Manifest['objects']> {
  const total = { count: 0, bytes: 0 }
  function* objectLines() {
    for (const object of catalogue.listed()) {
      total.count++
      total.bytes += object.size
      yield `${JSON.stringify(object)}\n`
    }
  }
  const list = await writeLines(folder, `backups/${name}.objects.gz`, objectLines())
  return { ...list, ...total }
}

function* lines(texts: Iterable<string>, end: string): Generator<string> {
  for (const text of texts) yield `${text}${end}`
}

function removeSnapshot(file: string): void {
  for (const ending of ['', '-journal', '-wal', '-shm', '.sql']) rmSync(`${file}${ending}`, { force: true })
}

import { join } from 'node:path'
import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { StateProblem } from '../local-state.ts'
import type { ListedObject, ObjectMetadata } from './place.ts'

/** An object that lies in the vault: what it was called, and what its bytes are. */
export type KeptObject = ListedObject & { sha256: string; md5: string; metadata: ObjectMetadata }

/** An object that a row of the database names. Size null: the row does not say. */
export type WantedObject = { key: string; size: number | null; by: string }

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS kept (key TEXT, etag TEXT, size INTEGER, sha256 TEXT, md5 TEXT, metadata TEXT,
    PRIMARY KEY (key, etag)) WITHOUT ROWID;
  CREATE TEMP TABLE listed (key TEXT PRIMARY KEY, etag TEXT, look INTEGER) WITHOUT ROWID;
  CREATE TEMP TABLE wanted (key TEXT PRIMARY KEY, size INTEGER, by TEXT) WITHOUT ROWID;
  CREATE TEMP TABLE named (sha256 TEXT PRIMARY KEY) WITHOUT ROWID;`
const KEPT = 'SELECT kept.* FROM listed JOIN kept USING (key, etag)'

/**
 * What lies in the vault under which key, in `catalogue.sqlite`: so that nothing is fetched twice, also by a run that goes on
 * with a broken one, and no list of all objects is ever held in memory. It can be made anew from the newest backup, and
 * is where it was lost. While it is open no other run opens it.
 */
export class Catalogue {
  readonly isNew: boolean
  readonly #db: DatabaseSync
  #look = 0

  /** Throws a StateProblem while another run has it. */
  constructor(folder: string) {
    const file = join(folder, 'catalogue.sqlite')
    let db = openAlone(file)
    if (!db) {
      // A power cut may leave it broken, since it is not flushed: it holds nothing that is not known from elsewhere.
      for (const ending of ['', '-journal']) rmSync(`${file}${ending}`, { force: true })
      db = openAlone(file)
    }
    if (!db) throw new StateProblem(`${file} cannot be written.`)
    this.#db = db
    this.isNew = Number(this.#db.prepare('SELECT count(*) AS n FROM kept').get()?.['n']) === 0
  }

  /** A new look at what is stored begins. */
  beginLook(): void {
    this.#look++
  }

  find({ key, etag, size }: ListedObject): KeptObject | undefined {
    const row = this.#db
      .prepare('SELECT * FROM kept WHERE key = ? AND etag = ? AND size = ?')
      .get(key, etag, size)
    return row && readKept(row)
  }

  keep({ key, etag, size, sha256, md5, metadata }: KeptObject): void {
    this.#db
      .prepare('INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?, ?, ?)')
      .run(key, etag, size, sha256, md5, JSON.stringify(metadata))
  }

  /** Belongs to the backup that is being made. */
  list({ key, etag }: ListedObject): void {
    this.#db.prepare('INSERT OR REPLACE INTO listed VALUES (?, ?, ?)').run(key, etag, this.#look)
  }

  want(objects: Iterable<WantedObject>): void {
    this.#db.exec('DELETE FROM wanted')
    const insert = this.#db.prepare('INSERT OR REPLACE INTO wanted VALUES (?, ?, ?)')
    for (const { key, size, by } of objects) insert.run(key, size, by)
  }

  /** What rows name and is not here, or not of the size that they say: the first thousand. */
  missing(): WantedObject[] {
    return this.#db
      .prepare(
        `SELECT wanted.* FROM wanted LEFT JOIN (${KEPT}) found USING (key)
         WHERE found.key IS NULL OR found.size <> coalesce(wanted.size, found.size) ORDER BY key LIMIT 1000`,
      )
      .all() as WantedObject[]
  }

  /** Leaves out what was deleted while the backup was made, unless a row of its database names it. */
  dropDeleted(): void {
    this.#db
      .prepare('DELETE FROM listed WHERE look < ? AND key NOT IN (SELECT key FROM wanted)')
      .run(this.#look)
  }

  /** The objects of this backup, by key. */
  *listed(): Generator<KeptObject> {
    for (const row of this.#db.prepare(`${KEPT} ORDER BY kept.key`).iterate()) yield readKept(row)
  }

  /** Notes that a backup which stays needs these bytes. */
  name(sha256: string): void {
    this.#db.prepare('INSERT OR IGNORE INTO named VALUES (?)').run(sha256)
  }

  isNamed(sha256: string): boolean {
    return this.#db.prepare('SELECT 1 FROM named WHERE sha256 = ?').get(sha256) !== undefined
  }

  /** What no backup needs is forgotten. */
  forgetUnnamed(): void {
    this.#db.exec('DELETE FROM kept WHERE sha256 NOT IN (SELECT sha256 FROM named)')
  }

  /** Bytes that turned out damaged are fetched anew by the next backup. */
  forget(sha256: string): void {
    this.#db.prepare('DELETE FROM kept WHERE sha256 = ?').run(sha256)
  }

  close(): void {
    this.#db.close()
  }
}

/** Null: it is broken. Throws a StateProblem while another run has it. */
function openAlone(file: string): DatabaseSync | null {
  const db = new DatabaseSync(file)
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF; BEGIN EXCLUSIVE; COMMIT')
    if (db.prepare('PRAGMA quick_check').get()?.['quick_check'] !== 'ok') throw new Error('broken')
    db.exec(SCHEMA)
    return db
  } catch (error) {
    db.close()
    if (String(error).includes('locked')) throw new StateProblem('Another run is at work in this folder.')
    return null
  }
}

function readKept(row: Record<string, unknown>): KeptObject {
  return { ...(row as KeptObject), metadata: JSON.parse(String(row['metadata'])) as ObjectMetadata }
}

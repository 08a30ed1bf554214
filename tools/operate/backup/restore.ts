import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { MINUTE_MS } from '#shared/limits.ts'
import { inBatches } from './bucket.ts'
import { loadDump, queryDatabase, quoteName, TABLES } from './database.ts'
import { listBackups, objectFile, readManifest, verifyFiles, withLock, type Manifest } from './folder.ts'
import type { Place } from './place.ts'
import { OperatorError } from '../local/command.ts'

/** `at` names a backup (default: the newest). `mayReplace` allows the restore to replace existing data. */
type RestoreOptions = { at?: string | undefined; mayReplace: boolean; now: Date }

/**
 * Restores a backup: checks all its files, replaces the database in one transaction, and uploads the objects that the bucket
 * lacks. It deletes no object. After an interruption, run it again with `mayReplace`. Throws an OperatorError.
 */
export function restore(folder: string, place: Place, options: RestoreOptions): Promise<Manifest> {
  const names = listBackups(folder)
  const name = names.findLast((one) => options.at === undefined || options.at === one)
  if (name === undefined)
    throw new OperatorError(['There is no such backup. Available backups:', ...names].join('\n'))
  return withLock(folder, async () => {
    const manifest = readManifest(folder, name)
    await verifyFiles(folder, name, manifest)
    const sql = readFileSync(join(folder, `${name}.sql`), 'utf8')
    const guests = guestTokens(loadDump(sql), options.now)
    const existing = new Map((await place.bucket.list()).map((object) => [object.key, object]))
    const tables = (queryDatabase(place, [TABLES])[0] ?? []).map((row) => ({
      name: String(row['name']),
      parents: Array.from(
        String(row['sql']).matchAll(/REFERENCES\s+[`"]?(\w+)/giu),
        ([, parent = '']) => parent,
      ),
    }))
    if (!options.mayReplace) refuseUnlessEmpty(place, tables, existing.size)
    replaceDatabase(place, tables, sql, options.now)
    if (guests.length > 0) {
      const file = join(place.scratch, 'kv.json')
      writeFileSync(file, JSON.stringify(guests), { mode: 0o600 })
      place.wrangler(['kv', 'bulk', 'put', file, '--binding', 'KV'])
    }
    const missing = manifest.objects.filter(({ key, etag, size }) => {
      const object = existing.get(key)
      return object?.etag !== etag || object.size !== size
    })
    await inBatches(missing, ({ key, sha256, headers }) =>
      place.bucket.put(key, objectFile(folder, sha256), sha256, headers),
    )
    return manifest
  })
}

/** A table and those that its foreign keys refer to. */
type Table = { name: string; parents: string[] }

/** The names of the tables, each before those that it refers to. */
function childrenFirst(tables: Table[]): string[] {
  const isReferredTo = ({ name }: Table) =>
    tables.some((other) => other.name !== name && other.parents.includes(name))
  const free = tables.filter((table) => !isReferredTo(table))
  if (free.length === 0) return tables.map(({ name }) => name)
  return [...free.map(({ name }) => name), ...childrenFirst(tables.filter((table) => !free.includes(table)))]
}

function refuseUnlessEmpty(place: Place, tables: Table[], objects: number): void {
  const query = 'SELECT count(*) AS n FROM users'
  const accounts = tables.some(({ name }) => name === 'users')
    ? Number(queryDatabase(place, [query])[0]?.[0]?.['n'])
    : 0
  if (accounts + objects === 0) return
  throw new OperatorError(
    `There are ${accounts} accounts and ${objects} objects already. With --yes the restore replaces the database and overwrites objects with the same key; it deletes no object.`,
  )
}

/**
 * Sessions are in KV and survive a restore: one that ended after the backup would be valid again. So every account gets a
 * session epoch that no session has, and everyone must sign in again.
 */
function replaceDatabase(place: Place, tables: Table[], sql: string, now: Date): void {
  const epoch = Math.floor(now.getTime() / 1000)
  const [triggers = []] = queryDatabase(place, ["SELECT name FROM sqlite_schema WHERE type = 'trigger'"])
  const statements = [
    'PRAGMA defer_foreign_keys=TRUE;',
    ...triggers.map(({ name }) => `DROP TRIGGER ${quoteName(String(name))};`),
    // Dropping a table deletes its rows, and those that refer to them, which must not refer to a table that is gone.
    ...childrenFirst(tables).map((name) => `DROP TABLE ${quoteName(name)};`),
    sql,
    `UPDATE users SET session_epoch = max(session_epoch + 1, ${epoch});`,
  ]
  const file = join(place.scratch, 'restore.sql')
  writeFileSync(file, statements.join('\n'), { mode: 0o600 })
  // D1 executes a file in one transaction.
  place.wrangler(['d1', 'execute', 'DB', '--yes', '--file', file])
}

/** The KV entries that identify invited relatives, who otherwise could not prove which contributions are theirs. */
function guestTokens(db: DatabaseSync, now: Date) {
  const query = 'SELECT * FROM contributors WHERE token_hash NOT NULL AND expires_at > ?'
  const rows = db.prepare(query).all(now.getTime() + MINUTE_MS)
  db.close()
  return rows.map((row) => ({
    key: `contributor:${String(row['token_hash'])}`,
    value: String(row['id']),
    expiration: Math.floor(Number(row['expires_at']) / 1000),
  }))
}

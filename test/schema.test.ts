import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { is, SQL } from 'drizzle-orm'
import { getTableConfig, SQLiteSyncDialect, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')

/** Everything that the `*.table.ts` files export. */
async function exportsOfTableFiles(): Promise<[name: string, value: unknown][]> {
  const modules = globSync('src/worker/**/*.table.ts', { cwd: ROOT }).map(
    async (file) => (await import(resolve(ROOT, file))) as Record<string, unknown>,
  )
  return (await Promise.all(modules)).flatMap((module) => Object.entries(module))
}

/** An empty database after the migrations; `before` runs before the first whose name begins with `number`. */
function migratedDatabase(number?: string, before: (db: DatabaseSync) => void = () => {}): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  const files = globSync('migrations/*.sql', { cwd: ROOT }).toSorted()
  for (const file of files) {
    if (number && file.startsWith(`migrations/${number}`)) before(db)
    db.exec(readFileSync(resolve(ROOT, file), 'utf8'))
  }
  return db
}

/** A table of the database, in the shape of {@link tableInCode}. */
function tableInDatabase(db: DatabaseSync, table: string) {
  const rowsOf = <T>(query: string) => db.prepare(query).all(table) as T[]
  type Column = { name: string; type: string; notnull: number; dflt_value: string | null; pk: number }
  const columns = rowsOf<Column>('SELECT * FROM pragma_table_info(?)')
  const foreignKeys = rowsOf<Record<string, string>>(
    'SELECT "from", "table", "to", lower(on_update) AS onUpdate, lower(on_delete) AS onDelete FROM pragma_foreign_key_list(?)',
  )
  const definitions = rowsOf<{ type: string; name: string; sql: string }>(
    "SELECT type, name, sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL AND type <> 'trigger'",
  )
  const indexes = definitions.filter(({ type }) => type === 'index')
  const whole = definitions.find(({ type }) => type === 'table')?.sql ?? ''
  return {
    columns: byName(
      columns.map(({ name, type, notnull, dflt_value }) => ({
        name,
        type: type.toLowerCase(),
        isNotNull: notnull === 1,
        default: dflt_value,
      })),
    ),
    primaryKey: columns
      .filter(({ pk }) => pk > 0)
      .toSorted((a, b) => a.pk - b.pk)
      .map(({ name }) => name),
    foreignKeys: Object.fromEntries(foreignKeys.map((key) => [key['from'], { ...key }])),
    indexes: byName(indexes.map(({ name, sql }) => ({ name, sql: plain(sql, table) }))),
    checks: byName(
      Array.from(whole.matchAll(/CONSTRAINT "(\w+)" CHECK\((.*)\)/gu), ([, name = '', condition = '']) => ({
        name,
        sql: plain(condition, table),
      })),
    ),
  }
}

/** A table as the code defines it. SQL of indexes and checks comes without quotes and table name. */
function tableInCode(table: SQLiteTable) {
  const { name, columns, primaryKeys, foreignKeys, indexes, checks } = getTableConfig(table)
  const keyColumns = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary)
  return {
    columns: byName(
      columns.map((column) => ({
        name: column.name,
        type: column.getSQLType(),
        isNotNull: column.notNull,
        default: defaultIn(column.default),
      })),
    ),
    primaryKey: keyColumns.map((column) => column.name),
    foreignKeys: Object.fromEntries(
      foreignKeys.map((key) => {
        const { columns: own, foreignTable, foreignColumns } = key.reference()
        const [from, to] = [own, foreignColumns].map((list) => list.map((column) => column.name).join())
        const { onUpdate = 'no action', onDelete = 'no action' } = key
        return [from, { from, table: getTableConfig(foreignTable).name, to, onUpdate, onDelete }]
      }),
    ),
    indexes: byName(
      indexes.map(({ config: index }) => {
        const parts = index.columns.map((part) => (is(part, SQL) ? sqlOf(part) : part.name))
        const where = index.where ? ` WHERE ${sqlOf(index.where)}` : ''
        const sql = `CREATE ${index.unique ? 'UNIQUE ' : ''}INDEX ${index.name} ON ${name} (${parts.join()})${where}`
        return { name: index.name, sql: plain(sql, name) }
      }),
    ),
    checks: byName(checks.map((check) => ({ name: check.name, sql: plain(sqlOf(check.value), name) }))),
  }
}

function byName<T extends { name: string }>(list: T[]): Record<string, T> {
  return Object.fromEntries(list.map((one) => [one.name, one]))
}

/** A default as SQLite writes it: text in single quotes. */
function defaultIn(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value).replaceAll('"', "'")
}

function sqlOf(expression: SQL): string {
  return new SQLiteSyncDialect().sqlToQuery(expression.inlineParams()).sql
}

function plain(sql: string, table: string): string {
  return sql.replaceAll(/[`"]/gu, '').replaceAll(`${table}.`, '').replaceAll(/\s+/gu, ' ')
}

test('the migrations create exactly the tables that the code defines', async () => {
  const tables = (await exportsOfTableFiles())
    .map(([, value]) => value)
    .filter((value) => is(value, SQLiteTable))
  const inCode = Object.fromEntries(tables.map((table) => [getTableConfig(table).name, tableInCode(table)]))
  const db = migratedDatabase()
  const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[]
  expect(Object.fromEntries(names.map(({ name }) => [name, tableInDatabase(db, name)]))).toEqual(inCode)
})

test('the migrations create exactly the triggers that the table files name', async () => {
  const named = (await exportsOfTableFiles())
    .filter(([name]) => name.endsWith('_TRIGGERS'))
    .flatMap(([, value]) => value as string[])
  const rows = migratedDatabase().prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all()
  expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(named))
  expect(named).not.toEqual([])
})

test('verification mails that waited before registrations existed keep a link', () => {
  const db = migratedDatabase('0017', (old) => {
    const user = old.prepare(
      `INSERT INTO users (id, email, first_name, last_name, password_hash, terms_accepted_at, terms_version, created_at, updated_at, email_verified_at)
       VALUES (?, ?, 'Rudo', 'Moyo', 'x', 1, '1', 1, 1, ?)`,
    )
    user.run('usr_waiting', 'waiting@family.test', null)
    user.run('usr_verified', 'verified@family.test', 1)
    const mail = old.prepare(
      "INSERT INTO mails (id, kind, recipient, subject_id, status, created_at) VALUES (?, ?, 'x', ?, ?, ?)",
    )
    for (let at = 1; at <= 7; at++) mail.run(`mail_${at}`, 'verify', 'usr_waiting', 'QUEUED', at)
    mail.run('mail_sent', 'verify', 'usr_waiting', 'SENT', 8)
    mail.run('mail_reset', 'reset', 'usr_waiting', 'QUEUED', 9)
    mail.run('mail_verified', 'verify', 'usr_verified', 'QUEUED', 10)
  })
  const rows = db.prepare('SELECT * FROM registrations ORDER BY created_at').all()
  expect(rows.map((row) => [row['mail_id'], row['user_id'], row['cookie_hash']])).toEqual(
    [3, 4, 5, 6, 7].map((at) => [`mail_${at}`, 'usr_waiting', null]),
  )
  expect(new Set(rows.map((row) => row['token_hash'])).size).toBe(5)
  expect(rows[0]).toMatchObject({ first_name: 'Rudo', password_hash: null, expires_at: 86_400_003 })
})

test('a service from before keeps everything and gets the kind that its title names', () => {
  const ahead = Date.now()
  const db = migratedDatabase('0030', (old) => {
    old.exec(`INSERT INTO users (id, email, first_name, last_name, password_hash, terms_accepted_at, created_at, updated_at)
        VALUES ('usr_a', 'a@family.test', 'Rudo', 'Moyo', 'none', 1, 1, 1);
      INSERT INTO memorials (id, owner_id, slug, honouree_full_name, created_at, updated_at)
        VALUES ('mem_a', 'usr_a', 'tendai-a', 'Tendai Moyo', 1, 1)`)
    const service = old.prepare(`INSERT INTO funeral_events
      (id, memorial_id, position, title, date_time, time_zone, venue_name, notes, created_at, updated_at)
      VALUES (?, 'mem_a', ?, ?, ?, 'Africa/Harare', 'St Mary’s', 'Bring a chair', 5, 6)`)
    const titles = ['Church service', ' burial', 'Kurova guva', null]
    for (const [index, title] of titles.entries())
      service.run(`fun_${index + 1}`, index + 1, title, index === 1 ? ahead : 7)
  })
  const rows = db.prepare('SELECT * FROM funeral_events ORDER BY position').all()
  expect(
    rows.map(({ id, position, kind, title, turns_at }) => [id, position, kind, title, turns_at]),
  ).toEqual([
    ['fun_1', 1, 'CHURCH', 'Church service', null],
    ['fun_2', 2, 'BURIAL', ' burial', 0],
    ['fun_3', 3, 'OTHER', 'Kurova guva', null],
    ['fun_4', 4, 'OTHER', null, null],
  ])
  const kept = { venue_name: 'St Mary’s', notes: 'Bring a chair', date_time: 7, created_at: 5, updated_at: 6 }
  expect(rows[0]).toMatchObject({
    ...kept,
    sequence: 0,
    audience: 'EVERYBODY',
    contact_for: 'FAMILY',
    ends_at: null,
  })
})

test('no key is a number that one database counts', () => {
  const db = migratedDatabase()
  const columns = db
    .prepare(
      `SELECT m.name AS "table", c.name AS "column", c.type FROM sqlite_schema m JOIN pragma_table_info(m.name) c
       WHERE m.type = 'table' AND c.pk > 0 AND upper(c.type) <> 'TEXT'`,
    )
    .all()
  expect(columns).toEqual([])
  expect(db.prepare("SELECT name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%'").all()).toEqual([])
})

test('of the snapshots of the schema, only the newest stays', () => {
  const files = globSync('migrations/*.sql', { cwd: ROOT }).toSorted()
  const newest = files.at(-1)?.slice('migrations/'.length).split('_')[0]
  const snapshots = globSync('migrations/meta/*_snapshot.json', { cwd: ROOT })
  expect(snapshots).toEqual([`migrations/meta/${newest}_snapshot.json`])
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, DatabaseSync } from 'node:sqlite'
import { rowsOf } from '../cloud/remote-database.ts'
import type { Place } from './place.ts'
import { OperatorError } from '../local/command.ts'

/** Lists the product's tables, without those of SQLite and D1. */
export const TABLES = String.raw`SELECT name, sql FROM sqlite_schema WHERE type = 'table'
  AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE '\_cf\_%' ESCAPE '\' ORDER BY rowid`
/** D1 accepts statements of up to 100,000 bytes, and a life story can be longer. Longer texts than this are split. */
const LONG_TEXT_CHARS = 5000
/** Code points: at most 80,000 bytes. */
const CHUNKS = /[^]{1,20000}/gu

/** The SQLite actions that a dump needs: create tables, indexes and triggers, and fill the tables. */
const DUMP_ACTION =
  /^SQLITE_(?:CREATE_(?:TABLE|INDEX|TRIGGER)|INSERT|UPDATE|DELETE|READ|SELECT|FUNCTION|REINDEX)$/u
const DUMP_ACTIONS = new Set(
  Object.entries(constants).flatMap(([name, code]) => (DUMP_ACTION.test(name) ? code : [])),
)

/** Runs queries as one batch. Returns the rows of each query. */
export function queryDatabase({ wrangler }: Place, queries: string[]): Record<string, unknown>[][] {
  const args = ['d1', 'execute', 'DB', '--yes', '--json', '--command', queries.join(';\n')]
  return rowsOf(args, wrangler(args))
}

/** Exports the database of a place into memory. Throws an OperatorError when it has no tables yet. */
export function exportDatabase(place: Place): DatabaseSync {
  const output = join(place.scratch, 'export.sql')
  place.wrangler(['d1', 'export', 'DB', '--skip-confirmation', '--output', output])
  const db = loadDump(readFileSync(output, 'utf8'))
  if (tablesOf(db).length === 0) throw new OperatorError('The database has no tables yet.')
  repairLineBreaks(db, place)
  return db
}

/**
 * Loads a dump into memory. Anyone who can write to a backup folder can forge a dump with a matching checksum, so SQLite
 * refuses statements that do more than create and fill tables, such as ATTACH and VACUUM INTO. Throws an OperatorError.
 */
export function loadDump(sql: string): DatabaseSync {
  const db = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
  try {
    db.exec('BEGIN')
    db.setAuthorizer((action, name) => {
      const isAllowed =
        DUMP_ACTIONS.has(action) || (action === constants.SQLITE_PRAGMA && name === 'defer_foreign_keys')
      return isAllowed ? constants.SQLITE_OK : constants.SQLITE_DENY
    })
    db.exec(sql)
    db.setAuthorizer(null)
    db.exec('COMMIT')
    return db
  } catch (error) {
    db.close()
    throw new OperatorError(`Could not load the database dump, nothing was changed: ${String(error)}`)
  }
}

/** Writes a database as SQL that D1 accepts. Triggers come last, so that they do not fire on the rows. */
export function* dumpStatements(db: DatabaseSync): Generator<string> {
  const tables = tablesOf(db)
  yield 'PRAGMA defer_foreign_keys=TRUE'
  for (const { sql } of tables) yield sql
  for (const table of tables) {
    const rows = db.prepare(`SELECT ${table.literals} FROM ${table.name}`).iterate()
    for (const row of rows as Iterable<Literals>) yield* insertStatements(table, row)
  }
  const rest = "SELECT sql FROM sqlite_schema WHERE type <> 'table' AND sql NOT NULL ORDER BY type"
  for (const { sql } of db.prepare(rest).all()) yield String(sql)
}

/** One INSERT. It inserts a long text as an empty string; UPDATE statements then append the text in chunks. */
function* insertStatements({ name, keys }: Table, row: Literals): Generator<string> {
  const isLong = (literal: string) => literal.startsWith("'") && literal.length > LONG_TEXT_CHARS
  const literals = Object.values(row).map((literal) => (isLong(literal) ? "''" : literal))
  yield `INSERT INTO ${name} (${Object.keys(row).map(quoteName).join(', ')}) VALUES (${literals.join(', ')})`
  for (const [column, literal] of Object.entries(row).filter(([, value]) => isLong(value))) {
    const quoted = quoteName(column)
    for (const chunk of literal.slice(1, -1).replaceAll("''", "'").match(CHUNKS) ?? [])
      yield `UPDATE ${name} SET ${quoted} = ${quoted} || '${chunk.replaceAll("'", "''")}' WHERE ${matches(keys, row)}`
  }
}

/**
 * Reads rows again whose texts D1's export corrupts: it writes a line break as `\n`, so a `\n` that a user typed in the same
 * text becomes a line break too (`dumpSql` in wrangler 4.124, which follows D1).
 */
function repairLineBreaks(db: DatabaseSync, place: Place): void {
  const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all()
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${quoteName(String(name))}`)
  const tables = tablesOf(db)
  const queries = tables.map(({ name, literals, columns }) => {
    const isChanged = columns.map(
      (column) =>
        String.raw`instr(${column}, '\n') AND instr(${column}, char(10)) OR instr(${column}, '\r') AND instr(${column}, char(13))`,
    )
    return `SELECT ${literals} FROM ${name} WHERE ${isChanged.join(' OR ')}`
  })
  for (const [at, rows] of queryDatabase(place, queries).entries()) {
    const { name = '', keys = [] } = tables[at] ?? {}
    for (const row of rows as Literals[]) {
      const isExported = `EXISTS (SELECT 1 FROM ${name} WHERE ${matches(keys, row)})`
      db.exec(`REPLACE INTO ${name} SELECT ${Object.values(row).join(', ')} WHERE ${isExported}`)
    }
  }
  for (const { sql } of triggers) db.exec(String(sql))
}

/** A table, with quoted names. `literals` are the columns of a SELECT that returns each value as an SQL literal. */
type Table = { name: string; sql: string; columns: string[]; keys: string[]; literals: string }
type Literals = Record<string, string>

function tablesOf(db: DatabaseSync): Table[] {
  return db
    .prepare(TABLES)
    .all()
    .map((table) => {
      const name = quoteName(String(table['name']))
      const rows = db.prepare(`PRAGMA table_info(${name})`).all()
      const columns = rows.map((row) => quoteName(String(row['name'])))
      const keys = rows.filter(({ pk }) => Number(pk) > 0).map((row) => String(row['name']))
      const literals = columns.map((column) => `quote(${column}) AS ${column}`).join(', ')
      return { name, sql: String(table['sql']), columns, keys, literals }
    })
}

function matches(keys: string[], row: Literals): string {
  return keys.map((key) => `${quoteName(key)} = ${row[key]}`).join(' AND ')
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

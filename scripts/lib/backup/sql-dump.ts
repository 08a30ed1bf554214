import { createHash } from 'node:crypto'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'

/** Longer texts are written in pieces: D1 takes no statement of more than 100,000 bytes. */
const WHOLE_TEXT_MAX = 8000
/** UTF-16 units; each is 3 bytes at most, a quote 2. */
const PIECE_MAX = 20_000

/** Rows of a table, and the SHA-256 of them in the order of their key. */
export type TableSum = { rows: number; sha256: string }

type Row = Record<string, SQLOutputValue>

/** The database as SQL statements, each without its last semicolon: tables and rows, then indexes, then triggers. */
export function* dumpStatements(db: DatabaseSync): Generator<string> {
  yield 'PRAGMA defer_foreign_keys=TRUE'
  const tables = parentsFirst(db)
  for (const { sql } of tables) yield sql
  for (const { name } of tables) {
    const key = keyOf(db, name)
    for (const row of rowsOf(db, name)) yield* insertStatements(name, key, row)
  }
  const rest = db
    .prepare(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND type <> 'table' ORDER BY type, name COLLATE BINARY",
    )
    .all() as { sql: string }[]
  for (const { sql } of rest) yield sql
}

/** Counts and sums up every table of ours. Two databases with the same rows have the same sums. */
export function sumTables(db: DatabaseSync): Record<string, TableSum> {
  return Object.fromEntries(
    tablesOf(db).map(({ name }) => {
      const hash = createHash('sha256')
      let rows = 0
      for (const row of rowsOf(db, name)) {
        hash.update(
          `${JSON.stringify(Object.entries(row).map(([column, value]) => [column, inWords(value)]))}\n`,
        )
        rows++
      }
      return [name, { rows, sha256: hash.digest('hex') }]
    }),
  )
}

/** Our tables, by name: none that SQLite or Cloudflare keeps for itself. */
export function tablesOf(db: DatabaseSync): { name: string; sql: string }[] {
  return db
    .prepare(
      String.raw`SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL
        AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE '\_cf\_%' ESCAPE '\' ORDER BY name COLLATE BINARY`,
    )
    .all() as { name: string; sql: string }[]
}

/** An SQL name in quotes. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A table after those that it refers to. */
function parentsFirst(db: DatabaseSync): { name: string; sql: string }[] {
  const left = tablesOf(db)
  const done = new Set<string>()
  const ordered: { name: string; sql: string }[] = []
  while (left.length > 0) {
    const next = left.findIndex(({ name }) =>
      db
        .prepare(`PRAGMA foreign_key_list(${quoteName(name)})`)
        .all()
        .every(({ table }) => table === name || done.has(String(table))),
    )
    // A circle: their order is all the same, the references are looked at when everything is there.
    const [table] = left.splice(Math.max(next, 0), 1)
    if (!table) break
    ordered.push(table)
    done.add(table.name)
  }
  return ordered
}

function keyOf(db: DatabaseSync, table: string): string[] {
  const columns = db.prepare(`PRAGMA table_info(${quoteName(table)})`).all() as { name: string; pk: number }[]
  return columns
    .filter(({ pk }) => pk > 0)
    .toSorted((a, b) => a.pk - b.pk)
    .map(({ name }) => name)
}

function rowsOf(db: DatabaseSync, table: string): Iterable<Row> {
  const key = keyOf(db, table).map(quoteName)
  const order = key.length > 0 ? key.join(', ') : 'rowid'
  const statement = db.prepare(`SELECT * FROM ${quoteName(table)} ORDER BY ${order}`)
  // Whole numbers come as bigint, so that 1 and 1.0 are told apart and none is rounded.
  statement.setReadBigInts(true)
  return statement.iterate() as Iterable<Row>
}

function* insertStatements(table: string, key: string[], row: Row): Generator<string> {
  const isLong = (value: SQLOutputValue) => typeof value === 'string' && value.length > WHOLE_TEXT_MAX
  const names = Object.keys(row).map(quoteName).join(', ')
  const values = Object.values(row).map((value) => (isLong(value) ? "''" : literal(value)))
  yield `INSERT INTO ${quoteName(table)} (${names}) VALUES (${values.join(', ')})`
  const where = key.map((name) => `${quoteName(name)} = ${literal(row[name] ?? null)}`).join(' AND ')
  for (const [name, value] of Object.entries(row)) {
    if (!isLong(value)) continue
    if (key.length === 0) throw new Error(`${table}: a long text needs a table with a primary key`)
    for (const piece of piecesOf(String(value))) {
      const column = quoteName(name)
      yield `UPDATE ${quoteName(table)} SET ${column} = ${column} || ${literal(piece)} WHERE ${where}`
    }
  }
}

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + PIECE_MAX)
    const isInsidePair = end < text.length && /[\uD800-\uDBFF]/u.test(text.charAt(end - 1))
    if (isInsidePair) end--
    yield text.slice(at, end)
    at = end
  }
}

function literal(value: SQLOutputValue): string {
  if (value === null) return 'NULL'
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return realLiteral(value)
  if (typeof value === 'string') {
    // NUL would end the statement.
    return value.includes('\0')
      ? `CAST(X'${Buffer.from(value).toString('hex')}' AS TEXT)`
      : `'${value.replaceAll("'", "''")}'`
  }
  return `X'${Buffer.from(value).toString('hex')}'`
}

function realLiteral(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '9e999' : '-9e999'
  const text = String(value)
  return /[.e]/u.test(text) ? text : `${text}.0`
}

function inWords(value: SQLOutputValue): string | null {
  if (value === null) return null
  if (typeof value === 'bigint') return `i${value}`
  if (typeof value === 'number') return `r${realLiteral(value)}`
  return typeof value === 'string' ? `t${value}` : `b${Buffer.from(value).toString('hex')}`
}

import { DatabaseSync } from 'node:sqlite'
import { quoteName, tablesOf } from './sql-dump.ts'
import type { Wrangler } from './wrangler.ts'

/** What stands for a line break in an export, and the line break. */
const BREAKS = [
  [String.raw`\n`, '\n'],
  [String.raw`\r`, '\r'],
] as const
const HAS_BOTH = (column: string) =>
  BREAKS.map(
    ([written, real]) => `(instr(${column}, '${written}') AND instr(${column}, char(${real.charCodeAt(0)})))`,
  ).join(' OR ')

/**
 * D1's export writes a line break as \\n and says that every \\n is one: a text that holds a line break and also a backslash with
 * an n comes out changed. Such texts are asked for one by one and set right. One that was changed since stays as it is.
 * Seen in wrangler 4.124 (`dumpSql`), which says that it follows what Cloudflare runs.
 */
export function repairTexts(file: string, ask: Wrangler['rows']): void {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  try {
    const columns = tablesOf(db).flatMap(({ name: table }) => textColumns(db, table))
    if (columns.length === 0) return
    const answers = ask(
      columns.map(({ table, key, column }) => {
        const wanted = [...key, column].map(quoteName).join(', ')
        return `SELECT ${wanted} FROM ${quoteName(table)} WHERE ${HAS_BOTH(quoteName(column))}`
      }),
    )
    for (const [at, rows] of answers.entries()) {
      const place = columns[at]
      if (!place) continue
      const { table, key, column } = place
      const where = [...key, column].map((name) => `${quoteName(name)} = ?`).join(' AND ')
      const update = db.prepare(`UPDATE ${quoteName(table)} SET ${quoteName(column)} = ? WHERE ${where}`)
      for (const row of rows) {
        const text = String(row[column])
        update.run(text, ...key.map((name) => String(row[name])), exported(text))
      }
    }
  } finally {
    db.close()
  }
}

/** A text as an export gives it back. */
function exported(text: string): string {
  return BREAKS.reduce(
    (last, [written, real]) => (text.includes(real) ? last.replaceAll(written, real) : last),
    text,
  )
}

type Place = { table: string; key: string[]; column: string }

/** Columns whose texts people write: none of those that are part of a key. */
function textColumns(db: DatabaseSync, table: string): Place[] {
  const columns = db.prepare(`PRAGMA table_info(${quoteName(table)})`).all() as {
    name: string
    type: string
    pk: number
  }[]
  const key = columns.filter(({ pk }) => pk > 0).map(({ name }) => name)
  return columns
    .filter(({ type, pk }) => pk === 0 && type.toLowerCase() === 'text' && key.length > 0)
    .map(({ name }) => ({ table, key, column: name }))
}

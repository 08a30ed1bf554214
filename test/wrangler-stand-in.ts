import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { rowsBy, type Wrangler } from '../scripts/lib/backup/wrangler.ts'

/** wrangler as a deployed database in an SQLite file answers it. `kv`: what was put there, by key. */
export function wranglerOn(file: string, kv: Map<string, string> = new Map()): Wrangler {
  const after = (words: string[], name: string) => words[words.indexOf(name) + 1] ?? ''
  const run = (words: string[]): string => {
    const [tool, verb] = words
    if (tool === 'kv') {
      const entries = JSON.parse(readFileSync(words[3] ?? '', 'utf8')) as { key: string; value: string }[]
      for (const { key, value } of entries) kv.set(key, value)
      return ''
    }
    const db = new DatabaseSync(file)
    try {
      if (verb === 'export') {
        writeFileSync(after(words, '--output'), [...exportOf(db)].join('\n'))
        return ''
      }
      if (words.includes('--file')) {
        db.exec(`BEGIN;\n${readFileSync(after(words, '--file'), 'utf8')}\nCOMMIT`)
        return ''
      }
      const statements = after(words, '--command').split(';\n')
      return JSON.stringify(statements.map((statement) => ({ results: db.prepare(statement).all() })))
    } finally {
      db.close()
    }
  }
  return { run, rows: rowsBy(run) }
}

/** What `wrangler d1 export` writes, as it does (`dumpSql` of wrangler 4.124): tables with their rows, then the rest. */
function* exportOf(db: DatabaseSync): Generator<string> {
  yield 'PRAGMA defer_foreign_keys=TRUE;'
  const schema = db
    .prepare('SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid')
    .all()
  for (const { type, name, sql } of schema) {
    if (type !== 'table' || String(name).startsWith('sqlite_')) continue
    yield `${String(sql)};`
    const rows = db.prepare(`SELECT * FROM "${String(name)}"`).all()
    for (const row of rows) {
      const names = Object.keys(row).map((column) => `"${column}"`)
      yield `INSERT INTO "${String(name)}" (${names.join(',')}) VALUES(${Object.values(row).map(cell).join(',')});`
    }
  }
  for (const { type, sql } of schema) if (type !== 'table') yield `${String(sql)};`
}

function cell(value: SQLOutputValue): string {
  if (typeof value !== 'string') return value === null ? 'NULL' : String(value)
  let text = `'${value.replaceAll("'", "''").replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`
  if (value.includes('\r')) text = `replace(${text},'\\r',char(13))`
  return value.includes('\n') ? `replace(${text},'\\n',char(10))` : text
}

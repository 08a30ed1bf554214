import { createReadStream, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StateProblem } from '../local-state.ts'
import { repairTexts } from './export-repair.ts'
import type { Place, Writable } from './place.ts'
import { s3Objects, type Bucket } from './s3-objects.ts'
import { quoteName } from './sql-dump.ts'
import { splitStatements } from './sql-statements.ts'
import { isFilledByItself } from './table-names.ts'
import type { Wrangler } from './wrangler.ts'

/** All that is ours in a database: none of what SQLite or Cloudflare keeps for itself. */
const SCHEMA_NAMES = String.raw`SELECT type, name FROM sqlite_master WHERE sql IS NOT NULL
  AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE '\_cf\_%' ESCAPE '\'`

/** What is deployed: D1 and KV through wrangler and its sign-in, R2 by its S3 API. */
export function remotePlace(wrangler: Wrangler, bucket: Bucket): Place {
  const objects = s3Objects(bucket)
  return {
    name: bucket.bucket,
    objects,
    snapshot: async (file) => {
      const dump = `${file}.sql`
      wrangler.run(['d1', 'export', 'DB', '--remote', '--skip-confirmation', '--output', dump])
      await loadExport(file, dump)
      rmSync(dump)
      compareSchema(file, wrangler)
      repairTexts(file, (statements) => wrangler.rows(statements))
    },
    look: async () => {
      let count = 0
      for await (const _ of objects.list()) count++
      return { rows: countRows(wrangler), objects: count }
    },
    open: async (): Promise<Writable> => ({
      load: (statements) => execute(wrangler, statements),
      put: objects.put,
      remember: async (entries) => {
        if (entries.length === 0) return
        const lines = entries.map(({ key, value, expiresAt }) => ({
          key,
          value,
          expiration: Math.floor(expiresAt / 1000),
        }))
        await withFile('kv.json', [JSON.stringify(lines)], (file) =>
          wrangler.run(['kv', 'bulk', 'put', file, '--binding', 'KV', '--remote']),
        )
      },
      close: async () => {},
    }),
  }
}

async function loadExport(file: string, dump: string): Promise<void> {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  try {
    db.exec('PRAGMA synchronous = OFF; BEGIN')
    for await (const statement of splitStatements(createReadStream(dump, 'utf8') as AsyncIterable<string>)) {
      db.exec(statement)
    }
    db.exec('COMMIT')
  } finally {
    db.close()
  }
}

/** An export ends with indexes and triggers: one that was cut off lacks some. */
function compareSchema(file: string, wrangler: Wrangler): void {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const names = new Set(db.prepare(SCHEMA_NAMES).all().map(nameOf))
    const [rows = []] = wrangler.rows([SCHEMA_NAMES])
    const missing = rows.map(nameOf).filter((name) => !names.has(name))
    if (missing.length > 0) throw new StateProblem(`The export of the database lacks ${missing.join(', ')}.`)
  } finally {
    db.close()
  }
}

function nameOf(row: Record<string, unknown>): string {
  return `${String(row['type'])} ${String(row['name'])}`
}

function remoteTables(wrangler: Wrangler): string[] {
  const [rows = []] = wrangler.rows([`${SCHEMA_NAMES} AND type = 'table'`])
  return rows.map(({ name }) => String(name))
}

function countRows(wrangler: Wrangler): number {
  const tables = remoteTables(wrangler).filter((name) => !isFilledByItself(name))
  if (tables.length === 0) return 0
  const counts = wrangler.rows(tables.map((name) => `SELECT count(*) AS n FROM ${quoteName(name)}`))
  return counts.reduce((sum, [row]) => sum + Number(row?.['n'] ?? 0), 0)
}

/** D1 takes a file of statements as a whole or not at all. */
async function execute(wrangler: Wrangler, statements: Iterable<string>): Promise<void> {
  function* all() {
    yield 'PRAGMA defer_foreign_keys=TRUE;\n'
    for (const name of remoteTables(wrangler)) yield `DROP TABLE ${quoteName(name)};\n`
    for (const statement of statements) yield `${statement};\n`
  }
  await withFile('restore.sql', all(), (file) =>
    wrangler.run(['d1', 'execute', 'DB', '--remote', '--yes', '--file', file]),
  )
}

/** A file for wrangler, of which nothing stays: it holds what nobody else may read. */
async function withFile(name: string, pieces: Iterable<string>, use: (file: string) => void): Promise<void> {
  const file = join(tmpdir(), `nhaka-${process.pid}-${name}`)
  const handle = await open(file, 'wx', 0o600)
  try {
    for (const piece of pieces) await handle.write(piece)
    await handle.close()
    use(file)
  } finally {
    await handle.close().catch(() => null)
    rmSync(file, { force: true })
  }
}

import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'

const FOLDER = resolve(import.meta.dirname, '../../../migrations')
/** drizzle-kit writes this between statements. */
const BREAKPOINT = '--> statement-breakpoint'

/**
 * Applies pending migrations, each as one batch, and records them in `d1_migrations` as `wrangler d1 migrations apply` does.
 * Returns their names.
 */
export async function applyMigrations(db: D1Database): Promise<string[]> {
  await db
    .prepare(
      `CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
       applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`,
    )
    .run()
  const { results } = await db.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  const applied = new Set(results.map((row) => row.name))
  const pending = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql') && !applied.has(name))
    .toSorted()
  for (const name of pending) {
    const statements = readFileSync(resolve(FOLDER, name), 'utf8')
      .split(BREAKPOINT)
      .map((statement) => statement.trim())
      .filter(Boolean)
    await db.batch([
      ...statements.map((statement) => db.prepare(statement)),
      db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
    ])
  }
  return pending
}

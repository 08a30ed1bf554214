import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from 'miniflare'
import { unstable_getMiniflareWorkerOptions as getWorkerOptions } from 'wrangler'
import { findDatabaseFile, runningSince, sqliteFiles, StateProblem } from '../local-state.ts'
import { exchange } from './exchange.ts'
import { localObjects } from './local-objects.ts'
import type { NewObject, Place, Writable } from './place.ts'
import { quoteName, tablesOf } from './sql-dump.ts'
import { isFilledByItself } from './table-names.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const LOCK_TIMEOUT_MS = 5000

/** Stands before the local R2 and KV, so that bytes stream into them. Only this process knows its port. */
const WRITER = `export default { async fetch(request, env) {
  const { key, size, sha256, metadata, value, expiration } = JSON.parse(decodeURIComponent(request.headers.get('X-What')))
  if (value !== undefined) {
    await env.KV.put(key, value, { expiration })
    return new Response(null, { status: 204 })
  }
  const { custom, cacheExpiry, ...http } = metadata
  await env.MEDIA.put(key, size === 0 ? '' : request.body, {
    sha256,
    httpMetadata: cacheExpiry === undefined ? http : { ...http, cacheExpiry: new Date(cacheExpiry) },
    customMetadata: custom ?? {},
  })
  return new Response(null, { status: 204 })
} }`

/** The folder that `npm start` keeps its data in, relative to the project. */
export function localPlace(state: string): Place {
  const folder = resolve(ROOT, state)
  return {
    name: 'local',
    objects: localObjects(folder),
    snapshot: async (file) => {
      const db = new DatabaseSync(findDatabaseFile(state), { readOnly: true, timeout: LOCK_TIMEOUT_MS })
      try {
        // One read of one moment, whatever a server writes meanwhile.
        db.prepare('VACUUM INTO ?').run(file)
      } finally {
        db.close()
      }
    },
    look: async () => {
      if (runningSince(folder) !== null) {
        throw new StateProblem(
          `npm start is running on ${folder}. End it first (Ctrl-C), then run this again.`,
        )
      }
      let objects = 0
      for await (const _ of localObjects(folder).list()) objects++
      return { rows: countRows(folder), objects }
    },
    open: () => openFolder(folder),
  }
}

function databaseFile(folder: string): string | undefined {
  return sqliteFiles(folder, '**/miniflare-D1DatabaseObject', 'users')[0]
}

function countRows(folder: string): number {
  const file = databaseFile(folder)
  if (!file) return 0
  const db = new DatabaseSync(file, { readOnly: true, timeout: LOCK_TIMEOUT_MS })
  try {
    return tablesOf(db)
      .filter(({ name }) => !isFilledByItself(name))
      .map(({ name }) => Number(db.prepare(`SELECT count(*) AS n FROM ${quoteName(name)}`).get()?.['n']))
      .reduce((sum, n) => sum + n, 0)
  } finally {
    db.close()
  }
}

async function openFolder(folder: string): Promise<Writable> {
  const worker = resolve(folder, 'worker')
  mkdirSync(worker, { recursive: true })
  const { workerOptions } = getWorkerOptions(resolve(ROOT, 'wrangler.toml'))
  const { d1Databases, r2Buckets, kvNamespaces } = workerOptions as V4WorkerOptions
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      resourcePersistencePath: worker,
      workers: [
        {
          name: 'nhaka',
          modules: true,
          script: WRITER,
          ...(d1Databases && { d1Databases }),
          ...(r2Buckets && { r2Buckets }),
          ...(kvNamespaces && { kvNamespaces }),
        },
      ],
    }),
  )
  const url = await miniflare.ready
  return {
    async load(statements) {
      // Makes the file, should there be none yet.
      const d1 = await miniflare.getD1Database('DB')
      await d1.prepare('CREATE TABLE IF NOT EXISTS users (id TEXT)').run()
      loadInto(databaseFile(folder), statements)
      // Says that the demo was made: npm start would put it among what was restored.
      const seeded = resolve(folder, 'seeded.json')
      if (!existsSync(seeded)) writeFileSync(seeded, JSON.stringify({ publicSlug: '', inviteLink: '' }))
    },
    put: (object) => send(url, object, object.open()),
    async remember(entries) {
      for (const { key, value, expiresAt } of entries) {
        await send(url, { key, value, expiration: Math.floor(expiresAt / 1000) }, null)
      }
    },
    close: () => miniflare.dispose(),
  }
}

function loadInto(file: string | undefined, statements: Iterable<string>): void {
  if (!file || !existsSync(file)) throw new Error('the local database was not made')
  // References are looked at when everything is there.
  const db = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS, enableForeignKeyConstraints: false })
  try {
    db.exec('BEGIN IMMEDIATE')
    for (const { name } of tablesOf(db)) db.exec(`DROP TABLE ${quoteName(name)}`)
    for (const statement of statements) db.exec(statement)
    db.exec('COMMIT')
  } finally {
    db.close()
  }
}

async function send(
  url: URL,
  what: Omit<NewObject, 'open'> | { key: string; value: string; expiration: number },
  body: AsyncIterable<Uint8Array> | null,
): Promise<void> {
  const size = 'size' in what ? what.size : 0
  const head = { 'X-What': encodeURIComponent(JSON.stringify(what)), 'Content-Length': String(size) }
  // A connection each: one that was kept may have been closed while this process was busy.
  const call = request(url, { method: 'PUT', headers: head, agent: false })
  const answer = await exchange(call, body)
  let said = ''
  for await (const chunk of answer.setEncoding('utf8')) said += String(chunk)
  if (answer.statusCode !== 204) {
    throw new StateProblem(`${what.key} could not be written: ${answer.statusCode} ${said.slice(0, 500)}`)
  }
}

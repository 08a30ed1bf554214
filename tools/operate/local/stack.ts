import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'
import {
  convertV4MiniflareOptions,
  Miniflare,
  type RemoteProxyConnectionString,
  type V4WorkerOptions,
} from 'miniflare'
import { unstable_getMiniflareWorkerOptions as getWorkerOptions } from 'wrangler'
import { startSandbox } from '../../../sandbox/server.ts'
import { freePort } from './free-port.ts'
import './tune-miniflare.ts'

type StackOptions = {
  /** Default: a free port. */
  port?: number
  sandboxPort?: number
  /** Folder for all data. */
  state: string
  /** The memorial that the landing page shows as an example; default: none. */
  exampleSlug?: string
  /** URL of R2, if it runs outside the runtime's process. */
  bucketUrl?: string
  /** Source of an entry module that wraps the built one, which it imports as `./index.js`. */
  entry?: string
  /** Workers for other hosts (`routes`) in the same runtime. */
  beside?: V4WorkerOptions[]
}
export type Stack = AsyncDisposable & {
  url: string
  sandboxUrl: string
  miniflare: Miniflare
  db: D1Database
  close: () => Promise<void>
}

type LocalSecrets = {
  pepper: string
  /** The previous pepper, added by hand while it is being rotated. */
  pepperOld?: string
  stripeSecretKey: string
  webhookSecret: string
  mailKey: string
  paynowKey: string
}

/** Secrets of this machine, each created once and stored with the data that depends on them. They are valid nowhere else. */
function localSecrets(state: string): LocalSecrets {
  const file = resolve(state, 'secrets.json')
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as LocalSecrets) : {}
  const random = () => randomBytes(24).toString('base64url')
  const secrets: LocalSecrets = {
    pepper: random(),
    stripeSecretKey: `sk_test_${random()}`,
    webhookSecret: `whsec_${random()}`,
    mailKey: random(),
    paynowKey: randomUUID(),
    ...known,
  }
  writeFileSync(file, JSON.stringify(secrets, null, 2), { mode: 0o600 })
  return secrets
}

/** Starts the sandbox and the built Worker, with migrations applied. `close()` stops both, as does `await using`. */
export async function startStack({
  sandboxPort = 0,
  state,
  exampleSlug = '',
  ...runtime
}: StackOptions): Promise<Stack> {
  mkdirSync(state, { recursive: true })
  const secrets = localSecrets(state)
  const port = runtime.port || (await freePort())
  const publicOrigin = `http://localhost:${port}`
  const sandbox = await startSandbox({
    port: sandboxPort,
    stateFolder: resolve(state, 'sandbox'),
    webhookUrl: `http://127.0.0.1:${port}/api/stripe/webhook`,
    stripeSecretKey: secrets.stripeSecretKey,
    stripePublishableKey: 'pk_test_sandbox',
    stripeWebhookSecret: secrets.webhookSecret,
    mailchannelsApiKey: secrets.mailKey,
    paynow: { '1201': { key: secrets.paynowKey, currency: 'USD' } },
  })
  const miniflare = await startWorkerServer({
    ...runtime,
    port,
    state: resolve(state, 'worker'),
    vars: {
      PUBLIC_ORIGIN: publicOrigin,
      STRIPE_API_URL: sandbox.url,
      STRIPE_JS_URL: `${sandbox.url}/v3/`,
      STRIPE_PUBLISHABLE_KEY: 'pk_test_sandbox',
      STRIPE_SECRET_KEY: secrets.stripeSecretKey,
      STRIPE_WEBHOOK_SECRET: secrets.webhookSecret,
      PAYNOW_API_URL: sandbox.url,
      PAYNOW_INTEGRATION_ID: '1201',
      PAYNOW_INTEGRATION_KEY: secrets.paynowKey,
      PAYNOW_CURRENCY: 'USD',
      PAYNOW_MODE: 'test',
      MAP_IMAGE_URL: `${sandbox.url}/map.png?at={latitude},{longitude}&zoom={zoom}&size={width}x{height}`,
      MAIL_API_URL: sandbox.url,
      MAILCHANNELS_API_KEY: secrets.mailKey,
      PASSWORD_PEPPER: secrets.pepper,
      ...(secrets.pepperOld === undefined ? {} : { PASSWORD_PEPPER_OLD: secrets.pepperOld }),
      MAILBOX_URL: `${sandbox.url}/mailbox`,
      EXAMPLE_MEMORIAL_SLUG: exampleSlug,
    },
  })
  const db = await miniflare.getD1Database('DB')
  await applyMigrations(db)
  const close = async () => {
    await miniflare.dispose()
    await sandbox.close()
  }
  return { url: publicOrigin, sandboxUrl: sandbox.url, miniflare, db, close, [Symbol.asyncDispose]: close }
}

/**
 * Starts the built Worker (run `npm run build` first) in workerd on its own port, with every binding of `wrangler.toml`. There
 * is no proxy in front, so measurements are of the Worker alone. Throws an Error if there is no build.
 */
async function startWorkerServer(
  options: Omit<StackOptions, 'sandboxPort'> & { port: number; vars: Record<string, string> },
): Promise<Miniflare> {
  const config = resolve(import.meta.dirname, '../../../dist/nhaka/wrangler.json')
  const { workerOptions, main } = getWorkerOptions(config)
  if (!main) throw new Error('There is no built Worker. Run: npm run build')
  const { modulesRules, ...worker } = workerOptions
  const rootPath = dirname(main)
  const entry = basename(main)
  const modules = [
    ...(options.entry ? [{ type: 'ESModule' as const, path: 'entry.js', contents: options.entry }] : []),
    { type: 'ESModule' as const, path: entry },
    ...(modulesRules ?? []).flatMap(({ type, include }) =>
      globSync(include, { cwd: rootPath })
        .filter((path) => path !== entry)
        .map((path) => ({ type, path })),
    ),
  ]
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: options.port,
      resourcePersistencePath: options.state,
      unsafeTriggerHandlers: true,
      workers: [
        {
          ...worker,
          name: 'nhaka',
          rootPath,
          modules,
          ...(options.bucketUrl && { r2Buckets: { MEDIA: bucketAt(options.bucketUrl, 'nhaka-media') } }),
          bindings: { ...(worker.bindings as Record<string, string>), ...options.vars },
        },
        ...(options.beside ?? []),
      ],
    }),
  )
  await miniflare.ready
  return miniflare
}

/** A binding to a bucket that another process serves. */
export function bucketAt(url: string, id: string) {
  return { id, remoteProxyConnectionString: new URL(url) as RemoteProxyConnectionString }
}

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

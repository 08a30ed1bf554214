import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'
import type { Miniflare } from 'miniflare'
import { startSandbox } from '../../../sandbox/server.ts'
import { freePort } from './free-port.ts'
import { applyMigrations } from './migrate.ts'
import { startWorkerServer, type WorkerServerOptions } from './worker-server.ts'

export type StackOptions = {
  /** 0 picks a free port. */
  port: number
  sandboxPort: number
  /** Folder for all data. */
  state: string
  /** URL of R2, if it runs outside the runtime's process. */
  bucketUrl?: string
} & Pick<WorkerServerOptions, 'entry' | 'beside'>
export type Stack = {
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
}

/** Secrets of this machine, created once and stored with the data that depends on them. They are valid nowhere else. */
function localSecrets(state: string): LocalSecrets {
  const file = resolve(state, 'secrets.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as LocalSecrets
  const random = () => randomBytes(24).toString('base64url')
  const secrets: LocalSecrets = {
    pepper: random(),
    stripeSecretKey: `sk_test_${random()}`,
    webhookSecret: `whsec_${random()}`,
    mailKey: random(),
  }
  writeFileSync(file, JSON.stringify(secrets, null, 2), { mode: 0o600 })
  return secrets
}

/** Starts the sandbox and the built Worker, with migrations applied. `close()` stops both. */
export async function startStack({ port, sandboxPort, state, ...runtime }: StackOptions): Promise<Stack> {
  mkdirSync(state, { recursive: true })
  const secrets = localSecrets(state)
  const publicPort = port === 0 ? await freePort() : port
  const publicOrigin = `http://localhost:${publicPort}`
  const sandbox = await startSandbox({
    port: sandboxPort,
    stateFolder: resolve(state, 'sandbox'),
    webhookUrl: `http://127.0.0.1:${publicPort}/api/stripe/webhook`,
    stripeSecretKey: secrets.stripeSecretKey,
    stripePublishableKey: 'pk_test_sandbox',
    stripeWebhookSecret: secrets.webhookSecret,
    mailchannelsApiKey: secrets.mailKey,
  })
  const { miniflare } = await startWorkerServer({
    port: publicPort,
    state: resolve(state, 'worker'),
    ...runtime,
    vars: {
      PUBLIC_ORIGIN: publicOrigin,
      STRIPE_API_URL: sandbox.url,
      STRIPE_JS_URL: `${sandbox.url}/v3/`,
      STRIPE_PUBLISHABLE_KEY: 'pk_test_sandbox',
      STRIPE_SECRET_KEY: secrets.stripeSecretKey,
      STRIPE_WEBHOOK_SECRET: secrets.webhookSecret,
      MAP_IMAGE_URL: `${sandbox.url}/map.png?at={latitude},{longitude}&zoom={zoom}&size={width}x{height}`,
      MAIL_API_URL: sandbox.url,
      MAILCHANNELS_API_KEY: secrets.mailKey,
      PASSWORD_PEPPER: secrets.pepper,
      ...(secrets.pepperOld === undefined ? {} : { PASSWORD_PEPPER_OLD: secrets.pepperOld }),
      MAILBOX_URL: `${sandbox.url}/mailbox`,
    },
  })
  const db = await miniflare.getD1Database('DB')
  await applyMigrations(db)
  return {
    url: publicOrigin,
    sandboxUrl: sandbox.url,
    miniflare,
    db,
    async close() {
      await miniflare.dispose()
      await sandbox.close()
    },
  }
}

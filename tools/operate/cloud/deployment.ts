import { resolve } from 'node:path'
import { unstable_readConfig as readConfig } from 'wrangler'
import * as z from 'zod/mini'
import { type Environment, environmentArgs } from './environments.ts'
import { readShape, ROOT, type Wrangler } from './wrangler.ts'
import { OperatorError } from '../local/command.ts'

/** One deployment, as wrangler.toml describes it. */
export type Deployment = ReturnType<typeof readDeployment>

/** The secrets that a deployment needs, and what fails `without` each. */
export const SECRETS = [
  {
    name: 'PASSWORD_PEPPER',
    without: 'nobody can register or sign in',
    shape: /^.{32,}$/u,
    example: '32 random bytes',
  },
  {
    name: 'STRIPE_SECRET_KEY',
    without: 'nobody can pay',
    shape: /^[sr]k_(?:live|test)_/u,
    example: 'sk_live_…',
  },
  {
    name: 'STRIPE_PUBLISHABLE_KEY',
    without: 'nobody can pay',
    shape: /^pk_(?:live|test)_/u,
    example: 'pk_live_…',
  },
  {
    name: 'STRIPE_WEBHOOK_SECRET',
    without: 'payments are registered up to 15 minutes late',
    shape: /^whsec_/u,
    example: 'whsec_…',
  },
  {
    name: 'MAILCHANNELS_API_KEY',
    without: 'mails stay queued: nobody can confirm an address',
    shape: /^\S{8,}$/u,
    example: 'from app.mailchannels.com',
  },
] as const
/** Secrets that an operator may set by hand. */
export const OPTIONAL_SECRETS = [
  'PAYNOW_INTEGRATION_ID',
  'PAYNOW_INTEGRATION_KEY',
  'PAYNOW_CURRENCY',
  'PAYNOW_MODE',
  'PASSWORD_PEPPER_OLD',
  'MAP_IMAGE_URL',
  'ACCESS_TEAM_DOMAIN',
  'ACCESS_AUD',
] as const

const NO_ID = /^[0-]+$/u
const EXAMPLE = 'nhaka.example'

/** Reads one deployment from the wrangler.toml in `root`. Throws {@link OperatorError} if a binding is missing. */
export function readDeployment(env: Environment, root = ROOT) {
  const config = readConfig({ config: resolve(root, 'wrangler.toml'), ...(env !== 'default' && { env }) })
  const [database] = config.d1_databases
  const [bucket] = config.r2_buckets
  const [kv] = config.kv_namespaces
  if (!config.name || !database?.database_name || !bucket?.bucket_name || !kv)
    throw new OperatorError(`wrangler.toml has no database, bucket or session storage (KV) for ${env}.`)
  const vars = Object.fromEntries(Object.entries(config.vars).map(([key, value]) => [key, String(value)]))
  const routes: (string | { pattern: string })[] = config.routes ?? []
  const consumers: { queue: string }[] = config.queues.consumers ?? []
  return {
    env,
    /** The Worker's name. */
    name: config.name,
    origin: vars['PUBLIC_ORIGIN'] ?? '',
    database: { name: database.database_name, id: database.database_id ?? '' },
    /** The title is its name in the account; wrangler.toml contains only the id. */
    kv: { title: `${config.name}-kv`, id: kv.id ?? '' },
    bucket: bucket.bucket_name,
    // Dead-letter queues come first: the consumers of other queues name them.
    queues: consumers.map(({ queue }) => queue).toSorted((a, b) => rankOf(a) - rankOf(b)),
    /** Names and values of `[vars]`. */
    vars,
    /** Settings that are still missing in wrangler.toml, one line each. */
    open: [
      ...openIds(env, { database: database.database_id, kv: kv.id }),
      ...Object.entries(vars)
        .filter(([, value]) => value.includes(EXAMPLE))
        .map(([key, value]) => `[${tableOf(env, 'vars')}] ${key} is still ${value}`),
      ...routes
        .map((route) => (typeof route === 'string' ? route : route.pattern))
        .filter((pattern) => pattern.includes(EXAMPLE))
        .map((pattern) => `[${tableOf(env, '')}] routes still contain ${pattern}`),
    ],
  }
}

/** True for the placeholder ids in the repository. */
export function isPlaceholder(id: string): boolean {
  return id === '' || NO_ID.test(id)
}

/** The name of a table of this deployment in wrangler.toml, without brackets. */
export function tableOf(env: Environment, table: string): string {
  return [...(env === 'default' ? [] : ['env', env]), table].filter(Boolean).join('.')
}

function openIds(env: Environment, ids: { database: string | undefined; kv: string | undefined }): string[] {
  const lines = []
  if (isPlaceholder(ids.database ?? ''))
    lines.push(`[[${tableOf(env, 'd1_databases')}]] database_id is not filled in`)
  if (isPlaceholder(ids.kv ?? '')) lines.push(`[[${tableOf(env, 'kv_namespaces')}]] id is not filled in`)
  return lines
}

function rankOf(queue: string): number {
  return queue.endsWith('-dead') ? 0 : 1
}

const listed = z.array(z.object({ name: z.string() }))

/**
 * Names of the deployed Worker's secrets; none if there is no such Worker yet. Throws {@link OperatorError}: treating a failure
 * as "none" would overwrite existing secrets.
 */
export function listSecrets(wrangler: Wrangler, env: Environment): string[] {
  const args = ['secret', 'list', ...environmentArgs(env)]
  const answer = wrangler(args)
  if (!answer.isDone && /Worker "[^"]+".* not found/u.test(answer.said)) return []
  return readShape(() => answer, args, listed).map(({ name }) => name)
}

/**
 * Sets one key of a table to a quoted value and changes no other byte, so that the operator's comments and order survive.
 * Throws an Error if the table or the key is missing.
 */
export function withValue(toml: string, table: string, key: string, value: string): string {
  const lines = toml.split('\n')
  const head = lines.findIndex((line) => line.trim() === `[[${table}]]` || line.trim() === `[${table}]`)
  if (head < 0) throw new Error(`wrangler.toml has no [[${table}]]`)
  const next = lines.findIndex((line, index) => index > head && line.trim().startsWith('['))
  const end = next < 0 ? lines.length : next
  const at = lines.findIndex(
    (line, index) => index > head && index < end && new RegExp(`^\\s*${key}\\s*=`, 'u').test(line),
  )
  if (at < 0) throw new Error(`[[${table}]] in wrangler.toml has no ${key}`)
  lines[at] = (lines[at] ?? '').replace(/=\s*"[^"]*"/u, () => `= "${value}"`)
  return lines.join('\n')
}

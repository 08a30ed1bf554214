import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as z from 'zod/mini'
import {
  isPlaceholder,
  listSecrets,
  readDeployment,
  SECRETS,
  tableOf,
  withValue,
  type Deployment,
} from './deployment.ts'
import { environmentArgs, type Options } from './environments.ts'
import { executeArgs, rowsOf } from './remote-database.ts'
import { exists, mustRun, readShape, ROOT, type Wrangler } from './wrangler.ts'
import { OperatorError } from '../local/command.ts'

export const SETUP_USAGE = `Usage: npm run setup:cloudflare [-- --env production|staging] [--dry-run]

Creates the database, bucket, session storage (KV), queues and secrets of one environment in the Cloudflare account that
wrangler is signed in to, and writes their ids into wrangler.toml. It changes nothing that exists, so you can run it again.
It asks for secrets, or reads environment variables of the same names. --dry-run does nothing and needs no account.`

export type Setup = Options & {
  wrangler: Wrangler
  root?: string
  say: (line: string) => void
  /** Asks the operator for a secret, without showing it. An empty answer skips it. Null: there is no terminal. */
  ask: ((question: string) => Promise<string>) | null
  /** Secrets from environment variables. */
  given: Record<string, string | undefined>
}

const databases = z.array(z.object({ uuid: z.string(), name: z.string() }))
const namespaces = z.array(z.object({ id: z.string(), title: z.string() }))

/**
 * Runs the setup. Each step creates only what is missing, so an interrupted run can be repeated. Returns the names of required
 * secrets that are still missing. Throws {@link OperatorError}; the steps before that stay done.
 */
export async function setUp(setup: Setup): Promise<string[]> {
  const deployment = readDeployment(setup.env, setup.root)
  setup.say(`${deployment.name}: the ${deployment.env} deployment, at ${deployment.origin}`)
  if (setup.isDryRun) return describe(setup, deployment)
  // Without --json the command succeeds even if nobody is signed in.
  mustRun(setup.wrangler, ['whoami', '--json'])
  const isNewDatabase = setUpDatabase(setup, deployment)
  setUpBucket(setup, deployment)
  setUpSessions(setup, deployment)
  for (const queue of deployment.queues) setUpQueue(setup, queue)
  const missing = await setUpSecrets(setup, readDeployment(setup.env, setup.root), isNewDatabase)
  sayByHand(setup)
  return missing
}

function setUpDatabase(setup: Setup, { env, database }: Deployment): boolean {
  const list = () => readShape(setup.wrangler, ['d1', 'list', '--json'], databases)
  const found = list().find(({ name }) => name === database.name)
  requireOwn('database', database.name, database.id, found?.uuid)
  if (!found) mustRun(setup.wrangler, ['d1', 'create', database.name])
  const id = found?.uuid ?? list().find(({ name }) => name === database.name)?.uuid
  if (!id)
    throw new OperatorError(
      `The database ${database.name} was created, but the account does not list it. Run this again.`,
    )
  setup.say(`database   ${database.name}: ${found ? 'exists' : 'created'}`)
  writeId(setup, tableOf(env, 'd1_databases'), 'database_id', id)
  return !found
}

function setUpSessions(setup: Setup, { env, kv }: Deployment): void {
  const list = () => readShape(setup.wrangler, ['kv', 'namespace', 'list'], namespaces)
  const found = list().find(({ id, title }) => title === kv.title || id === kv.id)
  requireOwn('KV namespace', kv.title, kv.id, found?.id)
  if (!found) mustRun(setup.wrangler, ['kv', 'namespace', 'create', kv.title])
  const id = found?.id ?? list().find(({ title }) => title === kv.title)?.id
  if (!id)
    throw new OperatorError(
      `The KV namespace ${kv.title} was created, but the account does not list it. Run this again.`,
    )
  setup.say(`sessions   ${kv.title}: ${found ? 'exists' : 'created'}`)
  writeId(setup, tableOf(env, 'kv_namespaces'), 'id', id)
}

/** `r2 bucket list` shows only the first page, so this requests the bucket itself. */
function setUpBucket(setup: Setup, { bucket }: Deployment): void {
  const isPresent = exists(
    setup.wrangler,
    ['r2', 'bucket', 'info', bucket, '--json'],
    /does not exist|10006/u,
  )
  if (!isPresent) mustRun(setup.wrangler, ['r2', 'bucket', 'create', bucket])
  setup.say(`bucket     ${bucket}: ${isPresent ? 'exists' : 'created'}`)
}

function setUpQueue(setup: Setup, queue: string): void {
  const isPresent = exists(setup.wrangler, ['queues', 'info', queue], /does not exist/u)
  if (!isPresent) mustRun(setup.wrangler, ['queues', 'create', queue])
  setup.say(`queue      ${queue}: ${isPresent ? 'exists' : 'created'}`)
}

async function setUpSecrets(setup: Setup, deployment: Deployment, isNewDatabase: boolean): Promise<string[]> {
  const known = new Set(listSecrets(setup.wrangler, deployment.env))
  const missing: string[] = []
  for (const { name, without, shape, example } of SECRETS) {
    if (known.has(name)) {
      setup.say(`secret     ${name}: exists`)
      continue
    }
    const value =
      name === 'PASSWORD_PEPPER'
        ? (setup.given[name] ?? newPepper(setup, deployment, isNewDatabase))
        : (
            setup.given[name] ??
            (await setup.ask?.(`${name} (${example}; leave empty to skip): `)) ??
            ''
          ).trim()
    if (value === '') {
      missing.push(name)
      setup.say(`secret     ${name}: missing. Until it is set, ${without}.`)
      continue
    }
    if (!shape.test(value))
      throw new OperatorError(`The value given for ${name} has the wrong form (expected: ${example}).`)
    refuseLiveMoney(deployment, name, value)
    mustRun(setup.wrangler, ['secret', 'put', name, ...environmentArgs(deployment.env)], value)
    setup.say(`secret     ${name}: set`)
  }
  return missing
}

/**
 * Creates the pepper of a deployment that has none yet: 32 random bytes that nobody sees. Throws if accounts exist already:
 * their passwords need the old pepper, and a new one would lock everyone out.
 */
function newPepper({ wrangler }: Setup, { env, name }: Deployment, isNewDatabase: boolean): string {
  const accounts = isNewDatabase ? 0 : countAccounts(wrangler, env)
  if (accounts > 0) {
    throw new OperatorError(
      `The database has ${accounts} accounts, and the Worker ${name} has no PASSWORD_PEPPER. A new one would lock all of them out.
Restore the old one: npx wrangler secret put PASSWORD_PEPPER ${environmentArgs(env).join(' ')}`,
    )
  }
  return randomBytes(32).toString('base64')
}

function countAccounts(wrangler: Wrangler, env: Deployment['env']): number {
  const query = (sql: string) => {
    const args = [...executeArgs(env, '--json'), '--command', sql]
    return Number(rowsOf(args, mustRun(wrangler, args))[0]?.[0]?.['n'] ?? 0)
  }
  const isMigrated =
    query("SELECT count(*) AS n FROM sqlite_master WHERE type = 'table' AND name = 'users'") > 0
  return isMigrated ? query('SELECT count(*) AS n FROM users') : 0
}

/** Staging must not move real money. */
function refuseLiveMoney({ env }: Deployment, name: string, value: string): void {
  if (env === 'staging' && /^[rsp]k_live_/u.test(value))
    throw new OperatorError(`${name} is a live key, and this is staging. Use Stripe's test key.`)
}

/** Stops the setup if wrangler.toml contains an id from another account. */
function requireOwn(kind: string, name: string, written: string, found: string | undefined): void {
  if (isPlaceholder(written) || written === found) return
  throw new OperatorError(
    found
      ? `wrangler.toml names the ${kind} ${written}, but ${name} in this account has the id ${found}.`
      : `wrangler.toml names a ${kind} (${written}) that this account does not have. Is wrangler signed in to another account?`,
  )
}

/** Writes an id into wrangler.toml, unless it is there already. */
function writeId(setup: Setup, table: string, key: string, id: string): void {
  const path = resolve(setup.root ?? ROOT, 'wrangler.toml')
  const before = readFileSync(path, 'utf8')
  const after = withValue(before, table, key, id)
  if (after === before) return
  writeFileSync(path, after)
  setup.say(`           ${key} written into wrangler.toml`)
}

function describe(setup: Setup, { env, name, database, kv, bucket, queues }: Deployment): string[] {
  const step = (title: string, ...commands: string[]) => {
    setup.say(title)
    for (const command of commands) setup.say(`    wrangler ${command}`)
  }
  const put = (secret: string) =>
    `secret put ${secret} ${environmentArgs(env).join(' ').replace(/ $/u, ' ""')}`
  setup.say('This is a dry run: it does nothing. A real run changes nothing that exists.')
  step('Check the sign-in', 'whoami --json')
  step(
    `Database ${database.name}, and write its id into wrangler.toml`,
    'd1 list --json',
    `d1 create ${database.name}`,
  )
  step(`Bucket ${bucket}`, `r2 bucket info ${bucket} --json`, `r2 bucket create ${bucket}`)
  step(
    `Sessions ${kv.title}, and write the id into wrangler.toml`,
    'kv namespace list',
    `kv namespace create ${kv.title}`,
  )
  for (const queue of queues) step(`Queue ${queue}`, `queues info ${queue}`, `queues create ${queue}`)
  step(`List the secrets of the Worker ${name}`, `secret list ${environmentArgs(env).join(' ')}`)
  for (const secret of SECRETS) {
    const source = secret.name === 'PASSWORD_PEPPER' ? '32 random bytes' : 'typed in by you'
    step(`Secret ${secret.name}, ${source}. Without it ${secret.without}`, put(secret.name))
  }
  sayByHand(setup)
  return []
}

/** Lists what the operator must do by hand, because wrangler cannot. */
function sayByHand({ say, env, root }: Setup): void {
  const { open, origin } = readDeployment(env, root)
  const addresses = open.filter((line) => !line.endsWith('id is not filled in'))
  for (const line of [
    '',
    'Do this by hand, once:',
    ...addresses.map((address) => `  [ ] wrangler.toml: ${address}`),
    '  [ ] Workers Paid plan (password hashing needs more CPU time than the free plan allows): dash.cloudflare.com > Workers > Plans',
    '  [ ] Enable R2 in the account (it needs a payment card): dash.cloudflare.com > R2',
    '  [ ] Images > Transformations: the binding needs no setup; 5,000 images a month are free, more are billed',
    '  [ ] R2 lifecycle: keep the default rule (aborts unfinished uploads after 7 days; the product does so after 24 hours). Add no rule that expires objects',
    '  [ ] Workers Analytics Engine: open it once in the dashboard, or remove [[…analytics_engine_datasets]] from wrangler.toml',
    `  [ ] Stripe webhook at ${origin}/api/stripe/webhook, and mail DNS (SPF, DKIM, domain lockdown): docs/deploying.md`,
    '  [ ] Optional, for EcoCash and other Zimbabwean ways to pay: the secrets PAYNOW_INTEGRATION_ID, PAYNOW_INTEGRATION_KEY, PAYNOW_CURRENCY (USD) and PAYNOW_MODE (test or live): docs/deploying.md#paynow',
    '  [ ] D1: Time Travel is always on. Keep your own backups as well: docs/backup.md',
    '',
    `Then: npm run deploy${env === 'production' ? '' : ` -- --env ${env}`}`,
  ])
    say(line)
}

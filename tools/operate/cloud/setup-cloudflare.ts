import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as z from 'zod/mini'
import { isPlaceholder, readDeployment, SECRETS, tableOf, type Deployment } from './deployment.ts'
import { wordsFor, type Options } from './environments.ts'
import { listSecrets } from './secrets.ts'
import { withValue } from './toml-ids.ts'
import { AccountProblem, mustRun, readJson, ROOT, type Wrangler } from './wrangler.ts'

export const SETUP_USAGE = `Usage: npm run setup:cloudflare [-- --env production|staging] [--dry-run]

Makes the database, bucket, store of sessions, queues and secrets of one environment in the Cloudflare account that wrangler
is signed in to, and writes their ids into wrangler.toml. What is there already is left as it is: run it as often as you like.
Secrets are asked for here, or taken from environment variables of the same name. --dry-run does nothing, and needs no account.`

export type Setup = Options & {
  wrangler: Wrangler
  root?: string
  say: (line: string) => void
  /** Asks a person for a secret, without showing it. Empty: later. Null: there is nobody to ask. */
  ask: ((question: string) => Promise<string>) | null
  /** Secrets that the shell brought. */
  given: Record<string, string | undefined>
}

const databases = z.array(z.object({ uuid: z.string(), name: z.string() }))
const namespaces = z.array(z.object({ id: z.string(), title: z.string() }))
const rows = z.array(z.object({ results: z.optional(z.array(z.record(z.string(), z.unknown()))) }))

/**
 * Runs the setup. Each step looks first and makes only what is missing, so a run that broke off is gone on with. Throws
 * {@link AccountProblem}, with what it did before still done. Returns the names of required secrets that are still missing.
 */
export async function setUp(setup: Setup): Promise<string[]> {
  const deployment = readDeployment(setup.env, setup.root)
  setup.say(`${deployment.name}: the ${deployment.env} deployment, at ${deployment.origin}`)
  if (setup.isDryRun) return describe(setup, deployment)
  // Without --json it ends well where nobody is signed in.
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
  const list = () => read(setup.wrangler, ['d1', 'list', '--json'], databases)
  const found = list().find(({ name }) => name === database.name)
  requireOwn('database', database.name, database.id, found?.uuid)
  if (!found) mustRun(setup.wrangler, ['d1', 'create', database.name])
  const id = found?.uuid ?? list().find(({ name }) => name === database.name)?.uuid
  if (!id)
    throw new AccountProblem(
      `The database ${database.name} was made, and the account does not list it. Run this again.`,
    )
  setup.say(`database   ${database.name}: ${found ? 'there' : 'made'}`)
  writeId(setup, tableOf(env, 'd1_databases'), 'database_id', id)
  return !found
}

function setUpSessions(setup: Setup, { env, kv }: Deployment): void {
  const list = () => read(setup.wrangler, ['kv', 'namespace', 'list'], namespaces)
  const found = list().find(({ id, title }) => title === kv.title || id === kv.id)
  requireOwn('store of sessions', kv.title, kv.id, found?.id)
  if (!found) mustRun(setup.wrangler, ['kv', 'namespace', 'create', kv.title])
  const id = found?.id ?? list().find(({ title }) => title === kv.title)?.id
  if (!id)
    throw new AccountProblem(
      `The store ${kv.title} was made, and the account does not list it. Run this again.`,
    )
  setup.say(`sessions   ${kv.title}: ${found ? 'there' : 'made'}`)
  writeId(setup, tableOf(env, 'kv_namespaces'), 'id', id)
}

/** `r2 bucket list` shows the first page alone, so the bucket itself is asked for. */
function setUpBucket(setup: Setup, { bucket }: Deployment): void {
  const isNotDeleted = exists(
    setup.wrangler,
    ['r2', 'bucket', 'info', bucket, '--json'],
    /does not exist|10006/u,
  )
  if (!isNotDeleted) mustRun(setup.wrangler, ['r2', 'bucket', 'create', bucket])
  setup.say(`bucket     ${bucket}: ${isNotDeleted ? 'there' : 'made'}`)
}

function setUpQueue(setup: Setup, queue: string): void {
  const isNotDeleted = exists(setup.wrangler, ['queues', 'info', queue], /does not exist/u)
  if (!isNotDeleted) mustRun(setup.wrangler, ['queues', 'create', queue])
  setup.say(`queue      ${queue}: ${isNotDeleted ? 'there' : 'made'}`)
}

async function setUpSecrets(setup: Setup, deployment: Deployment, isNewDatabase: boolean): Promise<string[]> {
  const known = new Set(listSecrets(setup.wrangler, deployment.env))
  const missing: string[] = []
  for (const { name, without, shape, example } of SECRETS) {
    if (known.has(name)) {
      setup.say(`secret     ${name}: there`)
      continue
    }
    const value =
      name === 'PASSWORD_PEPPER'
        ? (setup.given[name] ?? newPepper(setup, deployment, isNewDatabase))
        : (setup.given[name] ?? (await setup.ask?.(`${name} (${example}; empty: later): `)) ?? '').trim()
    if (value === '') {
      missing.push(name)
      setup.say(`secret     ${name}: missing. Until it is set, ${without}.`)
      continue
    }
    if (!shape.test(value))
      throw new AccountProblem(`What was given as ${name} does not look like one (${example}).`)
    refuseLiveMoney(deployment, name, value)
    mustRun(setup.wrangler, ['secret', 'put', name, ...wordsFor(deployment.env)], value)
    setup.say(`secret     ${name}: set`)
  }
  return missing
}

/**
 * The pepper of a deployment that has none yet: 32 random bytes that nobody sees. Throws where accounts exist already: the
 * pepper that their passwords were made with is somewhere else, and another one would lock everybody out.
 */
function newPepper({ wrangler }: Setup, { env, name }: Deployment, isNewDatabase: boolean): string {
  const accounts = isNewDatabase ? 0 : countAccounts(wrangler, env)
  if (accounts > 0) {
    throw new AccountProblem(
      `The database holds ${accounts} accounts, and the Worker ${name} has no PASSWORD_PEPPER. A new one would lock all of them out.
Put the old one back: npx wrangler secret put PASSWORD_PEPPER ${wordsFor(env).join(' ')}`,
    )
  }
  return randomBytes(32).toString('base64')
}

function countAccounts(wrangler: Wrangler, env: Deployment['env']): number {
  const query = (sql: string) => {
    const words = ['d1', 'execute', 'DB', '--remote', '--yes', '--json', ...wordsFor(env), '--command', sql]
    return Number(read(wrangler, words, rows)[0]?.results?.[0]?.['n'] ?? 0)
  }
  const isMigrated =
    query("SELECT count(*) AS n FROM sqlite_master WHERE type = 'table' AND name = 'users'") > 0
  return isMigrated ? query('SELECT count(*) AS n FROM users') : 0
}

/** A place to try things moves no real money. */
function refuseLiveMoney({ env }: Deployment, name: string, value: string): void {
  if (env === 'staging' && /^[rsp]k_live_/u.test(value))
    throw new AccountProblem(`${name} is a live key, and this is staging. Take Stripe's test key.`)
}

/** wrangler.toml may name things of another account: then nothing is made here. */
function requireOwn(kind: string, name: string, written: string, found: string | undefined): void {
  if (isPlaceholder(written) || written === found) return
  throw new AccountProblem(
    found
      ? `wrangler.toml names another ${kind} (${written}) than the one called ${name} in this account (${found}).`
      : `wrangler.toml names a ${kind} (${written}) that this account does not have. Is wrangler signed in to another account?`,
  )
}

function exists(wrangler: Wrangler, words: string[], isMissing: RegExp): boolean {
  const answer = wrangler(words)
  if (answer.isDone) return true
  if (isMissing.test(answer.said)) return false
  mustRun(() => answer, words)
  return false
}

function read<T extends z.ZodMiniType>(wrangler: Wrangler, words: string[], shape: T): z.infer<T> {
  const found = z.safeParse(shape, readJson(words, mustRun(wrangler, words)))
  if (!found.success)
    throw new AccountProblem(`wrangler ${words.join(' ')} answered in a form that is not known.`)
  return found.data
}

/** Writes the id where it belongs, unless it stands there. */
function writeId(setup: Setup, table: string, key: string, id: string): void {
  const path = resolve(setup.root ?? ROOT, 'wrangler.toml')
  const before = readFileSync(path, 'utf8')
  const after = withValue(before, table, key, id)
  if (after === before) return
  writeFileSync(path, after)
  setup.say(`           ${key} written into wrangler.toml`)
}

function describe(setup: Setup, { env, name, database, kv, bucket, queues }: Deployment): string[] {
  const step = (what: string, ...commands: string[]) => {
    setup.say(what)
    for (const command of commands) setup.say(`    wrangler ${command}`)
  }
  const put = (secret: string) => `secret put ${secret} ${wordsFor(env).join(' ').replace(/ $/u, ' ""')}`
  setup.say('Nothing is done. What is there already would be left as it is.')
  step('Who is signed in?', 'whoami --json')
  step(`Database ${database.name}; its id into wrangler.toml`, 'd1 list --json', `d1 create ${database.name}`)
  step(`Bucket ${bucket}`, `r2 bucket info ${bucket} --json`, `r2 bucket create ${bucket}`)
  step(
    `Sessions ${kv.title}; the id into wrangler.toml`,
    'kv namespace list',
    `kv namespace create ${kv.title}`,
  )
  for (const queue of queues) step(`Queue ${queue}`, `queues info ${queue}`, `queues create ${queue}`)
  step(`Secrets of the Worker ${name}: those it has`, `secret list ${wordsFor(env).join(' ')}`)
  for (const secret of SECRETS) {
    const source = secret.name === 'PASSWORD_PEPPER' ? 'made of 32 random bytes' : 'asked for'
    step(`Secret ${secret.name}, ${source}. Without it ${secret.without}`, put(secret.name))
  }
  sayByHand(setup)
  return []
}

/** What wrangler cannot do or see. */
function sayByHand({ say, env, root }: Setup): void {
  const { open, origin } = readDeployment(env, root)
  const addresses = open.filter((line) => !line.endsWith('id is not filled in'))
  for (const line of [
    '',
    'By hand, once:',
    ...addresses.map((line_) => `  [ ] wrangler.toml: ${line_}`),
    '  [ ] Workers Paid plan (password hashing takes more CPU than the free plan gives; queues): dash.cloudflare.com > Workers > Plans',
    '  [ ] R2 switched on in the account (it asks for a card): dash.cloudflare.com > R2',
    '  [ ] Images > Transformations: nothing to switch on for the binding; 5,000 pictures a month are free, more are billed',
    '  [ ] R2 lifecycle: leave its own rule (unfinished uploads go after 7 days); the product ends its own after 24 hours. No rule that expires objects',
    '  [ ] Workers Analytics Engine: open it once in the dashboard, or take [[…analytics_engine_datasets]] out of wrangler.toml',
    `  [ ] Stripe webhook at ${origin}/api/stripe/webhook, and mail DNS (SPF, DKIM, domain lockdown): docs/deploying.md`,
    '  [ ] D1: Time Travel is always on. Keep backups of your own as well: docs/backup.md',
    '',
    `Then: npm run deploy${env === 'production' ? '' : ` -- --env ${env}`}`,
  ])
    say(line)
}

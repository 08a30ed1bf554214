import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { deploy } from '../tools/operate/cloud/deploy.ts'
import { type Wrangler, wranglerIn } from '../tools/operate/cloud/wrangler.ts'
import { openFakeAccount } from './fake-account.ts'
import { readDeployment } from '../tools/operate/cloud/deployment.ts'
import { readOptions } from '../tools/operate/cloud/environments.ts'
import { setUp, SETUP_USAGE } from '../tools/operate/cloud/setup-cloudflare.ts'
import { OperatorError } from '../tools/operate/local/command.ts'

// Each wrangler command is a process, so these tests need longer.
vi.setConfig({ testTimeout: 60_000 })

let account: ReturnType<typeof openFakeAccount>
beforeEach(() => {
  account = openFakeAccount()
})
afterEach(() => account.close())

const PEPPER = { nhaka: { PASSWORD_PEPPER: 'there' } }

/** A wrangler.toml whose production settings are filled in. */
function fillIn(): void {
  const toml = account.toml()
  const at = toml.indexOf('\n[env.production]\n')
  const filled = toml
    .slice(at)
    .replaceAll('nhaka.example', 'memorials.test')
    .replaceAll(/"[0-]{32,36}"/gu, '"0a1b2c3d-0000-4000-8000-000000000001"')
  account.writeToml(toml.slice(0, at) + filled)
}

/** Runs the deployment once. Returns its output and the order of its steps. */
async function run(options: { isDryRun?: boolean; answers?: (() => Response)[]; isBroken?: boolean } = {}) {
  const { isDryRun = false, answers = [], isBroken = false } = options
  const output: string[] = []
  const done: string[] = []
  const failed = await deploy({
    env: 'production',
    isDryRun,
    root: account.root,
    say: (line) => void output.push(line),
    wrangler(words, how) {
      done.push(words.join(' '))
      return account.wrangler(words, how)
    },
    verify() {
      done.push('verify')
      if (isBroken) throw new OperatorError('verify failed')
    },
    build({ env }) {
      done.push('build')
      const folder = join(account.root, 'dist', env, 'nhaka')
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'wrangler.json'), '{}')
    },
    fetch: async (url) => {
      done.push(`GET ${new Request(url).url}`)
      return (answers.shift() ?? (() => Response.json({ status: 'ok' })))()
    },
    wait: async () => {},
  }).then(
    () => '',
    (error: Error) => error.message,
  )
  return { output: output.join('\n'), done, failed }
}

const SECRETS = 'secret list --config wrangler.toml --env production'
const MIGRATE = 'd1 migrations apply DB --remote --config wrangler.toml --env production'
const DEPLOY = 'deploy --config dist/production/nhaka/wrangler.json'
const HEALTH = 'GET https://memorials.test/api/health'

test('a deployment checks and builds, then migrates the database, then ships the code', async () => {
  fillIn()
  account.change({ secrets: PEPPER })
  const { done, failed, output } = await run()
  expect(failed).toBe('')
  expect(done).toEqual([SECRETS, 'verify', 'build', MIGRATE, DEPLOY, HEALTH])
  expect(output).toContain('missing: STRIPE_SECRET_KEY. Until it is set, nobody can pay.')
})

test('a dry run on a fresh clone completes, lists missing settings and calls nobody', async () => {
  const { done, failed, output } = await run({ isDryRun: true })
  expect(failed).toBe('')
  expect(done).toEqual(['verify', 'build', `${DEPLOY} --dry-run`])
  expect(account.read().calls).toEqual([`${DEPLOY} --dry-run`])
  for (const line of [
    'to fill in: [[env.production.d1_databases]] database_id is not filled in',
    'to fill in: [env.production.vars] PUBLIC_ORIGIN is still https://nhaka.example',
    'to fill in: [env.production] routes still contain nhaka.example',
    `would run: wrangler ${MIGRATE}`,
    'The dry run is complete.',
  ])
    expect(output).toContain(line)
})

test('missing settings or a missing pepper stop a deployment before it does anything', async () => {
  expect((await run()).failed).toContain('wrangler.toml is not filled in.')
  fillIn()
  const { failed, done } = await run()
  expect(failed).toContain('Without PASSWORD_PEPPER nobody can sign in.')
  expect(done).toEqual([SECRETS])
})

test.each([
  'PASSWORD_PEPPER',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'MAILCHANNELS_API_KEY',
  'PASSWORD_PEPPER_OLD',
  'MAP_IMAGE_URL',
])('%s written in clear in wrangler.toml stops a deployment and is not repeated', async (name) => {
  fillIn()
  account.change({ secrets: PEPPER })
  const line = `${name} = "not-for-everybody-to-read-in-a-file"`
  account.writeToml(account.toml().replace('[env.production.vars]', `[env.production.vars]\n${line}`))
  for (const isDryRun of [false, true]) {
    const { output, failed, done } = await run({ isDryRun })
    expect(failed).toContain(`${name} is in plain text in [env.production.vars] of wrangler.toml.`)
    expect(failed).toContain('npx wrangler secret put NAME --config wrangler.toml --env production')
    expect(`${output}${failed}`).not.toContain('not-for-everybody')
    expect(done).toEqual([])
  }
})

test('the public key for browsers may be in wrangler.toml, and is not reported missing', async () => {
  fillIn()
  account.change({ secrets: PEPPER })
  const line = 'STRIPE_PUBLISHABLE_KEY = "pk_live_of_the_family"'
  account.writeToml(account.toml().replace('[env.production.vars]', `[env.production.vars]\n${line}`))
  const { output, failed } = await run()
  expect(failed).toBe('')
  expect(output).toContain('missing: STRIPE_SECRET_KEY')
  expect(output).not.toContain('STRIPE_PUBLISHABLE_KEY')
})

test('a build that fails its checks is not deployed and the database stays unchanged', async () => {
  fillIn()
  account.change({ secrets: PEPPER })
  const { failed, done } = await run({ isBroken: true })
  expect([failed, done]).toEqual(['verify failed', [SECRETS, 'verify']])
})

test.each([
  ['migration', MIGRATE, 'each migration is applied whole or not at all'],
  ['deployment', DEPLOY, 'The database is up to date and the deployment failed.'],
])('a failed %s explains the state and the next step', async (_, at, explanation) => {
  fillIn()
  account.change({ secrets: PEPPER, breaks: { at, text: 'A request to the Cloudflare API failed.' } })
  const { failed, done } = await run()
  expect(failed).toContain('A request to the Cloudflare API failed.')
  expect(failed).toContain(explanation)
  expect(failed).toContain('migrations only add')
  expect(done).not.toContain(HEALTH)
  expect((await run()).failed).toBe('')
})

test('an unhealthy deployment is reported after a minute of health checks', async () => {
  fillIn()
  account.change({ secrets: PEPPER })
  const late = () => new Response('certificate', { status: 525 })
  expect((await run({ answers: [late, late] })).failed).toBe('')
  const broken = () => Response.json({ status: 'failing', database: 'down' }, { status: 503 })
  const { failed, done } = await run({ answers: Array.from({ length: 12 }, () => broken) })
  expect(failed).toContain('503 {"status":"failing","database":"down"}')
  expect(failed).toContain('npx wrangler rollback --name nhaka')
  expect(done.filter((call) => call === HEALTH)).toHaveLength(12)
})

const KEYS: Record<string, string> = {
  STRIPE_SECRET_KEY: 'sk_test_of_the_family',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_of_the_family',
  STRIPE_WEBHOOK_SECRET: 'whsec_of_the_family',
  MAILCHANNELS_API_KEY: 'mail-key-of-the-family',
}

/** Runs the setup once. Returns its output and its questions. */
async function setUpOnce(
  options: {
    env?: 'production' | 'staging'
    isDryRun?: boolean
    answers?: Record<string, string> | null
    wrangler?: Wrangler
  } = {},
) {
  const { env = 'production', isDryRun = false, answers = KEYS, wrangler = account.wrangler } = options
  const output: string[] = []
  const asked: string[] = []
  const missing = await setUp({
    env,
    isDryRun,
    root: account.root,
    wrangler,
    say: (line) => void output.push(line),
    ask:
      answers &&
      (async (question) => {
        asked.push(question)
        return answers[question.split(' ')[0] ?? ''] ?? ''
      }),
    given: {},
  })
  return { output: output.join('\n'), asked, missing }
}

test('a first run creates everything in a valid order and writes the ids', async () => {
  const before = account.toml()
  const { output, missing } = await setUpOnce()
  expect(missing).toEqual([])
  expect(output).toContain(
    'PAYNOW_INTEGRATION_ID, PAYNOW_INTEGRATION_KEY, PAYNOW_CURRENCY (USD) and PAYNOW_MODE',
  )
  expect(account.takeWrites()).toEqual([
    'd1 create nhaka',
    'r2 bucket create nhaka-media',
    'kv namespace create nhaka-kv',
    'queues create nhaka-jobs-dead',
    'queues create nhaka-pictures',
    'queues create nhaka-jobs',
    ...['PASSWORD_PEPPER', ...Object.keys(KEYS)].map(
      (name) => `secret put ${name} --config wrangler.toml --env production`,
    ),
  ])
  const { databases, namespaces } = account.read()
  const made = readDeployment('production', account.root)
  expect([made.database.id, made.kv.id]).toEqual([databases[0]?.uuid, namespaces[0]?.id])
  const changed = account.toml().split('\n')
  const lines = before.split('\n')
  expect(changed.filter((line, index) => line !== lines[index])).toEqual([
    `database_id = "${databases[0]?.uuid}"`,
    `id = "${namespaces[0]?.id}"`,
  ])
  expect(changed).toHaveLength(lines.length)
  for (const other of ['default', 'staging'] as const)
    expect(readDeployment(other, account.root).database.id).toBe('00000000-0000-0000-0000-000000000000')
})

test('wrangler is the command on PATH, and a secret reaches it only on stdin', async () => {
  const wrangler = wranglerIn(account.root)
  await setUpOnce({ wrangler })
  const { databases, queues, secrets, calls } = account.read()
  expect([databases[0]?.name, queues.length, secrets['nhaka']]).toEqual([
    'nhaka',
    3,
    expect.objectContaining(KEYS),
  ])
  expect(calls.join('\n')).not.toContain(KEYS['STRIPE_SECRET_KEY'])
  account.change({
    breaks: { at: 'whoami', text: 'You are not authenticated. Please run `wrangler login`.' },
  })
  await expect(setUpOnce({ wrangler })).rejects.toThrow(
    'wrangler whoami --json failed:\n  ✘ [ERROR] You are not authenticated. Please run `wrangler login`.',
  )
})

test('a second run creates nothing, asks nothing and changes no byte', async () => {
  await setUpOnce()
  account.takeWrites()
  const [toml, { secrets }] = [account.toml(), account.read()]
  const { asked, missing } = await setUpOnce({ answers: { ...KEYS, STRIPE_SECRET_KEY: 'sk_test_another' } })
  expect([asked, missing, account.takeWrites()]).toEqual([[], [], []])
  expect([account.toml(), account.read().secrets]).toEqual([toml, secrets])
})

test.each([
  'd1 create',
  'r2 bucket create',
  'kv namespace create',
  'queues create nhaka-pictures',
  'secret put PASSWORD_PEPPER',
  'secret put STRIPE_WEBHOOK_SECRET',
])('a run that stopped at %s resumes and creates nothing twice', async (at) => {
  for (const isOutputLost of [false, true]) {
    account.close()
    account = openFakeAccount()
    account.change({ breaks: { at, text: 'A request to the Cloudflare API failed.', isOutputLost } })
    await expect(setUpOnce()).rejects.toThrow('A request to the Cloudflare API failed.')
    expect((await setUpOnce()).missing).toEqual([])
    const { databases, buckets, namespaces, queues, secrets } = account.read()
    expect([databases.length, buckets.length, namespaces.length, queues.length]).toEqual([1, 1, 1, 3])
    expect(Object.keys(secrets['nhaka'] ?? {})).toHaveLength(5)
    expect(new Set(queues).size).toBe(3)
    expect(readDeployment('production', account.root).database.id).toBe(databases[0]?.uuid)
  }
})

test('the pepper is 32 random bytes, created once, and no secret is printed or in argv', async () => {
  const { output } = await setUpOnce()
  const pepper = account.read().secrets['nhaka']?.['PASSWORD_PEPPER'] ?? ''
  expect(Buffer.from(pepper, 'base64')).toHaveLength(32)
  expect(account.read().secrets['nhaka']).toMatchObject(KEYS)
  const { calls } = account.read()
  for (const secret of [pepper, ...Object.values(KEYS)]) {
    expect(output).not.toContain(secret)
    expect(calls.join('\n')).not.toContain(secret)
  }
  await setUpOnce()
  expect(account.read().secrets['nhaka']?.['PASSWORD_PEPPER']).toBe(pepper)
})

test('no new pepper is created while accounts exist: it would lock everybody out', async () => {
  await setUpOnce()
  account.change({ secrets: {}, accounts: 3 })
  account.takeWrites()
  await expect(setUpOnce()).rejects.toThrow(
    'The database has 3 accounts, and the Worker nhaka has no PASSWORD_PEPPER. A new one would lock all of them out.',
  )
  expect(account.takeWrites()).toEqual([])
})

test('a failure to list secrets is not mistaken for an empty list', async () => {
  await setUpOnce()
  account.takeWrites()
  account.change({ breaks: { at: 'secret list', text: 'Authentication error [code: 10000]' } })
  await expect(setUpOnce()).rejects.toThrow('Authentication error [code: 10000]')
  expect(account.takeWrites()).toEqual([])
})

test.each([
  ['whoami', 'You are not authenticated. Please run `wrangler login`.'],
  ['d1 list', 'A request to the Cloudflare API (/accounts/1/d1/database) failed.'],
  ['r2 bucket info', 'Please enable R2 through the Cloudflare Dashboard. [code: 10042]'],
  ['queues info', 'Queues is not available on your current plan. [code: 100129]'],
])("an account error at %s stops the run with wrangler's message", async (at, text) => {
  account.change({ breaks: { at, text } })
  await expect(setUpOnce()).rejects.toThrow(text)
})

test('ids of another account stop the run before anything is created', async () => {
  await setUpOnce()
  account.change({ databases: [], namespaces: [], buckets: [], queues: [], secrets: {} })
  account.takeWrites()
  await expect(setUpOnce()).rejects.toThrow('Is wrangler signed in to another account?')
  expect(account.takeWrites()).toEqual([])
})

test('staging has resources of its own and refuses a live payment key', async () => {
  await setUpOnce({ env: 'staging' })
  const { databases, buckets, queues, secrets } = account.read()
  expect([databases[0]?.name, buckets, queues, Object.keys(secrets)]).toEqual([
    'nhaka-staging',
    ['nhaka-staging-media'],
    ['nhaka-staging-jobs-dead', 'nhaka-staging-pictures', 'nhaka-staging-jobs'],
    ['nhaka-staging'],
  ])
  account.change({ secrets: {} })
  const live = { ...KEYS, STRIPE_SECRET_KEY: ['sk', 'live', 'of_the_family'].join('_') }
  await expect(setUpOnce({ env: 'staging', answers: live })).rejects.toThrow(
    'STRIPE_SECRET_KEY is a live key, and this is staging.',
  )
})

test('missing settings are named with what they break, and malformed ones are refused', async () => {
  const { output, missing } = await setUpOnce({ answers: null })
  expect(missing).toEqual(Object.keys(KEYS))
  expect(output).toContain('STRIPE_SECRET_KEY: missing. Until it is set, nobody can pay.')
  await expect(
    setUpOnce({ answers: { ...KEYS, STRIPE_WEBHOOK_SECRET: 'pk_test_of_the_family' } }),
  ).rejects.toThrow('The value given for STRIPE_WEBHOOK_SECRET has the wrong form')
})

test('a dry run prints each step and command, does nothing and needs no account', async () => {
  const before = account.toml()
  const { output, asked } = await setUpOnce({ isDryRun: true })
  expect([account.read().calls, account.toml(), asked]).toEqual([[], before, []])
  for (const command of ['d1 create nhaka', 'r2 bucket create nhaka-media', 'queues create nhaka-jobs-dead'])
    expect(output).toContain(`    wrangler ${command}`)
  expect(output).toContain(
    '[ ] wrangler.toml: [env.production.vars] PUBLIC_ORIGIN is still https://nhaka.example',
  )
})

test('unknown arguments print the usage', () => {
  expect(readOptions(['--env', 'staging', '--dry-run'], SETUP_USAGE)).toEqual({
    env: 'staging',
    isDryRun: true,
  })
  expect(() => readOptions(['--env', 'prod'], SETUP_USAGE)).toThrow(
    'There is no environment "prod".\nUsage: npm run',
  )
  expect(() => readOptions(['--force'], SETUP_USAGE)).toThrow('Usage: npm run setup:cloudflare')
})

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readDeployment } from '../tools/operate/cloud/deployment.ts'
import { readOptions } from '../tools/operate/cloud/environments.ts'
import { setUp, SETUP_USAGE } from '../tools/operate/cloud/setup-cloudflare.ts'
import { wranglerIn, type Wrangler } from '../tools/operate/cloud/wrangler.ts'
import { openFakeAccount } from './fake-account.ts'

// Each wrangler command is a process, so these tests need longer.
vi.setConfig({ testTimeout: 60_000 })

let account: ReturnType<typeof openFakeAccount>
beforeEach(() => {
  account = openFakeAccount()
})
afterEach(() => account.close())

const KEYS: Record<string, string> = {
  STRIPE_SECRET_KEY: 'sk_test_of_the_family',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_of_the_family',
  STRIPE_WEBHOOK_SECRET: 'whsec_of_the_family',
  MAILCHANNELS_API_KEY: 'mail-key-of-the-family',
}

/** Runs the setup once. Returns its output and its questions. */
async function run(
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
  const { missing } = await run()
  expect(missing).toEqual([])
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
  await run({ wrangler })
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
  await expect(run({ wrangler })).rejects.toThrow(
    'wrangler whoami --json failed:\n  ✘ [ERROR] You are not authenticated. Please run `wrangler login`.',
  )
})

test('a second run creates nothing, asks nothing and changes no byte', async () => {
  await run()
  account.takeWrites()
  const [toml, { secrets }] = [account.toml(), account.read()]
  const { asked, missing } = await run({ answers: { ...KEYS, STRIPE_SECRET_KEY: 'sk_test_another' } })
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
    await expect(run()).rejects.toThrow('A request to the Cloudflare API failed.')
    expect((await run()).missing).toEqual([])
    const { databases, buckets, namespaces, queues, secrets } = account.read()
    expect([databases.length, buckets.length, namespaces.length, queues.length]).toEqual([1, 1, 1, 3])
    expect(Object.keys(secrets['nhaka'] ?? {})).toHaveLength(5)
    expect(new Set(queues).size).toBe(3)
    expect(readDeployment('production', account.root).database.id).toBe(databases[0]?.uuid)
  }
})

test('the pepper is 32 random bytes, created once, and no secret is printed or in argv', async () => {
  const { output } = await run()
  const pepper = account.read().secrets['nhaka']?.['PASSWORD_PEPPER'] ?? ''
  expect(Buffer.from(pepper, 'base64')).toHaveLength(32)
  expect(account.read().secrets['nhaka']).toMatchObject(KEYS)
  const { calls } = account.read()
  for (const secret of [pepper, ...Object.values(KEYS)]) {
    expect(output).not.toContain(secret)
    expect(calls.join('\n')).not.toContain(secret)
  }
  await run()
  expect(account.read().secrets['nhaka']?.['PASSWORD_PEPPER']).toBe(pepper)
})

test('no new pepper is created while accounts exist: it would lock everybody out', async () => {
  await run()
  account.change({ secrets: {}, accounts: 3 })
  account.takeWrites()
  await expect(run()).rejects.toThrow(
    'The database has 3 accounts, and the Worker nhaka has no PASSWORD_PEPPER. A new one would lock all of them out.',
  )
  expect(account.takeWrites()).toEqual([])
})

test('a failure to list secrets is not mistaken for an empty list', async () => {
  await run()
  account.takeWrites()
  account.change({ breaks: { at: 'secret list', text: 'Authentication error [code: 10000]' } })
  await expect(run()).rejects.toThrow('Authentication error [code: 10000]')
  expect(account.takeWrites()).toEqual([])
})

test.each([
  ['whoami', 'You are not authenticated. Please run `wrangler login`.'],
  ['d1 list', 'A request to the Cloudflare API (/accounts/1/d1/database) failed.'],
  ['r2 bucket info', 'Please enable R2 through the Cloudflare Dashboard. [code: 10042]'],
  ['queues info', 'Queues is not available on your current plan. [code: 100129]'],
])("an account error at %s stops the run with wrangler's message", async (at, text) => {
  account.change({ breaks: { at, text } })
  await expect(run()).rejects.toThrow(text)
})

test('ids of another account stop the run before anything is created', async () => {
  await run()
  account.change({ databases: [], namespaces: [], buckets: [], queues: [], secrets: {} })
  account.takeWrites()
  await expect(run()).rejects.toThrow('Is wrangler signed in to another account?')
  expect(account.takeWrites()).toEqual([])
})

test('staging has resources of its own and refuses a live payment key', async () => {
  await run({ env: 'staging' })
  const { databases, buckets, queues, secrets } = account.read()
  expect([databases[0]?.name, buckets, queues, Object.keys(secrets)]).toEqual([
    'nhaka-staging',
    ['nhaka-staging-media'],
    ['nhaka-staging-jobs-dead', 'nhaka-staging-pictures', 'nhaka-staging-jobs'],
    ['nhaka-staging'],
  ])
  account.change({ secrets: {} })
  const live = { ...KEYS, STRIPE_SECRET_KEY: ['sk', 'live', 'of_the_family'].join('_') }
  await expect(run({ env: 'staging', answers: live })).rejects.toThrow(
    'STRIPE_SECRET_KEY is a live key, and this is staging.',
  )
})

test('missing settings are named with what they break, and malformed ones are refused', async () => {
  const { output, missing } = await run({ answers: null })
  expect(missing).toEqual(Object.keys(KEYS))
  expect(output).toContain('STRIPE_SECRET_KEY: missing. Until it is set, nobody can pay.')
  await expect(run({ answers: { ...KEYS, STRIPE_WEBHOOK_SECRET: 'pk_test_of_the_family' } })).rejects.toThrow(
    'The value given for STRIPE_WEBHOOK_SECRET has the wrong form',
  )
})

test('a dry run prints each step and command, does nothing and needs no account', async () => {
  const before = account.toml()
  const { output, asked } = await run({ isDryRun: true })
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

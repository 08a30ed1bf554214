import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { deploy } from '../tools/operate/cloud/deploy.ts'
import { AccountError } from '../tools/operate/cloud/wrangler.ts'
import { openFakeAccount } from './fake-account.ts'

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
      if (isBroken) throw new AccountError('verify failed')
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
])(
  '%s written in clear in wrangler.toml stops a deployment and a dry run, and is not repeated',
  async (name) => {
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
  },
)

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

import { readFileSync, globSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { ADMIN_USAGE, runAdminCommand } from '../tools/operate/admin/command.ts'
import { openFakeAccount } from './fake-account.ts'

const state = mkdtempSync(join(tmpdir(), 'nhaka-role-'))
const empty = mkdtempSync(join(tmpdir(), 'nhaka-role-'))
let server: Miniflare | null = null

/** A server on this state, like the one `npm start` runs, as far as the database is concerned. */
async function startServer(): Promise<Miniflare> {
  const started = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      resourcePersistencePath: state,
      workers: [
        {
          name: 'nhaka',
          modules: true,
          script: 'export default { fetch: () => new Response() }',
          d1Databases: { DB: 'nhaka' },
        },
      ],
    }),
  )
  await started.ready
  return started
}

async function query<T>(sql: string): Promise<T[]> {
  const db = await (server ?? (server = await startServer())).getD1Database('DB')
  const { results } = await db.prepare(sql).all<T>()
  return results
}
const roleOf = async (id: string) =>
  (await query<{ role: string }>(`SELECT role FROM users WHERE id = '${id}'`))[0]?.role

beforeAll(async () => {
  for (const file of globSync('migrations/*.sql').sort()) {
    for (const statement of readFileSync(file, 'utf8').split('--> statement-breakpoint'))
      await query(statement)
  }
  for (const [id, email] of [
    ['usr_1', "o''brien@family.test"],
    ['usr_2', 'rudo@family.test'],
    ['usr_3', 'admin@family.test'],
    ['usr_4', 'tendai@family.test'],
  ]) {
    await query(`INSERT INTO users (id, email, first_name, last_name, password_hash, email_verified_at, terms_accepted_at,
      created_at, updated_at) VALUES ('${id}', '${email}', 'Rudo', 'Moyo', 'none', 1, 1, 1, 1)`)
  }
}, 30_000)
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(async () => {
  await server?.dispose()
  for (const folder of [state, empty]) rmSync(folder, { recursive: true, force: true })
})

/** Runs the command and returns its exit code and output. */
function run(args: string[], folder = state): [number, string] {
  const output: string[] = []
  const listen = (line: unknown) => void output.push(String(line))
  vi.spyOn(console, 'log').mockImplementation(listen)
  vi.spyOn(console, 'error').mockImplementation(listen)
  return [runAdminCommand(args, folder), output.join('\n')]
}

test('a role is granted and revoked while the server runs, each with an audit line', async () => {
  expect(run(['grant', " O'Brien@Family.test "])).toEqual([0, "o'brien@family.test is an admin now."])
  expect(await roleOf('usr_1')).toBe('ADMIN')
  expect(run(['grant', "o'brien@family.test"])).toEqual([0, "o'brien@family.test is an admin already."])
  expect(run(['revoke', "o'brien@family.test"])).toEqual([0, "o'brien@family.test is no longer an admin."])
  expect(await roleOf('usr_1')).toBe('USER')
  const lines = await query(
    "SELECT actor_id, action, target_kind, detail FROM audit_log WHERE target_id = 'usr_1' ORDER BY created_at, action",
  )
  expect(lines).toEqual([
    {
      actor_id: null,
      action: 'grant_role',
      target_kind: 'user',
      detail: '{"before":"USER","after":"ADMIN"}',
    },
    {
      actor_id: null,
      action: 'revoke_role',
      target_kind: 'user',
      detail: '{"before":"ADMIN","after":"USER"}',
    },
  ])
  expect(await roleOf('usr_3')).toBe('USER')
})

test('a role granted while the server is stopped is there after the restart', async () => {
  await server?.dispose()
  server = null
  expect(run(['grant', 'rudo@family.test'])[0]).toBe(0)
  expect(await roleOf('usr_2')).toBe('ADMIN')
})

test('an account is suspended and reinstated, signed out at once and audited', async () => {
  const stateOf = async () =>
    (
      await query<{ suspended: number; epoch: number; updated: number }>(
        "SELECT suspended_at IS NOT NULL AS suspended, session_epoch AS epoch, updated_at > 1 AS updated FROM users WHERE id = 'usr_4'",
      )
    )[0]
  expect(await stateOf()).toEqual({ suspended: 0, epoch: 0, updated: 0 })
  expect(run(['suspend', 'tendai@family.test'])).toEqual([
    0,
    'tendai@family.test is suspended: nobody can sign in with it, and all its sessions have ended. Its memorials have not changed.',
  ])
  expect(await stateOf()).toEqual({ suspended: 1, epoch: 1, updated: 1 })
  expect(run(['suspend', 'tendai@family.test'])).toEqual([0, 'tendai@family.test is suspended already.'])
  expect(run(['reinstate', 'tendai@family.test'])).toEqual([0, 'tendai@family.test can sign in again.'])
  expect(run(['reinstate', 'tendai@family.test'])).toEqual([0, 'tendai@family.test is not suspended.'])
  expect(await stateOf()).toEqual({ suspended: 0, epoch: 1, updated: 1 })
  const lines = await query(
    "SELECT actor_id, action, target_kind, detail FROM audit_log WHERE target_id = 'usr_4' ORDER BY created_at, action DESC",
  )
  expect(lines).toEqual(
    ['suspend_account', 'reinstate_account'].map((action) => ({
      actor_id: null,
      action,
      target_kind: 'user',
      detail: null,
    })),
  )
})

test('invite tokens are counted and generated, audited, and never printed', async () => {
  expect(run(['tokens'])).toEqual([0, 'Invitation tokens: 0 available (few), 0 in use, 0 revoked.'])
  expect(run(['tokens', 'create', '30'])).toEqual([
    0,
    'Created 30 tokens. Invitation tokens: 30 available, 0 in use, 0 revoked.',
  ])
  expect(run(['tokens', 'create'])[1]).toBe(
    'Created 50 tokens. Invitation tokens: 80 available, 0 in use, 0 revoked.',
  )
  expect(run(['tokens', 'list'])[1]).toBe('Invitation tokens: 80 available, 0 in use, 0 revoked.')
  const tokens = await query<{ token: string }>("SELECT token FROM invite_tokens WHERE status = 'AVAILABLE'")
  expect(
    tokens.filter(({ token }) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/u.test(token)),
  ).toHaveLength(80)
  expect(await query("SELECT detail FROM audit_log WHERE action = 'generate_tokens' ORDER BY rowid")).toEqual(
    [{ detail: '{"count":30}' }, { detail: '{"count":50}' }],
  )
  for (const wrong of ['0', '501', '-1', '1.5', 'many'])
    expect(run(['tokens', 'create', wrong])).toEqual([1, 'Give a number from 1 to 500. Nothing was changed.'])
})

test('service statistics are printed on one line each', () => {
  const [code, output] = run(['stats'])
  expect(code).toBe(0)
  expect(Object.fromEntries(output.split('\n').map((line) => line.trim().split(/\s{2,}/u)))).toMatchObject({
    Memorials: '0',
    Accounts: '4',
    'of these with a confirmed address': '4',
    'of these suspended': '0',
    'Queued mails': '0',
  })
})

test('--remote works on the deployed database: production unless --env says otherwise', () => {
  const account = openFakeAccount()
  try {
    expect(run(['stats', '--remote'])[0]).toBe(0)
    expect(run(['stats', '--remote', '--env', 'staging'])[0]).toBe(0)
    const [first = '', second = ''] = account.read().calls
    expect(first).toContain(
      'd1 execute DB --remote --yes --json --config wrangler.toml --env production --command SELECT',
    )
    expect(second).toContain('--env staging --command SELECT')
    account.change({ breaks: { at: 'd1 execute', text: 'Authentication error [code: 10000]' } })
    expect(run(['suspend', 'rudo@family.test', '--remote'])).toEqual([
      1,
      'wrangler could not reach the database:\n✘ [ERROR] Authentication error [code: 10000]',
    ])
  } finally {
    account.close()
  }
})

test('tokens generated for a deployment appear in no command line and no leftover file', () => {
  const account = openFakeAccount()
  const temporary = mkdtempSync(join(account.root, 'tmp-'))
  vi.stubEnv('TMPDIR', temporary)
  const token = /[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-/gu
  try {
    expect(run(['tokens', 'create', '30', '--remote'])[0]).toBe(0)
    const { calls, files } = account.read()
    expect(calls.join('\n')).not.toMatch(token)
    expect(calls[0]).toMatch(/^d1 execute DB --remote --yes --config wrangler.toml --env production --file /u)
    expect(files).toMatchObject([{ mode: 0o600 }])
    expect(files[0]?.sql.match(token)).toHaveLength(30)
    expect(files[0]?.sql).toContain('generate_tokens')
    expect(files[0]?.path.startsWith(temporary)).toBe(true)
    expect(readdirSync(temporary)).toEqual([])
    account.change({ breaks: { at: 'd1 execute', text: 'Authentication error [code: 10000]' } })
    expect(run(['tokens', 'create', '--remote'])).toEqual([
      1,
      'wrangler could not reach the database:\n✘ [ERROR] Authentication error [code: 10000]',
    ])
    expect(readdirSync(temporary)).toEqual([])
  } finally {
    vi.unstubAllEnvs()
    account.close()
  }
})

test('a request that cannot be done is explained in a sentence and changes nothing', async () => {
  const usage = ADMIN_USAGE
  expect(run(['--help'])).toEqual([0, usage])
  expect(run([])).toEqual([1, usage])
  expect(run(['promote', 'rudo@family.test'])).toEqual([1, usage])
  expect(run(['grant', 'rudo@family.test', 'other@family.test'])).toEqual([1, usage])
  expect(run(['grant', 'rudo@family.test', '--force'])).toEqual([1, usage])
  expect(run(['grant', 'rudo@family.test', '--env', 'staging'])).toEqual([1, usage])
  expect(run(['grant', 'rudo@family.test', '--remote', '--env', 'elsewhere'])).toEqual([
    1,
    `There is no environment "elsewhere".\n${usage}`,
  ])
  expect(run(['stats', 'all'])).toEqual([1, usage])
  expect(run(['tokens', 'list', 'all'])).toEqual([1, usage])
  expect(run(['grant', "x' OR 1=1 --"])[1]).toContain('is not an e-mail address')
  expect(run(['grant', 'nobody@family.test'])).toEqual([
    1,
    'No account has the address nobody@family.test. Register it first, then run this again.',
  ])
  expect(run(['grant', 'rudo@family.test'], empty)).toEqual([
    1,
    `There is no database in ${empty} yet. Run npm start first.`,
  ])
  for (const verb of ['suspend', 'reinstate', 'revoke'])
    expect(run([verb, 'nobody@family.test'])[1]).toContain('No account has the address nobody@family.test.')
})

test('an admin’s second factor is reset, with an audit line', async () => {
  await query("UPDATE users SET role = 'ADMIN' WHERE id = 'usr_3'")
  await query("UPDATE users SET role = 'USER' WHERE id = 'usr_2'")
  await query(`INSERT INTO passkeys (id, user_id, credential_id, public_key, counter, transports, name, created_at)
    VALUES ('pky_1', 'usr_3', 'c1', 'k', 0, '[]', 'Phone', 1), ('pky_2', 'usr_2', 'c2', 'k', 0, '[]', 'Phone', 1)`)
  await query(
    "INSERT INTO authenticators (user_id, secret, last_step, created_at) VALUES ('usr_3', 's', 1, 1)",
  )
  const said = run(['reset-second-factor', 'admin@family.test'])
  expect(said[0]).toBe(0)
  expect(said[1]).toContain('admin@family.test has no passkey and no authenticator app any more.')
  expect(await query('SELECT user_id FROM passkeys UNION SELECT user_id FROM authenticators')).toEqual([
    { user_id: 'usr_2' },
  ])
  expect(
    await query("SELECT actor_id, target_id FROM audit_log WHERE action = 'reset_second_factor'"),
  ).toEqual([{ actor_id: null, target_id: 'usr_3' }])
  expect(run(['reset-second-factor', 'admin@family.test'])).toEqual([
    0,
    'admin@family.test has no passkey and no authenticator app.',
  ])
  expect(run(['reset-second-factor', 'rudo@family.test'])).toEqual([
    1,
    'rudo@family.test is not an admin. Nothing was changed.',
  ])
})

test('the present code of an authenticator app is printed', () => {
  vi.spyOn(Date, 'now').mockReturnValue(59_000)
  // RFC 6238, appendix B.
  expect(run(['code', 'gezdgnbvgy3tqojqgezdgnbvgy3tqojq'])).toEqual([0, '287082'])
  expect(run(['code', 'not a secret'])[0]).toBe(1)
})

import { readFileSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { grantAdmin, runRoleCommand } from '../scripts/lib/admin-role.ts'

const state = mkdtempSync(join(tmpdir(), 'nhaka-role-'))
const empty = mkdtempSync(join(tmpdir(), 'nhaka-role-'))
let server: Miniflare | null = null

/** A server on this state, as `npm start` runs one, as far as its database goes. */
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

/** Runs the command and returns its exit code and what it said. */
function run(words: string[], folder = state): [number, string] {
  const said: string[] = []
  const listen = (line: unknown) => void said.push(String(line))
  vi.spyOn(console, 'log').mockImplementation(listen)
  vi.spyOn(console, 'error').mockImplementation(listen)
  return [runRoleCommand(words, folder), said.join('\n')]
}

test('a role is given and taken while the server runs, each time with an audit line', async () => {
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

test('a role is given while the server is stopped, and the server sees it when it is back', async () => {
  await server?.dispose()
  server = null
  grantAdmin({ state, email: 'rudo@family.test' })
  expect(await roleOf('usr_2')).toBe('ADMIN')
})

test('what cannot be done is said in a sentence and changes nothing', async () => {
  const usage = 'Usage: npm run admin -- grant|revoke EMAIL [--remote]'
  expect(run([])).toEqual([1, usage])
  expect(run(['promote', 'rudo@family.test'])).toEqual([1, usage])
  expect(run(['grant', 'rudo@family.test', 'other@family.test'])).toEqual([1, usage])
  expect(run(['grant', 'rudo@family.test', '--force'])).toEqual([1, usage])
  expect(run(['grant', "x' OR 1=1 --"])[1]).toContain('is not an e-mail address')
  expect(run(['grant', 'nobody@family.test'])).toEqual([
    1,
    'No account has the address nobody@family.test. Register it first, then run this again.',
  ])
  expect(run(['grant', 'rudo@family.test'], empty)).toEqual([
    1,
    `There is no database in ${empty} yet. Run npm start first.`,
  ])
  expect(() => grantAdmin({ state, email: 'nobody@family.test' })).toThrow('No account has the address')
})

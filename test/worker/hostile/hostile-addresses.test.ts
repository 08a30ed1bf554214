import { expect, test } from 'vitest'
import { isAppPath, paths } from '#shared/pages/pages.ts'
import { api } from '#shared/api.ts'
import { errorBodyProblems } from '../error-body.ts'
import { askWorker, Client, ORIGIN, signedIn } from '../harness.ts'
import { headerProblems } from '../../expected-headers.ts'

/** Paths that scanners request on every site. */
const SCANNED = [
  '/.env',
  '/.env.production',
  '/.git/config',
  '/.git/HEAD',
  '/.svn/entries',
  '/.DS_Store',
  '/.aws/credentials',
  '/.dev.vars',
  '/.htaccess',
  '/.vscode/sftp.json',
  '/.well-known/nope',
  '/wrangler.toml',
  '/wrangler.json',
  '/package.json',
  '/package-lock.json',
  '/index.html',
  '/src/worker/index.ts',
  '/migrations/0000_initial.sql',
  '/node_modules/hono/package.json',
  '/_headers',
  '/wp-login.php',
  '/wp-admin/',
  '/wp-content/debug.log',
  '/xmlrpc.php',
  '/phpmyadmin/',
  '/phpinfo.php',
  '/index.php',
  '/config.php.bak',
  '/backup.zip',
  '/dump.sql',
  '/db.sqlite',
  '/server-status',
  '/actuator/env',
  '/actuator/heapdump',
  '/metrics',
  '/debug/pprof/',
  '/console',
  '/cgi-bin/test-cgi',
  '/graphql',
  '/swagger.json',
  '/openapi.json',
  '/admin/config',
  '/admin.php',
  '/solr/admin/info',
  '/owa/auth/logon.aspx',
  '/HNAP1/',
  '/__scheduled',
  '/__scheduled?cron=*',
  '/cdn-cgi/handler/scheduled',
  '/cdn-cgi/handler/email',
  '/cdn-cgi/mf/scheduled',
  '/cdn-cgi/mf/reload',
  '/__debug',
  '/__vite_ping',
  '/@vite/client',
  '/@fs/etc/passwd',
  '/test',
  '/test/reset',
  '/seed',
  '/faults',
  '/mailbox',
  '/assets/',
  '/assets/../../wrangler.json',
  '/assets/..%2f..%2fwrangler.json',
  '/assets/%2e%2e/%2e%2e/wrangler.json',
  '//etc/passwd',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/..%5c..%5cwindows/win.ini',
  '/%00',
  '/%',
  '/%ff%fe',
  '/%c0%ae%c0%ae/',
  '/nope',
  '/login.php',
  '/dashboard/../.env',
  '/m',
  '/m/a/b',
  '/memorial',
  '/invite',
  '/API/config',
]
const SCANNED_CALLS = [
  '/api',
  '/api/',
  '/api/nope',
  '/api/.env',
  '/api/v1/users',
  '/api/users',
  '/api/test/reset',
  '/api/seed',
  '/api/__scheduled',
  '/api/debug',
  '/api/graphql',
  '/api/config/',
  '/api/CONFIG',
  '/api/admin',
  '/api/%2e%2e/config',
  '/api/memorials/',
  '/api//config',
  '/media/',
  '/media/stream',
  '/media/../wrangler.toml.bak/media',
  '/media/%2e%2e%2fsecret',
]

async function fetchText(path: string, method = 'GET') {
  const answer = await askWorker(ORIGIN + path, { method, redirect: 'manual', headers: { Origin: ORIGIN } })
  return { answer, text: await answer.text() }
}

/** What is wrong with an answer that should have this status, one line each. */
async function wrongWith(
  path: string,
  status: number,
  kind: 'page' | 'call',
  method = 'GET',
): Promise<string[]> {
  const { answer, text } = await fetchText(path, method)
  const wrong = headerProblems(answer, kind)
  if (answer.status !== status) wrong.push(`answered ${answer.status}`)
  if (kind === 'call') wrong.push(...errorBodyProblems(answer.status, text))
  else if (!answer.headers.get('Content-Type')?.startsWith('text/html') || !text.includes('id="root"'))
    wrong.push('is not the app')
  if (status === 405 && !answer.headers.get('Allow')) wrong.push('without Allow')
  return wrong.map((what) => `${method} ${path}: ${what}`)
}

test('scanners’ paths answer the 404 page and no file of the app', async () => {
  const problems: string[] = []
  for (const path of SCANNED) problems.push(...(await wrongWith(path, 404, 'page')))
  expect(problems).toEqual([])
})

test('an unknown call is a 404 in the form of every refusal', async () => {
  const problems: string[] = []
  for (const path of SCANNED_CALLS) {
    const isCall = /^\/(?:api(?:\/|$)|media\/)/u.test(new URL(ORIGIN + path).pathname)
    problems.push(...(await wrongWith(path, 404, isCall ? 'call' : 'page')))
  }
  expect(problems).toEqual([])
})

test('every screen of the app is a 200, whatever its ids, and no other path is', async () => {
  const screens = Object.values(paths).map((path) => path.replaceAll(/:\w+/gu, 'mem_0123456789'))
  const statuses = await Promise.all(screens.map(async (path) => (await fetchText(path)).answer.status))
  expect(statuses).toEqual(screens.map(() => 200))
  const others = screens.map((path) => `${path}/x/y`)
  expect(others.map(isAppPath)).toEqual(others.map(() => false))
})

test('only the methods of the contract do anything, on pages or calls', async () => {
  const strange = [
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'PROPFIND',
    'MKCOL',
    'COPY',
    'LOCK',
    'SEARCH',
    'PURGE',
    'REPORT',
  ]
  const problems: string[] = []
  for (const path of [
    '/',
    '/login',
    '/m/tendai-k7q2mx',
    '/nope',
    '/api/config',
    '/api/auth/login',
    '/media/stream/x',
  ]) {
    for (const method of strange) problems.push(...(await wrongWith(path, 405, 'call', method)))
  }
  expect(problems).toEqual([])
})

/**
 * Requests all these addresses as an admin, who has access everywhere: no answer may be a 5xx or reveal internal details.
 * Writing calls get an empty object.
 */
async function expectUnbroken(addresses: string[], method = 'GET'): Promise<void> {
  const admin = await signedIn({ admin: true })
  const problems: string[] = []
  for (const address of addresses) {
    admin.ip = new Client().ip
    const answer = await admin.request(method, address, method === 'GET' ? undefined : {})
    const text = await answer.text()
    const wrong = headerProblems(answer, 'call')
    if (answer.status >= 500) wrong.push(`answered ${answer.status}`)
    if (answer.status >= 400) wrong.push(...errorBodyProblems(answer.status, text))
    problems.push(...wrong.map((what) => `${method} ${address.slice(0, 60)}: ${what}`))
  }
  expect(problems).toEqual([])
  console.log(`${addresses.length} hostile addresses`)
}

/** Hostile strings in place of an id in an address. */
const HOSTILE_IDS = [
  '%00',
  '%ff%fe',
  '%',
  '..%2f..%2fetc%2fpasswd',
  '__proto__',
  'constructor',
  "'%20OR%201=1--",
  '%27%3B%20DROP%20TABLE%20users%3B--',
  '%F0%9F%95%8A',
  '%ED%A0%80',
  'x'.repeat(6000),
]

test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])(
  'no hostile id in the path breaks a %s request',
  async (method) => {
    const calls = Object.values(api).filter((call) => call.method === method && call.path.includes(':'))
    const ids = HOSTILE_IDS.filter((_, at) => method === 'GET' || at % 2 === 0)
    await expectUnbroken(
      calls.flatMap(({ path }) => ids.map((id) => path.replaceAll(/:\w+/gu, id))),
      method,
    )
  },
)

const HOSTILE_QUERIES = [
  'cursor=%00',
  'cursor=%ff',
  'cursor[$ne]=1',
  'cursor=1&cursor=2',
  `cursor=${'x'.repeat(6000)}`,
  'from=%00&type=__proto__',
  `newer=9e99.med_x&from=${'x'.repeat(6000)}`,
  'page=1e999',
  'page=-1',
  'page[]=1',
  'search=%25%25%27%22',
  `search=${'%25'.repeat(150)}`,
  'invite=%00',
  'invite=__proto__',
  'event=%F0%9F',
  '__proto__[polluted]=1',
  'constructor.prototype.polluted=1',
  'w=1e9&thumbnail=%00&original=x',
  '&&&==',
]

test('no query string breaks a call that reads', async () => {
  const asking = Object.values(api).filter(({ method, query }) => method === 'GET' && query !== undefined)
  await expectUnbroken(
    asking.flatMap(({ path }) =>
      HOSTILE_QUERIES.map((query) => `${path.replaceAll(/:\w+/gu, 'x')}?${query}`),
    ),
  )
})

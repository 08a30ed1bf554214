import { globSync, mkdtempDisposableSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { secretsIn } from '../../tools/build/lib/secret-shapes.ts'
import { headerProblems, type Kind } from '../../test/expected-headers.ts'
import { freePort } from '../../tools/operate/local/free-port.ts'
import { startStack } from '../../tools/operate/local/stack.ts'
import { DEMO } from '../../tools/operate/seed.ts'
import { expect, expectErrors, refusedWith, test } from '../world.ts'

const WORKER = 'dist/nhaka/**/*.js'
const CLIENT = 'dist/client/**/*.{js,css,html,svg}'

test('every static file has every security header without running the Worker', async ({ world }) => {
  const files = globSync('dist/client/assets/*').map((file) => `/assets/${basename(file)}`)
  expect(files.length).toBeGreaterThan(20)
  const problems: string[] = []
  for (const path of files) {
    const answer = await fetch(world.url + path)
    await answer.arrayBuffer()
    if (answer.status !== 200) problems.push(`${path}: ${answer.status}`)
    problems.push(...headerProblems(answer, 'asset', true).map((what) => `${path}: ${what}`))
  }
  const script = await fetch(`${world.url}/sw.js`)
  expect([await script.text(), script.status]).toEqual([expect.stringContaining('fetch'), 200])
  problems.push(...headerProblems(script, 'script', true))
  expect(problems).toEqual([])
})

test('pages, API responses and fixed files have every security header', async ({ world }) => {
  const pages = ['/', '/login', '/checkout', '/m/nobody-aaaaaa', '/memorial/mem_x', '/invite/x']
  const rows: [path: string, kind: Kind, status: number, method?: string][] = [
    ...pages.map((path): [string, Kind, number] => [path, 'page', 200]),
    ['/nope', 'page', 404],
    ['/favicon.ico', 'page', 404],
    ['/login', 'call', 405, 'POST'],
    ['/robots.txt', 'text', 200],
    ['/manifest.webmanifest', 'text', 200],
    ['/openapi.json', 'text', 200],
    ['/licenses.txt', 'text', 200],
    ['/.well-known/security.txt', 'text', 200],
    ['/api/config', 'call', 200],
    ['/api/nope', 'call', 404],
    ['/api/dashboard', 'call', 401],
    ['/media/stream/med_x', 'call', 404],
    ['/api/stripe/webhook', 'call', 400, 'POST'],
  ]
  for (const [path, kind, status, method = 'GET'] of rows) {
    const answer = await fetch(world.url + path, { method })
    await answer.arrayBuffer()
    expect([method, path, answer.status, headerProblems(answer, kind)]).toEqual([method, path, status, []])
  }
})

test('a Worker is ready only once its database is, and can then register an account', async () => {
  using state = mkdtempDisposableSync(join(tmpdir(), 'nhaka-ready-'))
  const port = await freePort()
  const url = `http://localhost:${port}`
  const starting = startStack({ port, state: state.path })
  let asked = 0
  // Each time from another address: one may ask 60 times a minute.
  const ask = () =>
    fetch(`${url}/api/health`, { headers: { 'CF-Connecting-IP': `203.0.113.${asked++ % 256}` } })
  const health = async () => (await ask().catch(() => null))?.status
  await expect.poll(health, { intervals: [100], timeout: 300_000 }).toBe(200)
  const registered = await fetch(`${url}/api/auth/register`, {
    method: 'POST',
    headers: { Origin: url, 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...DEMO.owner, lastName: 'Moyo', password: DEMO.password }),
  })
  expect(registered.status).toBe(201)
  await (await starting).close()
})

test('a missing asset is an uncached 404, and no private file is served', async ({ world }) => {
  expect(
    globSync('dist/client/*')
      .map((file) => basename(file))
      .toSorted(),
  ).toEqual([
    '_headers',
    'assets',
    'home.html',
    'index.html',
    'licenses.txt',
    'manifest.webmanifest',
    'memorial.html',
    'openapi.json',
    'personal.html',
    'refused.html',
    'screen.html',
    'sw.js',
  ])
  for (const path of [
    '/assets/index-0ldHa5h.js',
    '/assets/',
    '/assets',
    '/index.html',
    '/memorial.html',
    '/home.html',
    '/screen.html',
    '/personal.html',
    '/refused.html',
    '/_headers',
    '/assets/../_headers',
  ]) {
    const answer = await fetch(world.url + path)
    const { status, headers } = answer
    await answer.text()
    expect([path, status, headerProblems(answer, 'page')]).toEqual([path, 404, []])
    expect([path, headers.get('Cache-Control')]).toEqual([path, 'public, max-age=0, must-revalidate'])
  }
})

test('the site states the licences of everything that it contains', async ({ page, world }) => {
  await page.goto('/about')
  await page.getByRole('link', { name: 'Licences' }).click()
  await expect(page).toHaveURL('/licenses.txt')
  const answer = await fetch(`${world.url}/licenses.txt`)
  expect(answer.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
  const text = await answer.text()
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>
  }
  const named = Object.entries(dependencies).map(([name, version]) => `\n${name} ${version}, `)
  const notices = [
    'SIL OPEN FONT LICENSE Version 1.1',
    'Mozilla Public License Version 2.0',
    'Apache License',
    'Copyright (c) Meta Platforms, Inc. and affiliates.',
    'https://github.com/Vanilagy/mediabunny',
  ]
  expect([...named, ...notices].filter((part) => !text.includes(part))).toEqual([])
})

test('the app is installable: the manifest is valid, and each file it names exists', async ({
  page,
  world,
}) => {
  await page.goto('/')
  const client = await page.context().newCDPSession(page)
  const { url, errors, data } = await client.send('Page.getAppManifest')
  expect({ url, errors }).toEqual({ url: `${world.url}/manifest.webmanifest`, errors: [] })
  const { start_url, icons } = JSON.parse(data ?? '{}') as {
    start_url: string
    icons: { src: string; type: string }[]
  }
  const answers = await Promise.all(icons.map(({ src }) => fetch(world.url + src)))
  expect(answers.map(({ status, headers }) => `${status} ${headers.get('Content-Type')}`)).toEqual(
    icons.map(({ type }) => `200 ${type}`),
  )
  expect([icons.length, (await fetch(world.url + start_url)).status]).toEqual([4, 200])
})

test('the icon keeps its colours under its own content security policy', async ({ page }) => {
  // The page is sandboxed, as intended, but this test has to run a script in it.
  expectErrors(/frame is sandboxed/u)
  const [icon = ''] = globSync('dist/client/assets/favicon-*.svg').map((file) => `/assets/${basename(file)}`)
  await page.goto(icon)
  const fill = await page
    .locator('path')
    .first()
    .evaluate((path) => getComputedStyle(path).fill)
  expect(['rgb(138, 59, 36)', 'rgb(233, 162, 127)']).toContain(fill)
})

/** Status of a request with a method that browsers cannot send. */
function statusOf(url: string, method: string): Promise<number | string> {
  return new Promise((resolve) => {
    const sent = request(url, { method }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    sent.on('error', (error) => resolve(error.message))
    sent.end()
  })
}

test('TRACE does not echo the request', async ({ world }) => {
  for (const path of ['/', '/api/config', '/assets/nope.js']) {
    expect([path, await statusOf(world.url + path, 'TRACE')]).not.toEqual([path, 200])
  }
})

test('the built Worker contains no test code and runs no job on request', async ({ world }) => {
  const bundle = globSync(WORKER)
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  expect(bundle.length).toBeGreaterThan(100_000)
  const inside = [
    '__scheduled',
    'cdn-cgi/handler',
    'unsafeTrigger',
    'resetToken',
    'TEST_MIGRATIONS',
    '/faults',
    'sandbox/',
    'seedDemo',
  ]
  expect(inside.filter((word) => bundle.includes(word))).toEqual([])
  const worker = await world.miniflare.getWorker('nhaka')
  for (const path of [
    '/__scheduled?cron=*',
    '/cdn-cgi/handler/scheduled',
    '/cdn-cgi/handler/email',
    '/api/seed',
    '/api/test/reset',
  ]) {
    const answer = await worker.fetch(`http://localhost${path}`)
    await answer.text()
    expect([path, answer.status]).toEqual([path, 404])
  }
})

test('the deployed files contain no secret and no source map', () => {
  const files = [...globSync(WORKER), ...globSync(CLIENT)]
  expect(files.length).toBeGreaterThan(20)
  expect(files.flatMap((file) => secretsIn(file, readFileSync(file, 'utf8')))).toEqual([])
  expect(globSync('dist/client/**/*.map')).toEqual([])
})

test('a page of another site cannot embed ours in a frame', async ({ page, world }) => {
  expectErrors(/frame-ancestors/u, refusedWith(404))
  const lines: string[] = []
  page.on('console', (message) => lines.push(message.text()))
  // A page that is really served from another origin, so that the browser lets it request ours.
  await page.goto(`${world.sandboxUrl}/nope`)
  await page.evaluate(async (src) => {
    const frame = Object.assign(document.createElement('iframe'), { name: 'ours', src })
    await new Promise((resolve) => {
      frame.addEventListener('load', resolve)
      document.documentElement.append(frame)
    })
  }, `${world.url}/login`)
  await expect.poll(() => lines.join('\n')).toContain('frame-ancestors')
  expect(await page.frameLocator('iframe').locator('#root').count()).toBe(0)
})

import { createExecutionContext, env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import { isAboutTheService } from '#shared/page-titles.ts'
import { paths as screens } from '#shared/pages.ts'
import { PublicPages } from '#worker/public-pages.ts'
import { takeErrorLines } from '../error-lines.ts'
import { Client, memorialOf, ORIGIN } from '../harness.ts'

const robotsTagOf = async (path: string) => (await new Client().fetch(path)).headers.get('X-Robots-Tag')

test('search engines may index a public memorial only if its owner allows it', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  const [path, page] = [`/api/memorials/${memorial.id}`, `/m/${memorial.slug}`]
  const robots: (string | null)[] = [await robotsTagOf(page)]
  await owner.patch(path, { allowSearchEngines: true })
  robots.push(await robotsTagOf(page))
  for (const privacy of ['INVITE', 'PRIVATE', 'LOCKED']) {
    await owner.patch(`${path}/privacy`, { privacy })
    robots.push(await robotsTagOf(page))
  }
  await owner.patch(path, { allowSearchEngines: false })
  robots.push(await robotsTagOf(page))
  expect(robots).toEqual(['noindex', 'all', 'noindex', 'noindex', 'all', 'noindex'])
})

test('search engines never index other screens or data of a memorial', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  await owner.patch(`/api/memorials/${memorial.id}`, { allowSearchEngines: true })
  const paths = [
    `/memorial/${memorial.id}`,
    `/api/memorial/${memorial.slug}`,
    `/m/${memorial.slug}-more`,
    '/m/nobody-aaaaaa',
    '/dashboard',
  ]
  expect(await Promise.all(paths.map(robotsTagOf))).toEqual(paths.map(() => 'noindex'))
})

test('a public page opens while the database is down, and is not indexed then', async () => {
  const DB = new Proxy(env.DB, {
    get() {
      throw new Error('the database is down')
    },
  })
  const pages = new PublicPages(createExecutionContext(), { ...env, DB })
  const page = await pages.fetch(new Request(`${ORIGIN}/m/tendai-moyo-k7q2mx`))
  expect([page.status, page.headers.get('X-Robots-Tag')]).toEqual([200, 'noindex'])
  expect(takeErrorLines().join()).toContain('page_not_written')
})

test('search engines may index the pages about the service', async () => {
  const paths = ['/', '/about', '/faq', '/contact', '/terms', '/privacy']
  expect(await Promise.all(paths.map(robotsTagOf))).toEqual(paths.map(() => 'all'))
  const others = ['/login', '/register', '/admin', '/about/us', '/invite/about']
  expect(await Promise.all(others.map(robotsTagOf))).toEqual(others.map(() => 'noindex'))
})

test('of all screens, calls and files only the service pages may be indexed', async () => {
  const calls = Object.values(api).flatMap(({ method, path }) => (method === 'GET' ? [path] : []))
  const others = ['/nope', '/robots.txt', '/.well-known/security.txt', '/api/nope', '/media/nope']
  const addresses = [...Object.values(screens), ...calls, ...others].map((path) =>
    path.replaceAll(/:\w+/gu, 'x'),
  )
  const listed: string[] = []
  for (const address of addresses) {
    const tag = await robotsTagOf(address)
    expect([address, tag]).toEqual([address, expect.stringMatching(/^(?:all|noindex)$/u)])
    listed.push(...(tag === 'all' ? [address] : []))
  }
  expect(listed.toSorted()).toEqual(['/', '/about', '/contact', '/faq', '/privacy', '/terms'])
  expect(Object.values(screens).filter(isAboutTheService).toSorted()).toEqual(listed.toSorted())
})

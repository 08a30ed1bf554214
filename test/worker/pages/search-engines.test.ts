import { createExecutionContext, env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { imageSize } from 'image-size'
import { api } from '#shared/api.ts'
import { isAboutTheService, SERVICE_TITLES } from '#shared/pages/page-titles.ts'
import { paths as screens } from '#shared/pages/pages.ts'
import { PublicPages } from '#worker/public-pages.ts'
import { SITE_NAME } from '#shared/site-name.ts'
import { takeErrorLines } from '../runtime/error-lines.ts'
import { brokenBinding } from '../faults/faults.ts'
import { Client, memorialOf, ORIGIN, signedIn } from '../harness.ts'

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
  const DB = brokenBinding(env.DB, 'the database is down')
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

const NAME = 'Zvikomborero Chokwadi'

/** The head of the document at this path, from its title to the end of its meta tags. */
async function headOf(path: string): Promise<string> {
  const page = await (await new Client().fetch(path)).text()
  return /<title>[\s\S]*<meta name="twitter:image:alt"[^>]*>/u.exec(page)?.[0] ?? 'no head'
}

test('each page about the service states its title, description and address', async () => {
  for (const [path, title] of Object.entries(SERVICE_TITLES)) {
    const head = await headOf(path)
    expect(head.split('\n')[0]).toBe(`<title>${title} · ${SITE_NAME}</title>`)
    expect([path, head.match(/rel="canonical" href="([^"]+)"/u)?.[1], head.includes('noindex')]).toEqual([
      path,
      `http://localhost${path}`,
      false,
    ])
  }
})

test('the document of a public memorial links to its preview card, which is an image', async () => {
  const { memorial } = await memorialOf({ name: NAME, privacy: 'LOCKED' })
  const head = await headOf(`/m/${memorial.slug}`)
  expect(head.split('\n')[0]).toBe(`<title>${NAME} · ${SITE_NAME}</title>`)
  expect(head).toContain(`<link rel="canonical" href="http://localhost/m/${memorial.slug}">`)
  const image = head.match(/property="og:image" content="([^"]+)"/u)?.[1] ?? ''
  expect(image).toMatch(new RegExp(`^http://localhost/m/${memorial.slug}/card\\.jpg\\?v=[0-9a-f]{16}$`, 'u'))
  const answer = await new Client().fetch(image.slice('http://localhost'.length))
  const bytes = new Uint8Array(await answer.arrayBuffer())
  expect([answer.status, answer.headers.get('Content-Type'), imageSize(bytes)]).toEqual([
    200,
    'image/jpeg',
    { width: 1200, height: 630, type: 'jpg' },
  ])
  expect(answer.headers.get('Cache-Tag')).toBe(`memorial-${memorial.id}`)
})

test('documents of memorials that are not public are those of a missing page', async () => {
  const admin = await signedIn({ admin: true })
  const [hidden, invited, deleted, removed] = [
    await memorialOf({ name: NAME }),
    await memorialOf({ name: NAME, privacy: 'INVITE' }),
    await memorialOf({ name: NAME, privacy: 'LOCKED' }),
    await memorialOf({ name: NAME, privacy: 'LOCKED' }),
  ]
  await deleted.owner.delete(`/api/memorials/${deleted.memorial.id}`, { confirmName: NAME })
  await admin.post(`/api/admin/memorials/${removed.memorial.id}/remove`)
  const all = [hidden, invited, deleted, removed].map(({ memorial }) => memorial)
  const paths = [...all.flatMap(({ slug, id }) => [`/m/${slug}`, `/memorial/${id}`]), '/login', '/nope']
  const pages = await Promise.all(paths.map(async (path) => (await new Client().fetch(path)).text()))
  expect(pages.filter((page) => /zvikomborero|chokwadi/iu.test(page))).toEqual([])
  const memorialPaths = paths.filter((path) => /^\/(?:m|memorial)\//u.test(path))
  expect(memorialPaths).toHaveLength(8)
  const heads = new Set(await Promise.all(memorialPaths.map(headOf)))
  expect([...heads]).toEqual([await headOf('/m/nobody-aaaaaa')])
  expect([...heads].join()).toContain(`<title>${SITE_NAME}</title>`)
  expect([...heads].join()).toContain('<meta name="robots" content="noindex">')
})

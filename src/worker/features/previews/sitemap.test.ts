import { env } from 'cloudflare:test'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { findSitemap } from '#worker/features/previews/sitemap.ts'
import { openDb } from '#worker/platform/db.ts'
import { Client, memorialOf, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { watchedEnv } from '../../../../test/worker/runtime/watched.ts'
import { headerProblems } from '../../../../test/expected-headers.ts'
import { inTurn } from '../../../../test/worker/repeat.ts'

const ORIGIN = env.PUBLIC_ORIGIN
const SERVICE = `${ORIGIN}/sitemaps/service.xml`

async function read(path: string): Promise<{ answer: Response; urls: string[] }> {
  const answer = await new Client().fetch(path.replace(ORIGIN, ''))
  const urls = [...(await answer.text()).matchAll(/<loc>([^<]+)<\/loc>/gu)].map(([, url]) => url ?? '')
  return { answer, urls }
}

/** Every URL that the sitemap leads to. */
async function listed(): Promise<string[]> {
  const { urls } = await read('/sitemap.xml')
  const files = await Promise.all(urls.map(read))
  return files.flatMap((file) => file.urls)
}

async function listedMemorial() {
  const { owner, memorial, path } = await memorialOf({ privacy: 'LOCKED' })
  await owner.patch(path, { allowSearchEngines: true })
  return { owner, memorial, path, address: `${ORIGIN}/m/${memorial.slug}` }
}

type Listed = Awaited<ReturnType<typeof listedMemorial>>
type Seven = [Listed, Listed, Listed, Listed, Listed, Listed, Listed]

test('without listed memorials the sitemap leads only to the service pages', async () => {
  const { answer, urls } = await read('/sitemap.xml')
  expect([answer.status, answer.headers.get('Content-Type'), urls]).toEqual([
    200,
    'application/xml; charset=utf-8',
    [SERVICE],
  ])
  expect(headerProblems(answer, 'text')).toEqual([])
  expect((await read(SERVICE)).urls).toEqual(
    ['/', '/about', '/faq', '/contact', '/terms', '/privacy'].map((path) => ORIGIN + path),
  )
})

test('the sitemap lists only public memorials that allow search engines', async () => {
  const admin = await signedIn({ admin: true })
  const all = await inTurn(7, listedMemorial)
  const [shown, unlisted, priv, invite, deleted, removed, deletedRow] = all as Seven
  const neverListed = await memorialOf({ privacy: 'LOCKED' })
  expect((await listed()).filter((url) => url.includes('/m/'))).toEqual(all.map(({ address }) => address))
  await unlisted.owner.patch(unlisted.path, { allowSearchEngines: false })
  await priv.owner.patch(`${priv.path}/privacy`, { privacy: 'PRIVATE' })
  await invite.owner.patch(`${invite.path}/privacy`, { privacy: 'INVITE' })
  await deleted.owner.delete(deleted.path, { confirmName: deleted.memorial.honoureeFullName })
  await admin.post(`/api/admin/memorials/${removed.memorial.id}/remove`)
  const { db } = testCtx()
  await db.run(sql`update memorials set status = 'DELETED' where id = ${deletedRow.memorial.id}`)
  const { urls } = await read('/sitemap.xml')
  const texts = await Promise.all(
    urls.map(async (url) => (await new Client().fetch(url.replace(ORIGIN, ''))).text()),
  )
  expect((await listed()).filter((address) => address.includes('/m/'))).toEqual([shown.address])
  expect(texts.join()).not.toContain(neverListed.memorial.slug)
  await shown.owner.patch(`${shown.path}/privacy`, { privacy: 'PRIVATE' })
  expect((await read('/sitemap.xml')).urls).toEqual([SERVICE])
})

test('a sitemap file lists at most 5,000 memorials, each in exactly one file', async () => {
  const { owner } = await memorialOf()
  await testCtx().db.run(sql`
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 5003)
    insert into memorials (id, owner_id, slug, honouree_full_name, status, privacy, locked_at, allow_search_engines, created_at, updated_at)
    select 'mem_' || i, ${owner.user.id}, 'person-' || i, 'Person', 'ACTIVE', 'LOCKED', 1000 + i / 7, 1, 1, 1767225600000 from n`)
  const { urls } = await read('/sitemap.xml')
  expect(urls).toHaveLength(3)
  const files = await Promise.all(urls.slice(1).map(read))
  expect(files.map((file) => file.urls.length)).toEqual([5000, 3])
  expect(new Set(files.flatMap((file) => file.urls)).size).toBe(5003)
  const text = await (await new Client().fetch(urls[1]?.replace(ORIGIN, '') ?? '')).text()
  expect(text).toContain(`<loc>${ORIGIN}/m/person-1</loc><lastmod>2026-01-01T00:00:00.000Z</lastmod>`)
  expect(text).toMatch(
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<urlset xmlns="http:\/\/www\.sitemaps\.org/u,
  )
})

test('sitemap queries read only the index of listed memorials', async () => {
  const { env: bindings, asked } = watchedEnv()
  const watched = { ...testCtx(), env: bindings, db: openDb(bindings.DB) }
  await findSitemap(watched, '/sitemap.xml')
  await findSitemap(watched, '/sitemaps/1-mem_a.xml')
  const plans: string[] = []
  for (const statement of asked) {
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${statement}`)
      .bind(...Array.from(statement.matchAll(/\?/gu), () => 1))
      .all<{ detail: string }>()
    plans.push(results.map(({ detail }) => detail).join('; '))
  }
  expect(plans.length).toBeGreaterThan(1)
  expect(new Set(plans)).toEqual(
    new Set(['SEARCH memorials USING INDEX memorials_listed ((locked_at,id)>(?,?))']),
  )
})

test('an invalid sitemap path gets the not-found page', async () => {
  const paths = [
    '/sitemaps/',
    '/sitemaps/9999999999999-mem_a.xml',
    '/sitemaps/1-usr_a.xml',
    '/sitemaps/x.xml',
    '/sitemap.xml/',
  ]
  const answers = await Promise.all(paths.map(async (path) => new Client().fetch(path)))
  expect(answers.map(({ status, headers }) => [status, headers.get('Content-Type')])).toEqual(
    paths.map(() => [404, 'text/html; charset=utf-8']),
  )
  await Promise.all(answers.map(async (answer) => answer.text()))
})

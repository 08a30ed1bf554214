import { createExecutionContext, env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import { handleApi } from '#worker/api.ts'
import { handleQueue } from '#worker/jobs.ts'
import { PublicPages } from '#worker/public-pages.ts'
import { handleSchedule } from '#worker/schedule.ts'
import { ORIGIN, inviteTokenOf, memorialOf } from '../harness.ts'
import { recordedDb } from '../queries/recorded-db.ts'

const PRIMARY = ['first-primary']
const NEAR = ['first-unconstrained']

/** Where the database sessions of one call start. */
async function begunBy(path: string, init: RequestInit = {}): Promise<string[]> {
  const { DB, begun } = recordedDb()
  const request = new Request(`${ORIGIN}${path}`, init)
  const answer = await handleApi(request, { ...env, DB }, createExecutionContext())
  await answer.arrayBuffer()
  return begun
}

test('anonymous reads use the nearest replica; credentials and writes the primary', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const invite = await inviteTokenOf(owner, memorial.id)
  const page = `/api/memorial/${memorial.slug}`
  const shown = (headers: Record<string, string>) => begunBy(page, { headers })
  expect(await begunBy(page)).toEqual(NEAR)
  expect(await begunBy(page, { method: 'HEAD' })).toEqual(NEAR)
  expect(await begunBy(`/api/memorials/${memorial.id}/media`)).toEqual(NEAR)
  expect(await begunBy('/media/stream/med_none')).toEqual(NEAR)
  expect(await shown({ Cookie: 'theme=dark; less-data=1' })).toEqual(NEAR)

  expect(await shown({ Cookie: `theme=dark; contributor-${memorial.id}=abc` })).toEqual(PRIMARY)
  expect(await shown({ Cookie: `__Host-contributor-mem_a=abc` })).toEqual(PRIMARY)
  expect(await shown({ Cookie: 'session=abc' })).toEqual(PRIMARY)
  expect(await shown({ Cookie: '__Host-session=abc' })).toEqual(PRIMARY)
  expect(await shown({ 'X-Contributor-Token': 'abc' })).toEqual(PRIMARY)
  expect(await shown({ Authorization: 'Bearer abc' })).toEqual(PRIMARY)
  expect(await begunBy(`${page}?invite=abc`)).toEqual(PRIMARY)
  expect(await begunBy(`/api/invite/${invite}`)).toEqual(PRIMARY)
  expect(await begunBy('/api/auth/verify-email/abc')).toEqual(PRIMARY)
  const like = { method: 'POST', headers: { Origin: ORIGIN } }
  expect(await begunBy('/api/comments/com_none/like', like)).toEqual(PRIMARY)
})

test('no call that writes or has a secret in its address reads from a replica', async () => {
  const near: string[] = []
  for (const [name, { method, path }] of Object.entries(api)) {
    const begun = await begunBy(path.replaceAll(/:\w+/gu, 'x'), { method, headers: { Origin: ORIGIN } })
    if (begun.includes('first-unconstrained')) near.push(name)
  }
  expect(near.toSorted()).toEqual([
    'calendar',
    'contributorSession',
    'exportPlan',
    'funeralEvents',
    'inviteLink',
    'listComments',
    'listMedia',
    'locationMap',
    'mediaStream',
    'memorial',
    'memorialAudit',
    'memorialBySlug',
    'memorialExport',
    'plaque',
    'programme',
    'uploadState',
  ])
})

/** A database whose replicas are still empty. */
function laggingDb(): D1Database {
  const statement = { bind: () => statement, raw: async () => [], all: async () => ({ results: [] }) }
  const replica = {
    prepare: () => statement,
    batch: async (all: unknown[]) => all.map(() => ({ results: [] })),
  }
  return new Proxy(env.DB, {
    get(database, name) {
      const value: unknown = Reflect.get(database, name)
      if (typeof value !== 'function') return value
      if (name !== 'withSession') return value.bind(database)
      return (first: string) => (first === 'first-primary' ? database.withSession(first) : replica)
    },
  })
}

test('a newly public memorial’s page opens where the replica does not know it yet', async () => {
  const { memorial } = await memorialOf({ privacy: 'LOCKED', name: 'Zvita Chokwadi' })
  const pages = new PublicPages(createExecutionContext(), { ...env, DB: laggingDb() })
  const page = await pages.fetch(new Request(`${ORIGIN}/m/${memorial.slug}`))
  expect([page.headers.get('Cache-Tag'), (await page.text()).includes('Zvita Chokwadi')]).toEqual([
    `memorial-${memorial.id}`,
    true,
  ])
})

test('the edge caches pages of public memorials, and none for other slugs', async () => {
  const kept = async (path: string) => {
    const page = await new PublicPages(createExecutionContext(), env).fetch(new Request(`${ORIGIN}${path}`))
    return page.headers.get('Cloudflare-CDN-Cache-Control') !== 'no-store'
  }
  const told: boolean[] = []
  for (const privacy of ['PRIVATE', 'INVITE', 'LOCKED'] as const) {
    told.push(await kept(`/m/${(await memorialOf({ privacy })).memorial.slug}`))
  }
  expect([...told, await kept('/m/nobody-k7q2mx'), await kept('/about')]).toEqual([
    false,
    false,
    true,
    false,
    true,
  ])
})

test('public pages read from the nearest replica; jobs and cron from the primary', async () => {
  const { memorial } = await memorialOf({ privacy: 'LOCKED' })
  const pages = recordedDb()
  await new PublicPages(createExecutionContext(), { ...env, DB: pages.DB }).fetch(
    new Request(`${ORIGIN}/m/${memorial.slug}`),
  )
  expect([...new Set(pages.begun)]).toEqual(NEAR)
  const jobs = recordedDb()
  const message = { body: { type: 'purge-cache' }, attempts: 1, ack() {}, retry() {} }
  const batch = { queue: 'nhaka-jobs', messages: [message] } as never
  await handleQueue(batch, { ...env, DB: jobs.DB }, createExecutionContext())
  await handleSchedule('* * * * *', { ...env, DB: jobs.DB }, createExecutionContext())
  expect([...new Set(jobs.begun)]).toEqual(PRIMARY)
})

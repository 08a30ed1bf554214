import { createExecutionContext, env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import { handleApi } from '#worker/api.ts'
import { handleQueue } from '#worker/jobs.ts'
import { PublicPages } from '#worker/public-pages.ts'
import { handleSchedule } from '#worker/schedule.ts'
import { ORIGIN, inviteTokenOf, memorialOf } from '../harness.ts'
import { recordedDb } from '../runtime/intercepted-db.ts'

const PRIMARY = ['first-primary']
const REPLICA = ['first-unconstrained']

/** Where the database sessions of one call start. */
async function sessionStartsOf(path: string, init: RequestInit = {}): Promise<string[]> {
  const { DB, sessionStarts } = recordedDb()
  const request = new Request(`${ORIGIN}${path}`, init)
  const answer = await handleApi(request, { ...env, DB }, createExecutionContext())
  await answer.arrayBuffer()
  return sessionStarts
}

test('anonymous reads use the nearest replica; credentials and writes the primary', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const invite = await inviteTokenOf(owner, memorial.id)
  const page = `/api/memorial/${memorial.slug}`
  const shown = (headers: Record<string, string>) => sessionStartsOf(page, { headers })
  expect(await sessionStartsOf(page)).toEqual(REPLICA)
  expect(await sessionStartsOf(page, { method: 'HEAD' })).toEqual(REPLICA)
  expect(await sessionStartsOf(`/api/memorials/${memorial.id}/media`)).toEqual(REPLICA)
  expect(await sessionStartsOf('/media/stream/med_none')).toEqual(REPLICA)
  expect(await shown({ Cookie: 'theme=dark; less-data=1' })).toEqual(REPLICA)

  expect(await shown({ Cookie: `theme=dark; contributor-${memorial.id}=abc` })).toEqual(PRIMARY)
  expect(await shown({ Cookie: `__Host-contributor-mem_a=abc` })).toEqual(PRIMARY)
  expect(await shown({ Cookie: 'session=abc' })).toEqual(PRIMARY)
  expect(await shown({ Cookie: '__Host-session=abc' })).toEqual(PRIMARY)
  expect(await shown({ 'X-Contributor-Token': 'abc' })).toEqual(PRIMARY)
  expect(await shown({ Authorization: 'Bearer abc' })).toEqual(PRIMARY)
  expect(await sessionStartsOf(`${page}?invite=abc`)).toEqual(PRIMARY)
  expect(await sessionStartsOf(`/api/invite/${invite}`)).toEqual(PRIMARY)
  expect(await sessionStartsOf('/api/auth/verify-email/abc')).toEqual(PRIMARY)
  const like = { method: 'POST', headers: { Origin: ORIGIN } }
  expect(await sessionStartsOf('/api/comments/com_none/like', like)).toEqual(PRIMARY)
})

test('no call that writes or has a secret in its address reads from a replica', async () => {
  const near: string[] = []
  for (const [name, { method, path }] of Object.entries(api)) {
    const sessionStarts = await sessionStartsOf(path.replaceAll(/:\w+/gu, 'x'), {
      method,
      headers: { Origin: ORIGIN },
    })
    if (sessionStarts.includes('first-unconstrained')) near.push(name)
  }
  expect(near.toSorted()).toEqual([
    'announcementCard',
    'calendar',
    'contributorSession',
    'exportPlan',
    'followers',
    'funeralEvents',
    'inviteLink',
    'listComments',
    'listContributors',
    'listDecided',
    'listFamilyActions',
    'listHeld',
    'listInvitations',
    'listKeepers',
    'listMedia',
    'listRemoved',
    'listReplies',
    'listReported',
    'listSuccessors',
    'locationMap',
    'mediaStream',
    'memorial',
    'memorialAudit',
    'memorialBySlug',
    'memorialExport',
    'ownReplies',
    'plaque',
    'programme',
    'repliesFile',
    'replyCounts',
    'uploadState',
    'visitorWords',
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
  const isCached = async (path: string) => {
    const page = await new PublicPages(createExecutionContext(), env).fetch(new Request(`${ORIGIN}${path}`))
    return page.headers.get('Cloudflare-CDN-Cache-Control') !== 'no-store'
  }
  const cached: boolean[] = []
  for (const privacy of ['PRIVATE', 'INVITE', 'LOCKED'] as const) {
    cached.push(await isCached(`/m/${(await memorialOf({ privacy })).memorial.slug}`))
  }
  expect([...cached, await isCached('/m/nobody-k7q2mx'), await isCached('/about')]).toEqual([
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
  expect([...new Set(pages.sessionStarts)]).toEqual(REPLICA)
  const jobs = recordedDb()
  const message = { body: { type: 'purge-cache' }, attempts: 1, ack() {}, retry() {} }
  const batch = { queue: 'nhaka-jobs', messages: [message] } as never
  await handleQueue(batch, { ...env, DB: jobs.DB }, createExecutionContext())
  await handleSchedule('* * * * *', { ...env, DB: jobs.DB }, createExecutionContext())
  expect([...new Set(jobs.sessionStarts)]).toEqual(PRIMARY)
})

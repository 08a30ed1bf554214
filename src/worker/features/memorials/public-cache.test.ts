import { createExecutionContext, env } from 'cloudflare:test'
import { asc, eq, sql } from 'drizzle-orm'
import { beforeEach, expect, test } from 'vitest'
import type { Ctx } from '#worker/platform/ctx.ts'
import { removeMemorial } from '#worker/features/admin/memorials.ts'
import { deleteMemorial } from '#worker/features/memorials/delete-memorial.ts'
import { updateMemorial, changePrivacy } from '#worker/features/memorials/edit-memorial.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { queueCachePurge, drainCachePurges } from '#worker/platform/edge-cache.ts'
import { accessForSender, findMemorial } from '#worker/access/memorial-access.ts'
import { cachePurges } from '#worker/schema/jobs.table.ts'
import { PublicPages } from '#worker/public-pages.ts'
import { Client, dropQueueMessages, memorialOf, signedIn, testCtx } from '../../../../test/worker/harness.ts'

/** The rate limiters of one test: neither another test nor a queue message of an earlier file counts here. */
let THROTTLE = env.THROTTLE
beforeEach(({ task }) => {
  const getByName = (name: string) => env.THROTTLE.getByName(`${task.id}:${name}`)
  THROTTLE = Object.assign(Object.create(env.THROTTLE) as typeof THROTTLE, { getByName })
})

/** A context that records cache purges and queued jobs instead of sending them. */
function recordingCtx(now = Date.now()): Ctx & { purged: string[][]; jobs: string[] } {
  const purged: string[][] = []
  const jobs: string[] = []
  const ctx = testCtx(() => now)
  return {
    ...ctx,
    env: { ...ctx.env, THROTTLE },
    purged,
    jobs,
    async purgeEdge(tags) {
      purged.push(tags)
    },
    async enqueue(...more) {
      jobs.push(...more.map(({ type }) => type))
    },
  }
}

beforeEach(async () => {
  dropQueueMessages()
  await clearPurges()
})

async function queuedPurges() {
  const rows = await testCtx().db.select().from(cachePurges).orderBy(asc(cachePurges.tag))
  return rows.map(({ tag, isUrgent }) => [tag, isUrgent])
}

async function clearPurges() {
  await testCtx().db.delete(cachePurges)
}

/** In an hour: a drain at the real time, by a late queue message, takes no row that is due only then. */
const LATER = Date.now() + 3_600_000

async function publicMemorial() {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  const row = (await findMemorial(testCtx(), memorial.id))!
  await clearPurges()
  return { owner, row, tag: `memorial-${memorial.id}` }
}

test(
  'hiding a public memorial queues an urgent cache purge in the same batch',
  { tags: ['deletion-purges-cache'] },
  async () => {
    const admin = await signedIn({ admin: true })
    const actions: [
      string,
      (ctx: Ctx, it: Awaited<ReturnType<typeof publicMemorial>>) => Promise<unknown>,
    ][] = [
      ['private', (ctx, { row }) => changePrivacy(ctx, accessForSender(row, null), 'PRIVATE')],
      ['invite', (ctx, { row }) => changePrivacy(ctx, accessForSender(row, null), 'INVITE')],
      ['deleted', (ctx, { owner, row }) => deleteMemorial(ctx, owner.user, row, row.honoureeFullName)],
      [
        'removed',
        (ctx, { row }) => removeMemorial(Object.assign(ctx, { user: admin.user }) as never, row.id, ''),
      ],
    ]
    for (const [name, action] of actions) {
      await clearPurges()
      const memorial = await publicMemorial()
      const ctx = recordingCtx()
      await action(ctx, memorial)
      expect([name, await queuedPurges(), ctx.jobs.includes('purge-cache')]).toEqual([
        name,
        [[memorial.tag, true]],
        true,
      ])
    }
  },
)

test('an edit of a public memorial queues a purge for the next LATER', async () => {
  const { row, tag } = await publicMemorial()
  const ctx = recordingCtx()
  await updateMemorial(ctx, accessForSender(row, null), { title: 'She stayed.' })
  expect([await queuedPurges(), ctx.jobs]).toEqual([[[tag, false]], []])
  await changePrivacy(ctx, accessForSender(row, null), 'LOCKED')
  expect(await queuedPurges()).toEqual([[tag, false]])
  await changePrivacy(ctx, accessForSender(row, null), 'PRIVATE')
  expect(await queuedPurges()).toEqual([[tag, true]])
  await clearPurges()
  await updateMemorial(ctx, accessForSender(row, null), { title: 'She went.' })
  await changePrivacy(ctx, accessForSender(row, null), 'INVITE')
  expect(await queuedPurges()).toEqual([])
})

test('a failed purge is retried, and requests that arrive meanwhile are kept', async () => {
  const { db } = testCtx()
  await db.insert(cachePurges).values({ tag: 'memorial-a', isUrgent: true, askedAt: 1, dueAt: LATER })
  const failing = recordingCtx(LATER)
  failing.purgeEdge = async () => {
    throw new Error('429')
  }
  await expect(drainCachePurges(failing)).rejects.toThrow('429')
  expect(await queuedPurges()).toEqual([['memorial-a', true]])
  const slow = recordingCtx(LATER)
  slow.purgeEdge = async (tags) => {
    slow.purged.push(tags)
    await db.update(cachePurges).set({ askedAt: sql`${cachePurges.askedAt} + 1` })
  }
  await drainCachePurges(slow)
  expect([slow.purged, await queuedPurges()]).toEqual([[['memorial-a']], [['memorial-a', true]]])
  const next = recordingCtx(LATER)
  await drainCachePurges(next)
  expect([next.purged, await queuedPurges()]).toEqual([[['memorial-a']], [['memorial-a', true]]])
})

test('an urgent purge is repeated later, because a replica may have been stale', async () => {
  const { db } = testCtx()
  const start = LATER
  const drainAt = async (afterMs: number) => {
    const ctx = recordingCtx(start + afterMs)
    await drainCachePurges(ctx)
    return ctx.purged
  }
  await db.insert(cachePurges).values([
    { tag: 'memorial-a', isUrgent: true, askedAt: 1, dueAt: LATER },
    { tag: 'memorial-b', isUrgent: false, askedAt: 1, dueAt: LATER },
  ])
  expect(await drainAt(0)).toEqual([['memorial-a', 'memorial-b']])
  expect([await drainAt(89_999), await queuedPurges()]).toEqual([[], [['memorial-a', true]]])
  const failing = recordingCtx(start + 90_000)
  failing.purgeEdge = async () => {
    throw new Error('429')
  }
  await expect(drainCachePurges(failing)).rejects.toThrow('429')
  expect([await drainAt(90_001), await queuedPurges()]).toEqual([[['memorial-a']], []])
})

test('a new urgent purge restarts a pending repeat; an ordinary one joins it', async () => {
  const { row, tag } = await publicMemorial()
  const start = LATER
  const purgedAt = async (afterMs: number) => {
    const ctx = recordingCtx(start + afterMs)
    await drainCachePurges(ctx)
    return ctx.purged.flat()
  }
  const queue = (afterMs: number, urgent: boolean) =>
    queueCachePurge(recordingCtx(start + afterMs), eq(memorials.id, row.id), { urgent })
  await queue(0, true)
  expect(await purgedAt(0)).toEqual([tag])
  await queue(20_000, false)
  expect(await purgedAt(20_000)).toEqual([])
  await queue(30_000, true)
  expect(await purgedAt(30_000)).toEqual([tag])
  expect(await purgedAt(119_999)).toEqual([])
  expect([await purgedAt(120_000), await queuedPurges()]).toEqual([[tag], []])
})

test('two simultaneous drains of the same purge count once', async () => {
  const { db } = testCtx()
  await db.insert(cachePurges).values({ tag: 'memorial-a', isUrgent: true, askedAt: 1, dueAt: LATER })
  const slow = recordingCtx(LATER)
  slow.purgeEdge = async () => drainCachePurges(recordingCtx(LATER))
  await drainCachePurges(slow)
  expect(await queuedPurges()).toEqual([['memorial-a', true]])
})

test('purges are sent 100 tags per call, urgent first, five calls a LATER', async () => {
  const count = 730
  await testCtx().db.run(sql`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into ${cachePurges} select 'memorial-' || printf('%04d', i), i > 690, i, ${LATER}, 0 from n`)
  const ctx = recordingCtx(LATER)
  await drainCachePurges(ctx)
  expect(ctx.purged.map((tags) => tags.length)).toEqual([100, 100, 100, 100, 100])
  expect(ctx.purged[0]?.slice(0, 41)).toEqual([
    ...Array.from({ length: 40 }, (_, at) => `memorial-0${691 + at}`),
    'memorial-0001',
  ])
  await drainCachePurges(ctx)
  expect(ctx.purged).toHaveLength(5)
  const later = recordingCtx(LATER + 91_000)
  await drainCachePurges(later)
  expect([later.purged.flat().length, await queuedPurges()]).toEqual([230 + 40, []])
})

test('only the page of a public memorial carries a cache tag', async () => {
  const { owner, row, tag } = await publicMemorial()
  const tagOf = async (path: string) => (await new Client().fetch(path)).headers.get('Cache-Tag')
  expect(await tagOf(`/m/${row.slug}`)).toBe(tag)
  await owner.patch(`/api/memorials/${row.id}/privacy`, { privacy: 'INVITE' })
  for (const path of [`/m/${row.slug}`, '/', `/memorial/${row.id}`]) {
    expect([path, await tagOf(path)]).toEqual([path, null])
  }
})

test('a refused purge throws, and without a cache a purge does nothing', async () => {
  const pagesWith = (cache: object) => new PublicPages(Object.assign(createExecutionContext(), cache), env)
  const purges: unknown[] = []
  const answering = (success: boolean) => ({
    cache: {
      async purge(options: unknown) {
        purges.push(options)
        return { success, errors: [] }
      },
    },
  })
  await pagesWith(answering(true)).purge(['memorial-a'])
  await expect(pagesWith(answering(false)).purge(['memorial-b'])).rejects.toThrow('the cache purge failed')
  await pagesWith({}).purge(['memorial-c'])
  expect(purges).toEqual([{ tags: ['memorial-a'] }, { tags: ['memorial-b'] }])
  await testCtx().purgeEdge(['memorial-d'])
})

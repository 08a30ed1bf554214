import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { DAY_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { memorials, retiredSlugs } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { purgeDeleted } from '#worker/features/removal/removal.jobs.ts'
import { cachePurges } from '#worker/schema/jobs.table.ts'
import { hashToken } from '#worker/platform/random.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import {
  contributorOf,
  inviteTokenOf,
  memorialOf,
  signedIn,
  testCtx,
} from '../../../../test/worker/harness.ts'
import { objectsOf, quotaItemsOf } from '../../../../test/worker/uploads.ts'
import {
  findTraces,
  leftOf,
  NOTHING,
  purgeAuditRows,
  setDeleted,
  wholeMemorial,
} from '../../../../test/worker/whole-memorial.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'

test(
  'thirty days after deletion no table or store has anything of a memorial',
  { tags: ['purge-ends-sessions', 'purge-mails', 'purge-idempotency-keys'] },
  async () => {
    const whole = await wholeMemorial()
    const { id, slug, texts, tokens } = whole
    expect([tokens.length, (await objectsOf(id)).length, await quotaItemsOf(id)]).toEqual([
      3,
      4,
      [expect.stringMatching(/^med_/u)],
    ])
    const before = await findTraces(texts)
    for (const table of 'media comments removed_items contributors invite_tokens funeral_events replies mails locations'.split(
      ' ',
    )) {
      expect(before.filter((trace) => trace.startsWith(`${table}.`))).not.toEqual([])
    }
    await whole.owner.delete(`/api/memorials/${id}`, { confirmName: whole.name })
    await setDeleted(id, 30.01)
    await purgeDeleted(testCtx())
    expect(await leftOf(whole)).toEqual(NOTHING)

    expect(await rowsOf(retiredSlugs, { slug })).toEqual([{ slug }])
    expect(await rowsOf(payments, { memorialId: id })).toMatchObject([
      { userId: whole.owner.user.id, status: 'PAID', amount: 6000 },
    ])
    expect(await purgeAuditRows(id)).toEqual([{ actorId: null, detail: null, targetKind: 'memorial' }])
  },
)

test(
  'a purge keeps recent deletions, removed memorials and everything else',
  { tags: ['purge-after-30-days'] },
  async () => {
    const recent = await wholeMemorial()
    const removed = await memorialOf()
    const active = await memorialOf()
    const admin = await signedIn({ admin: true })
    await admin.post(`/api/admin/memorials/${removed.memorial.id}/remove`)
    await setDeleted(recent.id, 30)
    await changeRows(memorials, { id: removed.memorial.id }, { updatedAt: Date.now() - 400 * DAY_MS })
    // The queue may drain the cache purges at any moment.
    await testCtx().db.delete(cachePurges)
    const traces = await findTraces(recent.texts)
    const stored = [await objectsOf(recent.id), await quotaItemsOf(recent.id)]
    await purgeDeleted(testCtx())
    expect(await findTraces(recent.texts)).toEqual(traces)
    expect([await objectsOf(recent.id), await quotaItemsOf(recent.id)]).toEqual(stored)
    const left = await testCtx().db.select({ id: memorials.id, status: memorials.status }).from(memorials)
    expect(left).toEqual(
      expect.arrayContaining([
        { id: removed.memorial.id, status: 'REMOVED' },
        { id: active.memorial.id, status: 'ACTIVE' },
      ]),
    )
  },
)

test('five simultaneous purges leave nothing and one audit entry each', async () => {
  const all = [await wholeMemorial(), await wholeMemorial()]
  for (const { id } of all) await setDeleted(id, 31)
  await atOnce(5, () => purgeDeleted(testCtx()))
  for (const whole of all) {
    expect(await leftOf(whole)).toEqual(NOTHING)
    expect(await purgeAuditRows(whole.id)).toHaveLength(1)
  }
})

test('a failing purge is logged and skipped; a full batch queues the next run', async () => {
  const { owner } = await memorialOf()
  const rows = Array.from({ length: 26 }, (_, at) => ({
    id: `mem_purge${String(at).padStart(2, '0')}`,
    ownerId: owner.user.id,
    slug: `purge-${at}`,
    honoureeFullName: 'Draft',
    status: 'DELETED' as const,
    deletedAt: at,
    createdAt: 1,
    updatedAt: 1,
  }))
  const ctx = testCtx()
  for (const row of rows) await ctx.db.insert(memorials).values(row)
  const left = async () => (await rowsOf(memorials, { honoureeFullName: 'Draft' })).length
  const jobs: string[] = []
  const enqueue: Ctx['enqueue'] = async (...more) => void jobs.push(...more.map(({ type }) => type))
  const MEDIA = new Proxy(env.MEDIA, {
    get: (bucket, name) => (key: unknown) => {
      if (key === 'm/mem_purge00') throw new Error('storage is down')
      return Reflect.apply(Reflect.get(bucket, name) as () => unknown, bucket, [key])
    },
  })
  await purgeDeleted({ ...ctx, env: { ...env, MEDIA }, enqueue })
  expect([await left(), jobs]).toEqual([2, []])
  expect(takeErrorLines().join()).toContain('mem_purge00')
  for (const row of rows.slice(0, 25)) await ctx.db.insert(memorials).values(row).onConflictDoNothing()
  await purgeDeleted({ ...ctx, enqueue })
  expect([await left(), jobs]).toEqual([1, ['purge-deleted']])
  await purgeDeleted({ ...ctx, enqueue })
  expect([await left(), jobs]).toEqual([0, ['purge-deleted']])
})

test('the next sweep deletes an object that arrives during a purge', async () => {
  const whole = await wholeMemorial()
  await setDeleted(whole.id, 31)
  const late = new Proxy(env.QUOTA, {
    get: (quota, name) => (memorialId: string) => ({
      async forget() {
        await env.MEDIA.put(`m/${memorialId}/med_late`, 'late')
        await (Reflect.get(quota, name) as typeof quota.getByName).call(quota, memorialId).forget()
      },
    }),
  })
  await purgeDeleted({ ...testCtx(), env: { ...env, QUOTA: late } })
  expect(await objectsOf(whole.id)).toEqual([`m/${whole.id}/med_late`])
  expect(await leftOf(whole)).toEqual(NOTHING)
})

test('a guest who gives a name leaves no token behind', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const guest = await contributorOf(owner, memorial.id, 'Guest Visitor')
  const key = `contributor:${hashToken(guest.session.authToken)}`
  expect(await env.KV.get(key)).toBe(guest.session.contributorId)
  const path = `/api/invite/${await inviteTokenOf(owner, memorial.id)}/session`
  const named = await guest.post(path, { displayName: 'Farai Chikomo', email: '' })
  expect(named.status).toBe(201)
  await expect.poll(async () => env.KV.get(key)).toBeNull()
  expect(await env.KV.get(`contributor:${hashToken(named.body.authToken)}`)).toBe(named.body.contributorId)
})

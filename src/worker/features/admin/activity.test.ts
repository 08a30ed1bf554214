import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import type { Activity } from '#shared/admin/admin.ts'
import type { MemorialView } from '#shared/memorials/memorials.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { activityQueries } from '#worker/features/admin/activity.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { memorialOf, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

test('the activity list shows what happened, when and where, and nothing private', async () => {
  const admin = await signedIn({ admin: true })
  const name = `Ambuya ${randomBase32(8)}`
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE', name })
  const posted = await owner.post(`${path}/comments`, { body: 'A private word' })
  const unpaid = await signedIn()
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })

  // In the far future and minutes apart, so that no other activity comes between.
  const at = (minutes: number) => Date.parse('2090-01-01T00:00:00Z') + minutes * 60_000
  const [payment] = await rowsOf(payments, { memorialId: memorial.id })
  await changeRows(users, { id: unpaid.user.id }, { emailVerifiedAt: at(1) })
  await changeRows(payments, { id: payment?.id ?? '' }, { paidAt: at(2) })
  await changeRows(memorials, { id: memorial.id }, { createdAt: at(3), lockedAt: at(5) })
  await changeRows(comments, { id: posted.body.comment.id }, { createdAt: at(4) })

  const { status, body } = await admin.get<{ activity: Activity[] }>('/api/admin/activity')
  const about = { id: memorial.id, honoureeFullName: name }
  const time = (minutes: number) => new Date(at(minutes)).toISOString()
  expect(status).toBe(200)
  expect(body.activity.slice(0, 5)).toEqual([
    { id: `memorial_published:${memorial.id}`, kind: 'memorial_published', at: time(5), memorial: about },
    {
      id: `message_posted:${posted.body.comment.id}`,
      kind: 'message_posted',
      at: time(4),
      memorial: about,
    },
    { id: `memorial_created:${memorial.id}`, kind: 'memorial_created', at: time(3), memorial: about },
    { id: `payment_paid:${payment?.id}`, kind: 'payment_paid', at: time(2), memorial: about },
    { id: `account_verified:${unpaid.user.id}`, kind: 'account_verified', at: time(1), memorial: null },
  ])
  expect(JSON.stringify(body)).not.toMatch(/private word|@family/u)
})

test('the activity list has at most 20 entries and no memorial that is not public', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  const published = async () => {
    const { body } = await admin.get<{ activity: Activity[] }>('/api/admin/activity')
    return body.activity.some(({ id }) => id === `memorial_published:${memorial.id}`)
  }
  await changeRows(memorials, { id: memorial.id }, { lockedAt: Date.parse('2091-01-01') })
  expect(await published()).toBe(true)
  await owner.patch<MemorialView>(`/api/memorials/${memorial.id}/privacy`, { privacy: 'PRIVATE' })
  expect(await published()).toBe(false)
  for (let i = 0; i < 25; i += 1) await signedIn()
  const { body } = await admin.get<{ activity: Activity[] }>('/api/admin/activity')
  expect(body.activity).toHaveLength(20)
})

test('each activity query walks an index from its newest end, with no scan or sort', async () => {
  const plans: string[][] = []
  for (const query of activityQueries(testCtx())) {
    const { sql, params } = query.toSQL()
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...params)
      .all<{ detail: string }>()
    plans.push(results.map(({ detail }) => detail))
  }
  expect(plans).toEqual([
    ['SEARCH users USING INDEX users_unverified (email_verified_at>?)'],
    ['SCAN memorials USING COVERING INDEX memorials_created'],
    ['SEARCH memorials USING INDEX memorials_locked (locked_at>?)'],
    [
      'SEARCH payments USING INDEX payments_paid (paid_at>?)',
      'SEARCH memorials USING INDEX sqlite_autoindex_memorials_1 (id=?) LEFT-JOIN',
    ],
    [
      'SCAN comments USING INDEX comments_created',
      'SEARCH memorials USING INDEX sqlite_autoindex_memorials_1 (id=?)',
    ],
  ])
})

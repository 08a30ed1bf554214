import { createExecutionContext, env } from 'cloudflare:test'
import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { memorials } from '#worker/schema/memorials.table.ts'
import { cachePurges } from '#worker/schema/jobs.table.ts'
import { handleSchedule } from '#worker/schedule.ts'
import { memorialOf, testCtx } from './harness.ts'
import { setDeleted } from './whole-memorial.ts'

test('only the daily cron purges deleted memorials', { tags: ['purge-is-scheduled'] }, async () => {
  const { memorial } = await memorialOf()
  const { db } = testCtx()
  await setDeleted(memorial.id, 31)
  const left = async () => db.select().from(memorials).where(eq(memorials.id, memorial.id))
  for (const cron of ['* * * * *', '*/15 * * * *', '17 * * * *']) {
    await handleSchedule(cron, env, createExecutionContext())
    expect([cron, await left()]).toEqual([cron, [expect.objectContaining({ id: memorial.id })]])
  }
  await handleSchedule('43 2 * * *', env, createExecutionContext())
  expect(await left()).toEqual([])
})

test('the cron of each minute drains the remaining cache purges', async () => {
  const { db } = testCtx()
  await db.insert(cachePurges).values({ tag: 'memorial-left-over', isUrgent: false, askedAt: 1 })
  await handleSchedule('* * * * *', env, createExecutionContext())
  expect(await db.select().from(cachePurges)).toEqual([])
})

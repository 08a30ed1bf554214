import { createExecutionContext, env } from 'cloudflare:test'
import { expect, test, vi } from 'vitest'
import { COUNTERS } from '#worker/platform/metrics.ts'
import { handleSchedule } from '#worker/schedule.ts'
import { cachePurges } from '#worker/schema/jobs.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { takeErrorLines } from './runtime/error-lines.ts'
import { Client, invited, memorialOf, testCtx } from './harness.ts'
import { rowsOf } from './rows.ts'
import { sendFixture, uploadFixture } from './uploads.ts'
import { setDeleted } from './whole-memorial.ts'

type Point = { indexes?: (string | ArrayBuffer | null)[]; blobs?: unknown[]; doubles?: number[] }

test('events are counted by name, kind and amount, and no metric names a person', async () => {
  const points: Point[] = []
  const dataset = { writeDataPoint: (point: Point = {}) => void points.push(point) }
  const { owner, memorial, relative } = await invited()
  for (const client of [owner, relative]) client.bindings = { ...env, COUNTERS: dataset }
  await relative.post(`/api/memorials/${memorial.id}/comments`, { body: 'Rest well' })
  await sendFixture(relative, memorial.id, 'photo.png')
  await uploadFixture(relative, memorial.id, 'not-a-pdf.pdf', { name: 'b.png' })
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
  expect(points).toEqual(
    [
      ['message_posted', '', 1],
      ['upload_done', 'IMAGE', expect.any(Number)],
      ['upload_refused', '415', 1],
      ['memorial_published', '', 1],
    ].map(([name, kind, amount]) => ({ indexes: [name], blobs: [name, kind], doubles: [amount] })),
  )
  const names: readonly unknown[] = COUNTERS
  expect(points.filter(({ blobs }) => !names.includes(blobs?.[0]))).toEqual([])
})

test('a deployment without metrics, or whose metrics fail, works the same', async () => {
  const warned: string[] = []
  vi.spyOn(console, 'warn').mockImplementation((line: string) => void warned.push(line))
  const broken = {
    writeDataPoint: () => {
      throw new Error('no dataset')
    },
  }
  for (const COUNTED of [undefined, broken]) {
    const client = new Client()
    client.bindings = { ...env, DB: undefined as unknown as D1Database, COUNTERS: COUNTED! }
    expect((await client.get('/api/memorial/nobody-at-all')).status).toBe(500)
    expect(takeErrorLines()).toHaveLength(1)
  }
  expect(warned.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(['not_counted'])
})

test('only the daily cron purges deleted memorials', { tags: ['purge-is-scheduled'] }, async () => {
  const { memorial } = await memorialOf()
  await setDeleted(memorial.id, 31)
  const left = () => rowsOf(memorials, { id: memorial.id })
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

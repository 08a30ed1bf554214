import { env } from 'cloudflare:test'
import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import type { AdminDeadJob, AdminDeadJobPage } from '#shared/admin/admin.ts'
import { listDeadJobs, resendDeadJob } from '#worker/features/admin/dead-jobs.ts'
import { type Job, type SentJob, deadJobs, cachePurges } from '#worker/schema/jobs.table.ts'
import { type RequestCtx, createCtx } from '#worker/platform/ctx.ts'
import { saveDeadJob } from '#worker/platform/job-records.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { inTurn } from '../../../../test/worker/repeat.ts'
import { auditOf } from '../../../../test/worker/rows.ts'

/** Saves a job as dead at this time and returns its id in the list. */
async function deadJob(job: Job, at = Date.now()): Promise<string> {
  const ctx = testCtx(() => at)
  const messageId = crypto.randomUUID()
  await saveDeadJob(ctx, messageId, job)
  await saveDeadJob(ctx, messageId, job)
  const lines = takeErrorLines()
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('job_dead')
  return `job_${messageId.replaceAll('-', '')}`
}

test('dead jobs are listed newest first, paged, with the id of their request', async () => {
  const admin = await signedIn({ admin: true })
  await testCtx().db.delete(deadJobs)
  const ids = await inTurn(21, (i) => deadJob({ type: 'delete-objects', prefix: `m/${i}` }, 1000 + i))
  const first = await admin.get<AdminDeadJobPage>('/api/admin/dead-jobs')
  expect(first.body.jobs.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 20))
  expect(first.body.jobs[0]).toEqual({
    id: ids.at(-1),
    type: 'delete-objects',
    requestId: expect.stringMatching(/^req_/u),
    diedAt: '1970-01-01T00:00:01.020Z',
  })
  const second = await admin.get<AdminDeadJobPage>(`/api/admin/dead-jobs?cursor=${first.body.nextCursor}`)
  expect([second.body.jobs.map(({ id }) => id), second.body.nextCursor]).toEqual([[ids[0]], null])
})

test('a resent job runs, leaves the list, and is recorded with the admin', async () => {
  const admin = await signedIn({ admin: true })
  const { db } = testCtx()
  const id = await deadJob({ type: 'purge-cache' })
  await db.insert(cachePurges).values({ tag: 'memorial-waits', isUrgent: false, askedAt: 1 })
  const answer = await admin.post<AdminDeadJob>(`/api/admin/dead-jobs/${id}/resend`)
  expect([answer.status, answer.body]).toMatchObject([200, { id, type: 'purge-cache' }])
  await expect.poll(async () => db.select().from(cachePurges)).toEqual([])
  expect(await db.select().from(deadJobs).where(eq(deadJobs.id, id))).toEqual([])
  expect((await admin.post(`/api/admin/dead-jobs/${id}/resend`)).status).toBe(404)
  expect(await auditOf({ targetId: id }, 'actorId', 'action', 'detail')).toEqual([
    { actorId: admin.user.id, action: 'resend_job', detail: { type: 'purge-cache' } },
  ])
})

test('a job goes back into its own queue, and stays listed if the queue fails', async () => {
  const sent: Record<string, unknown[]> = { jobs: [], pictures: [] }
  let isDown = false
  const queue = (name: string) => ({
    sendBatch: async (messages: Iterable<{ body: SentJob }>) => {
      if (isDown) throw new Error('the queue is down')
      for (const { body } of messages) sent[name]?.push(body)
    },
  })
  const bindings = { ...env, JOBS: queue('jobs'), PICTURES: queue('pictures') } as unknown as typeof env
  const ctx = { ...createCtx({ env: bindings, waitUntil: () => {} }), user: null } as unknown as RequestCtx
  const variants = await deadJob({ type: 'make-pictures', mediaId: 'med_one' })
  const deletion = await deadJob({ type: 'delete-objects', prefix: 'm/one' })
  await resendDeadJob(ctx, variants)
  await resendDeadJob(ctx, deletion)
  expect(sent).toEqual({
    jobs: [{ type: 'delete-objects', prefix: 'm/one', requestId: ctx.requestId }],
    pictures: [{ type: 'make-pictures', mediaId: 'med_one', requestId: ctx.requestId }],
  })
  isDown = true
  const again = await deadJob({ type: 'purge-deleted' })
  await expect(resendDeadJob(ctx, again)).rejects.toThrow('the queue is down')
  const { jobs } = await listDeadJobs(ctx, null)
  expect(jobs.map(({ id }) => id)).toContain(again)
})

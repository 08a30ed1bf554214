import { createExecutionContext, createMessageBatch, env, getQueueResult } from 'cloudflare:test'
import { expect, test, vi } from 'vitest'
import type { ErrorBody } from '#shared/errors.ts'
import { handleApi } from '#worker/api.ts'
import { handleQueue } from '#worker/jobs.ts'
import type { SentJob } from '#worker/schema/jobs.table.ts'
import { takeErrorLines } from './error-lines.ts'
import { failingEnv } from './faults/failing-env.ts'
import { Client, memorialOf, ORIGIN, type SignedIn } from './harness.ts'

/** Everything written to the log from now on. */
function captureLog(): () => Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = []
  for (const name of ['info', 'warn', 'error'] as const) {
    vi.spyOn(console, name).mockImplementation((line: string) => void lines.push(JSON.parse(line)))
  }
  return () => lines
}

/** Makes this memorial private with a database that fails right after the call has queued a job. */
async function failAfterJob(owner: SignedIn, memorialId: string) {
  const sent: SentJob[] = []
  const JOBS = {
    sendBatch: async (messages: Iterable<{ body: SentJob }>) => {
      sent.push(...[...messages].map(({ body }) => body))
    },
  }
  for (let failAt = 1; ; failAt++) {
    sent.length = 0
    const request = new Request(`${ORIGIN}/api/memorials/${memorialId}/privacy`, {
      method: 'PATCH',
      headers: {
        Origin: ORIGIN,
        'Content-Type': 'application/json',
        'CF-Connecting-IP': owner.ip,
        Cookie: [...owner.cookies].map((pair) => pair.join('=')).join('; '),
      },
      body: JSON.stringify({ privacy: 'PRIVATE' }),
    })
    const bindings = { ...failingEnv(failAt).env, JOBS: JOBS as unknown as typeof env.JOBS }
    const answer = await handleApi(request, bindings, createExecutionContext())
    if (sent.length > 0) return { status: answer.status, body: await answer.json<ErrorBody>(), sent }
  }
}

test('one id links a browser error to the failed call and to the job it queued', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  const log = captureLog()
  const { status, body, sent } = await failAfterJob(owner, memorial.id)
  expect([status, sent]).toEqual([500, [{ type: 'purge-cache', requestId: body.requestId }]])

  const batch = createMessageBatch<SentJob>('nhaka-jobs', [
    { id: 'one', timestamp: new Date(), attempts: 1, body: sent[0]! },
  ])
  const execution = createExecutionContext()
  await handleQueue(batch, env, execution)
  expect((await getQueueResult(batch, execution)).explicitAcks).toEqual(['one'])

  await new Client().post('/api/client-errors', {
    name: 'ApiError',
    message: '500 internal',
    screen: '/create-memorial/:id',
    release: 'x.js',
    requestId: body.requestId,
  })
  const found = log().filter((line) => Object.values(line).includes(body.requestId))
  expect(found.map(({ event }) => event)).toEqual(['unhandled', 'job_done', 'client_error'])
})

test('a job without a valid request id gets an id of its own', async () => {
  const log = captureLog()
  for (const requestId of [undefined, 'mem_abcdefghjkmnpqrs', 'req_"},{', 7]) {
    const body = { type: 'purge-cache', requestId } as SentJob
    const batch = createMessageBatch<SentJob>('nhaka-jobs', [
      { id: 'one', timestamp: new Date(), attempts: 1, body },
    ])
    await handleQueue(batch, env, createExecutionContext())
  }
  const ids = log().map(({ requestId }) => requestId)
  expect(new Set(ids).size).toBe(4)
  expect(ids.filter((id) => !/^req_[a-z0-9]{16}$/u.test(String(id)))).toEqual([])
  expect(takeErrorLines()).toEqual([])
})

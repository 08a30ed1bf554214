import { createCtx, type Ctx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { deleteObjects } from '#worker/features/media/media.jobs.ts'
import { makeVariants } from '#worker/features/media/pictures.ts'
import { markMailDead, sendMail } from '#worker/features/mail/mail.jobs.ts'
import { purgeDeleted } from '#worker/features/removal/removal.jobs.ts'
import { count } from '#worker/platform/metrics.ts'
import type { Job, SentJob } from '#worker/schema/jobs.table.ts'
import { drainCachePurges } from '#worker/platform/edge-cache.ts'
import { readRequestId } from '#worker/platform/random.ts'
import { saveDeadJob } from '#worker/platform/job-records.ts'

const HANDLERS: { [T in Job['type']]: (ctx: Ctx, job: Extract<Job, { type: T }>) => Promise<void> } = {
  'send-mail': (ctx, { mailId }) => sendMail(ctx, mailId),
  'delete-objects': (ctx, { prefix }) => deleteObjects(ctx, prefix),
  'make-pictures': (ctx, { mediaId }) => makeVariants(ctx, mediaId),
  'purge-cache': (ctx) => drainCachePurges(ctx),
  'purge-deleted': (ctx) => purgeDeleted(ctx),
}

/** Null for a message that is not a job. */
function handlerOf({ type }: Partial<Job>): ((ctx: Ctx, job: Job) => Promise<void>) | null {
  return type && Object.hasOwn(HANDLERS, type)
    ? (HANDLERS[type] as (ctx: Ctx, job: Job) => Promise<void>)
    : null
}

/** Exponential backoff in seconds: 10, 20, 40, … up to an hour. */
export function retryDelaySec(attempts: number): number {
  return Math.min(3600, 10 * 2 ** (attempts - 1))
}

/** Acknowledges or retries each message separately, so that one bad message doesn't delay the others. */
export async function handleQueue(
  batch: MessageBatch<SentJob>,
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  const isDeadLetter = batch.queue.endsWith('-dead')
  for (const message of batch.messages) {
    // A message can contain anything. This line must not throw, or the rest of the batch is delayed.
    const { requestId: sentRequestId, ...job } = (message.body ?? {}) as Partial<SentJob>
    const ctx = createCtx({
      env,
      waitUntil: (promise) => execution.waitUntil(promise),
      requestId: readRequestId(sentRequestId),
    })
    const details = { type: String(job.type), attempts: message.attempts }
    try {
      if (isDeadLetter) await saveFailedJob(ctx, message.id, job)
      else await handlerOf(job)?.(ctx, job as Job)
      message.ack()
      ctx.log.info(isDeadLetter ? 'job_given_up' : 'job_done', details)
    } catch (error) {
      count(ctx, 'job_failed', { kind: details.type })
      ctx.log.error('job_failed', error, details)
      message.retry({ delaySeconds: retryDelaySec(message.attempts) })
    }
  }
}

/** Saves a job from the dead-letter queue: every attempt to run it has failed. */
async function saveFailedJob(ctx: Ctx, messageId: string, job: Partial<Job>): Promise<void> {
  if (!handlerOf(job)) ctx.log.error('job_unreadable', 'the queue contained a message that is not a job')
  else if (job.type === 'send-mail')
    await markMailDead(ctx, (job as Extract<Job, { type: 'send-mail' }>).mailId)
  else await saveDeadJob(ctx, messageId, job as Job)
}

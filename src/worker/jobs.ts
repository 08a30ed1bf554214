import { createCtx, type Ctx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { deleteObjects } from '#worker/features/media/media.jobs.ts'
import { makePictures } from '#worker/features/media/pictures.ts'
import { markMailDead, sendMail } from '#worker/features/mail/mail.jobs.ts'
import { purgeDeleted } from '#worker/features/removal/removal.jobs.ts'
import { count } from '#worker/platform/metrics.ts'
import type { Job, SentJob } from '#worker/schema/job.ts'
import { saveDeadJob } from '#worker/platform/dead-jobs.ts'
import { drainCachePurges } from '#worker/platform/edge-cache.ts'
import { readRequestId } from '#worker/platform/random.ts'

const JOB_TYPES: ReadonlySet<unknown> = new Set<Job['type']>([
  'send-mail',
  'delete-objects',
  'make-pictures',
  'purge-cache',
  'purge-deleted',
])

async function run(ctx: Ctx, job: Job): Promise<void> {
  switch (job.type) {
    case 'send-mail':
      return sendMail(ctx, job.mailId)
    case 'delete-objects':
      return deleteObjects(ctx, job.prefix)
    case 'make-pictures':
      return makePictures(ctx, job.mediaId)
    case 'purge-cache':
      return drainCachePurges(ctx)
    case 'purge-deleted':
      return purgeDeleted(ctx)
  }
}

/** Growing delay between tries: 10 s, 20 s, 40 s, … up to an hour. */
export function retryDelaySec(attempts: number): number {
  return Math.min(3600, 10 * 2 ** (attempts - 1))
}

/**
 * Handles a batch: each message is acknowledged or retried by itself, so one bad message holds up no other. All that it
 * writes into the log stands under the id of the call that asked for the job.
 */
export async function handleQueue(
  batch: MessageBatch<SentJob>,
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  const isDeadLetter = batch.queue.endsWith('-dead')
  for (const message of batch.messages) {
    // What is in a message may be anything: this must not throw, or the rest of the batch waits.
    const { requestId: asked, ...job } = (message.body ?? {}) as Partial<SentJob>
    const ctx = createCtx({
      env,
      waitUntil: (promise) => execution.waitUntil(promise),
      requestId: readRequestId(asked),
    })
    const about = { type: String(job.type), attempts: message.attempts }
    try {
      if (isDeadLetter) await bury(ctx, message.id, job)
      else await run(ctx, job as Job)
      message.ack()
      ctx.log.info(isDeadLetter ? 'job_given_up' : 'job_done', about)
    } catch (error) {
      count(ctx, 'job_failed', { kind: about.type })
      ctx.log.error('job_failed', error, about)
      message.retry({ delaySeconds: retryDelaySec(message.attempts) })
    }
  }
}

/** Where a job goes whose every try has failed. */
async function bury(ctx: Ctx, messageId: string, job: Partial<Job>): Promise<void> {
  if (!JOB_TYPES.has(job.type)) ctx.log.error('job_unreadable', 'the queue had a message that is no job')
  else if (job.type === 'send-mail')
    await markMailDead(ctx, (job as Extract<Job, { type: 'send-mail' }>).mailId)
  else await saveDeadJob(ctx, messageId, job as Job)
}

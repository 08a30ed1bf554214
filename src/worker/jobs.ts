import { createCtx, type Ctx } from '#worker/ctx.ts'
import type { Env } from '#worker/env.ts'
import { deleteObjects } from '#worker/features/media/media.jobs.ts'
import { makePictures } from '#worker/features/media/pictures.ts'
import { markMailDead, sendMail } from '#worker/features/mail/mail.jobs.ts'
import { purgeDeleted } from '#worker/features/removal/removal.jobs.ts'
import { drainCachePurges } from '#worker/platform/edge-cache.ts'

/** Queue messages carry ids only; handlers read again what they need and are safe to repeat. */
export type Job =
  | { type: 'send-mail'; mailId: string }
  | { type: 'delete-objects'; prefix: string }
  | { type: 'make-pictures'; mediaId: string }
  | { type: 'purge-cache' }
  | { type: 'purge-deleted' }

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

/** Handles a batch: each message is acknowledged or retried by itself, so one bad message holds up no other. */
export async function handleQueue(
  batch: MessageBatch<Job>,
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  const isDeadLetter = batch.queue.endsWith('-dead')
  for (const message of batch.messages) {
    const ctx = createCtx({ env, waitUntil: (promise) => execution.waitUntil(promise) })
    try {
      if (!isDeadLetter) await run(ctx, message.body)
      else if (message.body.type === 'send-mail') await markMailDead(ctx, message.body.mailId)
      message.ack()
    } catch (error) {
      // What is in a message may be anything: this must not throw, or the rest of the batch waits.
      const type = (message.body as Partial<Job> | null)?.type
      ctx.log.error('job_failed', error, { type: String(type), attempts: message.attempts })
      message.retry({ delaySeconds: retryDelaySec(message.attempts) })
    }
  }
}

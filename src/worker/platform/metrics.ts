import type { Env } from '#worker/platform/env.ts'
import type { Log } from '#worker/platform/log.ts'

/** Everything that is counted, and what `amount` (1 where nothing else is said) and `kind` say of it. */
export const COUNTERS = [
  'memorial_published',
  'payment_paid',
  'message_posted',
  /** Bytes; the type of the medium. */
  'upload_done',
  /** The status of the answer. */
  'upload_refused',
  /** The kind of the mail. */
  'mail_sent',
  'mail_dead',
  /** The type of the job. */
  'job_failed',
  'job_dead',
  /** The task of cron. */
  'task_failed',
  /** Tags that the edge was asked to forget, and could not. */
  'purge_retried',
  /** Milliseconds from what happened at Stripe to our hearing of it; the type of the event. */
  'webhook_lag',
  /** Answers of 500 and above; the status. */
  'error',
  /** An error in a browser; the screen. */
  'client_error',
  /** The part that does not answer. */
  'health_failing',
] as const
export type Counter = (typeof COUNTERS)[number]

/**
 * Counts one thing that happened in Workers Analytics Engine, where this deployment has it: index1 and blob1 are the name,
 * blob2 the kind, double1 the amount. Nothing that is counted names a person or a memorial. Never throws, waits for nothing.
 * https://developers.cloudflare.com/analytics/analytics-engine/get-started/
 */
export function count(
  ctx: { env: Pick<Env, 'COUNTERS'>; log: Log },
  name: Counter,
  { amount = 1, kind = '' }: { amount?: number; kind?: string } = {},
): void {
  try {
    ctx.env.COUNTERS?.writeDataPoint({ indexes: [name], blobs: [name, kind], doubles: [amount] })
  } catch (error) {
    ctx.log.warn('not_counted', { name, cause: String(error) })
  }
}

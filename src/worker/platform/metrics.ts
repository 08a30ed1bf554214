import type { Env } from '#worker/platform/env.ts'
import type { Log } from '#worker/platform/log.ts'

/** All metrics. Comments describe `amount` (default: 1) and `kind`. */
export const COUNTERS = [
  'memorial_published',
  'payment_paid',
  'message_posted',
  /** amount: bytes; kind: media type. */
  'upload_done',
  /** kind: response status. */
  'upload_refused',
  /** kind: kind of mail. */
  'mail_sent',
  'mail_dead',
  /** kind: job type. */
  'job_failed',
  'job_dead',
  /** kind: cron task. */
  'task_failed',
  /** amount: cache tags whose purge failed. */
  'purge_retried',
  /** amount: milliseconds from the event at Stripe to its webhook; kind: event type. */
  'webhook_lag',
  /** Responses of 500 and above; kind: status. */
  'error',
  /** An error in a browser; kind: screen. */
  'client_error',
  /** kind: the component that doesn't respond. */
  'health_failing',
] as const
export type Counter = (typeof COUNTERS)[number]

/**
 * Writes a data point to Workers Analytics Engine, if this deployment has it: index1 and blob1 are the name, blob2 the
 * kind, double1 the amount. Data points never identify a person or a memorial. Never throws.
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

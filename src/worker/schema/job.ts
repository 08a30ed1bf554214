/** Queue messages carry ids only; handlers read again what they need and are safe to repeat. */
export type Job =
  | { type: 'send-mail'; mailId: string }
  | { type: 'delete-objects'; prefix: string }
  | { type: 'make-pictures'; mediaId: string }
  | { type: 'purge-cache' }
  | { type: 'purge-deleted' }

/** A job as it lies in the queue: with the id of the call, or cron run, that asked for it. */
export type SentJob = Job & { requestId?: string }

/** Queue messages carry ids only. Handlers read the current data and are idempotent. */
export type Job =
  | { type: 'send-mail'; mailId: string }
  | { type: 'delete-objects'; prefix: string }
  | { type: 'make-pictures'; mediaId: string }
  | { type: 'purge-cache' }
  | { type: 'purge-deleted' }

/** A job as stored in the queue, with the request id of the call or cron run that enqueued it. */
export type SentJob = Job & { requestId?: string }

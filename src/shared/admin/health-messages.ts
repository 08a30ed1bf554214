const partFails = {
  database: 'The database did not answer in time.',
  storage: 'A test file could not be stored and found again.',
  sessions: 'The store of sessions did not answer in time.',
  counters: 'The counters of quotas and limits did not answer in time.',
  pictures: 'The photo resizing service did not answer in time.',
} as const

/** System checks of the console: the text for a part that fails. */
export const systemMessages = {
  ...partFails,
  queue: 'The waiting emails could not be counted.',
  mail: 'The email service could not be checked.',
  payments: 'The card payment service did not answer, or does not know our key.',
  localPayments: 'Paynow did not answer, or does not know our key.',
  localPaymentsNotSetUp: 'Local payments are not set up. Only cards can pay: docs/deploying.md says how.',
  mailReady: 'The key of the email service is set.',
  mailNotSetUp:
    'The key of the email service is missing. Emails wait until you set it (MAILCHANNELS_API_KEY).',
  paymentsNotSetUp:
    'The keys of the card payment service are missing. Nobody can pay until you set them: docs/deploying.md names them.',
} as const

/** The text of `/api/health` for a part that fails. */
export const healthMessages = {
  ...partFails,
  queue: 'The queue did not answer in time.',
  migrations: 'The database lacks the newest migration.',
} as const

import type { Operations, SystemCheck, Task } from '#shared/admin/admin.ts'

/** What something of the System tab is called, and what it does. */
type Words = { name: string; means: string }

export const PARTS: Record<SystemCheck['part'], string> = {
  database: 'Database',
  storage: 'Photos and files',
  sessions: 'Signing in',
  counters: 'Quotas and limits',
  pictures: 'Photo resizing',
  queue: 'Waiting emails',
  mail: 'Email service',
  payments: 'Card payments',
  localPayments: 'Local payments',
}

const CLOUDFLARE = 'Check Cloudflare’s status page. If all is well there, look at the Worker’s logs.'
/** What an operator can do about a part that fails. */
export const PART_ADVICE: Record<SystemCheck['part'], string> = {
  database: CLOUDFLARE,
  storage: CLOUDFLARE,
  sessions: CLOUDFLARE,
  counters: CLOUDFLARE,
  pictures: CLOUDFLARE,
  queue: 'Check the email service and the scheduled jobs below.',
  mail: 'Check the key and the account at MailChannels.',
  payments: 'Check the keys, and Stripe’s status page.',
  localPayments: 'Check the key at Paynow. Cards can pay meanwhile.',
}

export const TASKS: Record<Task, Words> = {
  mails: { name: 'Retried emails', means: 'Sends emails whose first try was lost.' },
  purges: { name: 'Cache clearing', means: 'Takes outdated pages out of Cloudflare’s cache.' },
  waiting: { name: 'Waiting contributions', means: 'Writes to owners that something waits for them.' },
  payments: { name: 'Open payments', means: 'Asks Stripe about payments without a result.' },
  left_uploads: { name: 'Unfinished uploads', means: 'Adds files that arrived, but not to their memorial.' },
  deletions: { name: 'Deleted files', means: 'Deletes the files of what people deleted.' },
  marks: {
    name: 'Consistency check',
    means: 'Notes the time in database and storage, to notice a partial restore.',
  },
  drafts: {
    name: 'Unpaid memorials',
    means: 'Writes to owners of unpaid memorials that nobody uses, and removes those after 90 days.',
  },
  successions: {
    name: 'Successors',
    means: 'Asks owners whether they are still there, and tells successors when they may claim a memorial.',
  },
  gatherings: { name: 'Gatherings', means: 'Renews pages whose gatherings begin, end or come near.' },
  followers: { name: 'Followers', means: 'Writes to people who asked for emails about a memorial.' },
  later_mails: {
    name: 'Emails that can wait',
    means: 'Sends emails for which nobody waits, behind all others.',
  },
  local_payments: { name: 'Local payments', means: 'Asks Paynow about open payments.' },
  lost_events: { name: 'Missed Stripe events', means: 'Fetches events from Stripe that never arrived.' },
  uploads: { name: 'Abandoned uploads', means: 'Discards uploads without progress for a day.' },
  parts: { name: 'Broken uploads', means: 'Deletes what interrupted uploads left behind.' },
  objects: { name: 'Orphaned files', means: 'Deletes stored files that belong to no memorial.' },
  accounts: { name: 'Unconfirmed accounts', means: 'Deletes accounts that nobody confirmed for 7 days.' },
  removals: {
    name: 'Permanent deletion',
    means: 'Deletes memorials, accounts and removed photos, recordings and messages for good after 30 days.',
  },
  records: {
    name: 'Old records',
    means: 'Deletes records of sent emails, answered requests and ended visits after half a year.',
  },
}

export const QUEUES: Record<Operations['queues'][number]['queue'], string> = {
  jobs: 'Emails, deletions and other jobs',
  pictures: 'Photo resizing',
}

/** By job type. What it means that the job failed. */
export const JOBS: Partial<Record<string, Words>> = {
  'delete-objects': { name: 'Delete files', means: 'Files of something deleted are still stored.' },
  'make-pictures': { name: 'Photo resizing', means: 'A photo has no smaller sizes and may not show.' },
  'purge-cache': { name: 'Cache clearing', means: 'Visitors may see pages from before a change.' },
  'purge-deleted': { name: 'Permanent deletion', means: 'Something whose 30 days are over is still stored.' },
}

import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const MAIL_KINDS = [
  'verify',
  'already-registered',
  'reset',
  'password-changed',
  'receipt',
  'contact',
  'memorial-deleted',
  'account-deleted',
] as const

/**
 * The outbox: a row is written in the same batch as what causes the mail, then a queue message names it, and cron
 * finds the ones whose message was lost. It holds ids only; tokens are made when the mail is sent.
 */
export const mails = sqliteTable(
  'mails',
  {
    id: text().primaryKey(),
    kind: text({ enum: MAIL_KINDS }).notNull(),
    recipient: text().notNull(),
    /** What the mail is about: a user, payment, contact message or memorial id, by kind. */
    subjectId: text('subject_id').notNull(),
    status: text({ enum: ['QUEUED', 'SENT', 'DEAD', 'CANCELLED'] })
      .notNull()
      .default('QUEUED'),
    attempts: integer().notNull().default(0),
    lastError: text('last_error'),
    /** A consumer owns the row until then; another may take it afterwards. */
    claimedUntil: integer('claimed_until'),
    sentAt: integer('sent_at'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('mails_status').on(t.status, t.createdAt),
    index('mails_subject').on(t.subjectId, t.kind),
    index('mails_recipient').on(t.recipient),
  ],
)

import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const MAIL_KINDS = [
  'verify',
  'already-registered',
  'reset',
  'password-changed',
  'email-change-new',
  'email-change-taken',
  'email-change-old',
  'email-changed',
  'email-change-undone',
  'passkey-added',
  'passkey-removed',
  'printed-codes-made',
  'printed-code-used',
  'authenticator-added',
  'authenticator-removed',
  'receipt',
  'refund',
  'paid-for-you',
  'thanks',
  'contact',
  'memorial-deleted',
  'memorial-removed',
  'memorial-restored',
  'draft-ending',
  'draft-removed',
  'account-deleted',
  'waiting',
  'visitor-words',
  'contributor-code',
  'reply',
  'gathering-changed',
  'keeper-invite',
  'let-in',
  'handover-offer',
  'handover-accepted',
  'handed-over',
  'handover-taken-back',
  'handover-at-leaving',
  'follow-confirm',
  'follow-digest',
  'follow-day',
  'successor-named',
  'still-there',
  'successor-asked',
  'memorial-open',
  'memorial-claimed',
  'memorial-taken-over',
] as const

/** Mails for the owner of an account, whatever its address is by the time they are sent. */
export const OWNER_MAILS = [
  'receipt',
  'refund',
  'paid-for-you',
  'memorial-deleted',
  'memorial-removed',
  'memorial-restored',
  'draft-ending',
  'draft-removed',
  'account-deleted',
  'waiting',
  'handover-offer',
  'handover-accepted',
  'handed-over',
  'handover-taken-back',
  'handover-at-leaving',
  'still-there',
  'memorial-taken-over',
] as const satisfies readonly (typeof MAIL_KINDS)[number][]

/** Mails that we write because a day has come, and for which nobody waits. They are sent behind all others. */
export const LATER_MAILS = [
  'draft-ending',
  'draft-removed',
  'follow-digest',
  'follow-day',
] as const satisfies readonly (typeof MAIL_KINDS)[number][]

/**
 * The outbox. A row is written in the same batch as the change that causes the mail; then a queue message names it, and
 * cron finds rows whose message was lost. Cron itself sends those of low priority. It stores ids only; tokens are created when the mail is sent.
 */
export const mails = sqliteTable(
  'mails',
  {
    id: text().primaryKey(),
    kind: text({ enum: MAIL_KINDS }).notNull(),
    recipient: text().notNull(),
    /** Id of a user, change of address, payment, contact message, memorial, contributor, reply, handing over, follower or request to be let in, depending on the kind. */
    subjectId: text('subject_id').notNull(),
    status: text({ enum: ['QUEUED', 'SENT', 'DEAD', 'CANCELLED'] })
      .notNull()
      .default('QUEUED'),
    attempts: integer().notNull().default(0),
    lastError: text('last_error'),
    /** A consumer holds a lock on the row until then. */
    claimedUntil: integer('claimed_until'),
    sentAt: integer('sent_at'),
    createdAt: integer('created_at').notNull(),
    /** LATER: cron sends it when no other waits. NOW: the queue sends it at once. */
    priority: text({ enum: ['NOW', 'LATER'] })
      .notNull()
      .default('NOW'),
  },
  (t) => [
    index('mails_status').on(t.status, t.createdAt),
    index('mails_subject').on(t.subjectId, t.kind),
    index('mails_recipient').on(t.recipient),
    index('mails_waiting')
      .on(t.priority, t.createdAt, t.id)
      .where(sql`${t.status} = 'QUEUED'`),
  ],
)

export const contactMessages = sqliteTable(
  'contact_messages',
  {
    id: text().primaryKey(),
    email: text().notNull(),
    subject: text().notNull(),
    message: text().notNull(),
    /** An admin has said so; they answer by email, which we don't see. */
    isAnswered: integer('is_answered', { mode: 'boolean' }).notNull().default(false),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('contact_messages_created').on(t.createdAt, t.id),
    index('contact_messages_answered').on(t.isAnswered, t.createdAt, t.id),
    index('contact_messages_email').on(t.email),
  ],
)

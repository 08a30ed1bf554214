import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { memorials } from '#worker/schema/memorials.table.ts'

/**
 * What becomes of a memorial whose owner isn't there any longer: a row for each memorial with people who may ask for it. Another owner begins
 * without one.
 */
export const successions = sqliteTable(
  'successions',
  {
    memorialId: text('memorial_id')
      .primaryKey()
      .references(() => memorials.id, { onDelete: 'cascade' }),
    /** We ask whether the owner is there after so many months without them. */
    afterMonths: integer('after_months').notNull(),
    /** When they last said that they are there in another way than by signing in: by naming somebody, or by a mail's link. */
    saidAt: integer('said_at').notNull(),
    /** When the next step is due; null once the successors may claim. */
    nextAt: integer('next_at'),
    /** Since when we ask; null if we don't. */
    askingSince: integer('asking_since'),
    /** The successor who asked for the memorial; null if nobody did. */
    askedBy: text('asked_by'),
    /** Mails to the owner since then. */
    mailsSent: integer('mails_sent').notNull().default(0),
    /** Since when the successors may claim. */
    openSince: integer('open_since'),
    /** Since when an admin holds it: no mails, no claim, and the clock stands still. */
    heldSince: integer('held_since'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('successions_next')
      .on(t.nextAt)
      .where(sql`${t.nextAt} is not null`),
    index('successions_asking')
      .on(t.askingSince, t.memorialId)
      .where(sql`${t.askingSince} is not null`),
  ],
)

/** People who may ask for a memorial, named by its owner. */
export const successors = sqliteTable(
  'successors',
  {
    id: text().primaryKey(),
    memorialId: text('memorial_id')
      .notNull()
      .references(() => memorials.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** Trimmed, NFC, lower-cased. Whoever has an account with it may ask. */
    email: text().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [uniqueIndex('successors_memorial').on(t.memorialId, t.email)],
)

import { sql } from 'drizzle-orm'
import { check, index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { GatheringFacts } from '#shared/funeral/funeral.ts'
import { AUDIENCES, CONTACT_FOR, GATHERING_KINDS } from '#shared/funeral/gatherings.ts'
import { REPLY_ANSWERS } from '#shared/replies/reply-answers.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** The gatherings of a memorial: the services of the funeral, and later ones. */
export const funeralEvents = sqliteTable(
  'funeral_events',
  {
    id: text().primaryKey(),
    memorialId: text('memorial_id')
      .notNull()
      .references(() => memorials.id, { onDelete: 'cascade' }),
    /** Unique in the memorial: 1 to 4 for services, 5 to 12 for later gatherings, so that the database itself prevents one too many. */
    position: integer().notNull(),
    kind: text({ enum: GATHERING_KINDS }).notNull().default('OTHER'),
    title: text(),
    dateTime: integer('date_time').notNull(),
    endsAt: integer('ends_at'),
    timeZone: text('time_zone').notNull(),
    venueName: text('venue_name'),
    addressLine: text('address_line'),
    city: text(),
    region: text(),
    country: text(),
    postalCode: text('postal_code'),
    latitude: real(),
    longitude: real(),
    wayThere: text('way_there'),
    notes: text(),
    dress: text(),
    bring: text(),
    contact: text(),
    contactFor: text('contact_for', { enum: CONTACT_FOR }).notNull().default('FAMILY'),
    audience: text({ enum: AUDIENCES }).notNull().default('EVERYBODY'),
    streamUrl: text('stream_url'),
    recordingUrl: text('recording_url'),
    programmeKey: text('programme_key'),
    programmeName: text('programme_name'),
    programmeSize: integer('programme_size'),
    isCancelled: integer('is_cancelled', { mode: 'boolean' }).notNull().default(false),
    /** Counts the changes of time, place and cancellation, as calendars do (RFC 5545, 3.8.7.4). */
    sequence: integer().notNull().default(0),
    /** When the page last said something else about time and place, and what; null if it never did. */
    changedAt: integer('changed_at'),
    changedFrom: text('changed_from', { mode: 'json' }).$type<GatheringFacts>(),
    takesReplies: integer('takes_replies', { mode: 'boolean' }).notNull().default(false),
    capacity: integer(),
    repliesUntil: integer('replies_until'),
    keepReplies: integer('keep_replies', { mode: 'boolean' }).notNull().default(false),
    /** People who come, from all replies. */
    peopleComing: integer('people_coming').notNull().default(0),
    /** When the page of the memorial next changes because of this gathering; null if never. */
    turnsAt: integer('turns_at'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('funeral_events_position').on(t.memorialId, t.position),
    index('funeral_events_turns')
      .on(t.turnsAt)
      .where(sql`${t.turnsAt} is not null`),
    check('funeral_events_position_range', sql`${t.position} BETWEEN 1 AND 12`),
  ],
)

/** Who comes to a gathering, as they say. Only the family sees the rows. */
export const replies = sqliteTable(
  'replies',
  {
    id: text().primaryKey(),
    eventId: text('event_id')
      .notNull()
      .references(() => funeralEvents.id, { onDelete: 'cascade' }),
    answer: text({ enum: REPLY_ANSWERS }).notNull(),
    people: integer().notNull(),
    name: text().notNull(),
    /** Words to the family. */
    words: text(),
    /** Where changes are mailed to. */
    email: text(),
    /** The family had invited its sender. Others know no more than visitors, also after the gathering is for invited people only. */
    isInvited: integer('is_invited', { mode: 'boolean' }).notNull().default(false),
    /** SHA-256 of the token in the cookie of the browser that sent it. */
    deviceHash: text('device_hash').notNull(),
    /** What this person was told last about time and place, and what they knew before that. */
    knows: text({ mode: 'json' }).$type<GatheringFacts>().notNull(),
    knewBefore: text('knew_before', { mode: 'json' }).$type<GatheringFacts>(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [
    index('replies_event').on(t.eventId, t.createdAt, t.id),
    index('replies_device').on(t.deviceHash, t.eventId),
  ],
)

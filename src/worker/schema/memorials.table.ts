import { inArray, sql, type SQL } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex, real } from 'drizzle-orm/sqlite-core'
import { DATE_PRECISIONS } from '#shared/memorials/life-dates.ts'
import {
  MAY_ASK,
  MEMORIAL_STATUS,
  PRIVACY,
  TELL_OWNER,
  VISITOR_MESSAGES,
} from '#shared/memorials/memorials.ts'
import { users } from '#worker/schema/accounts.table.ts'

export const memorials = sqliteTable(
  'memorials',
  {
    id: text().primaryKey(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id),
    /** Engraved on gravestones, so it never changes and is never reused. */
    slug: text().notNull(),
    honoureeFullName: text('honouree_full_name').notNull(),
    title: text(),
    /** `YYYY-MM-DD`: the first day of the month or year if only that is known. */
    dateOfBirth: text('date_of_birth'),
    dateOfBirthPrecision: text('date_of_birth_precision', { enum: DATE_PRECISIONS }).notNull().default('DAY'),
    dateOfDeath: text('date_of_death'),
    dateOfDeathPrecision: text('date_of_death_precision', { enum: DATE_PRECISIONS }).notNull().default('DAY'),
    coverMediaId: text('cover_media_id'),
    profileMediaId: text('profile_media_id'),
    /** Sanitised HTML, and the version of the sanitiser that produced it. */
    lifeStory: text('life_story'),
    lifeStoryVersion: integer('life_story_version').notNull().default(0),
    status: text({ enum: MEMORIAL_STATUS }).notNull().default('DRAFT'),
    privacy: text({ enum: PRIVACY }).notNull().default('PRIVATE'),
    /** Set exactly while privacy is LOCKED. */
    lockedAt: integer('locked_at'),
    showLocation: integer('show_location', { mode: 'boolean' }).notNull().default(false),
    allowSearchEngines: integer('allow_search_engines', { mode: 'boolean' }).notNull().default(false),
    showInvitePreview: integer('show_invite_preview', { mode: 'boolean' }).notNull().default(false),
    /** What contributors add is held until an approver shows it. */
    holdNew: integer('hold_new', { mode: 'boolean' }).notNull().default(false),
    /** Whether visitors of the public page may leave messages. */
    visitorMessages: text('visitor_messages', { enum: VISITOR_MESSAGES }).notNull().default('NOBODY'),
    /** Who may ask to be let in. */
    mayAsk: text('may_ask', { enum: MAY_ASK }).notNull().default('INVITE_ONLY'),
    /** How often we mail the owner that something waits. */
    tellOwner: text('tell_owner', { enum: TELL_OWNER }).notNull().default('AT_ONCE'),
    /** When the next such mail is due, and when the last one went out; null for none. */
    tellAt: integer('tell_at'),
    toldAt: integer('told_at'),
    /** Why an admin removed it, in their words to its owner; null if they wrote none, and once it is restored. */
    removalNote: text('removal_note'),
    /** Until when its former owner can take it back, as in `handovers`; null if nobody can. */
    takeBackUntil: integer('take_back_until'),
    deletedAt: integer('deleted_at'),
    /** When the owner last opened the memorial; null before the first time. */
    seenAt: integer('seen_at'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('memorials_slug').on(t.slug),
    index('memorials_owner').on(t.ownerId, t.createdAt),
    // Covers the admin console's search: scanning the table would read the life stories, too.
    index('memorials_created').on(t.createdAt, t.id, t.ownerId, t.slug, t.honoureeFullName),
    index('memorials_locked').on(t.lockedAt),
    index('memorials_status').on(t.status, t.createdAt),
    index('memorials_deleted').on(t.deletedAt),
    index('memorials_tell')
      .on(t.tellAt)
      .where(sql`${t.tellAt} is not null`),
    index('memorials_listed')
      .on(t.lockedAt, t.id)
      .where(sql`${t.privacy} = 'LOCKED' and ${t.status} = 'ACTIVE' and ${t.allowSearchEngines} = 1`),
  ],
)

/** Slugs of purged memorials, which may still be engraved on a gravestone. */
export const retiredSlugs = sqliteTable('retired_slugs', { slug: text().primaryKey() })

/** SQL condition: the memorial is neither deleted by its owner nor removed by an admin. */
export function isNotDeleted(): SQL {
  return inArray(memorials.status, ['DRAFT', 'ACTIVE'])
}

/** SQL condition: it has just changed hands, and its former owner can take it back. By the database's own clock, because some queries are prepared once. */
export function canBeTakenBack(): SQL {
  return sql`coalesce(${memorials.takeBackUntil} > unixepoch() * 1000, 0)`
}

/** SQL condition: the owner's account isn't deleted. Memorials of a deleted account can't be restored. */
export function hasOwner(): SQL {
  return sql`exists (select 1 from ${users} where ${users.id} = ${memorials.ownerId} and ${users.deletedAt} is null)`
}

export const locations = sqliteTable('locations', {
  memorialId: text('memorial_id')
    .primaryKey()
    .references(() => memorials.id, { onDelete: 'cascade' }),
  label: text(),
  /** Degrees, WGS 84. */
  latitude: real().notNull(),
  longitude: real().notNull(),
  updatedAt: integer('updated_at').notNull(),
})

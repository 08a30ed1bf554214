import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { KEEPER_ROLES } from '#shared/keepers/keepers.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** People who look after a memorial with its owner. Each has a contributor, under whose name stands what they add. */
export const keepers = sqliteTable(
  'keepers',
  {
    contributorId: text('contributor_id')
      .primaryKey()
      .references(() => contributors.id, { onDelete: 'cascade' }),
    memorialId: text('memorial_id')
      .notNull()
      .references(() => memorials.id, { onDelete: 'cascade' }),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    role: text({ enum: KEEPER_ROLES }).notNull(),
    /** The owner lets them download everything with originals. */
    mayExport: integer('may_export', { mode: 'boolean' }).notNull().default(false),
    /** When they last opened the memorial; null before the first time. */
    seenAt: integer('seen_at'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [uniqueIndex('keepers_memorial').on(t.memorialId, t.userId), index('keepers_user').on(t.userId)],
)

/** Changes of a memorial's owner, offered or made. Offers are deleted once they end; what was made stays, because the former owner has paid. */
export const handovers = sqliteTable(
  'handovers',
  {
    id: text().primaryKey(),
    memorialId: text('memorial_id')
      .notNull()
      .references(() => memorials.id, { onDelete: 'cascade' }),
    fromUserId: text('from_user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Null once their account is deleted. */
    toUserId: text('to_user_id').references(() => users.id, { onDelete: 'set null' }),
    /** Whether the new owner could export as a keeper, which they are again if it's taken back. */
    mayExport: integer('may_export', { mode: 'boolean' }).notNull(),
    /** A successor claimed the memorial: they were perhaps no keeper before, and are none if it's taken back. */
    isClaim: integer('is_claim', { mode: 'boolean' }).notNull().default(false),
    /** Of the offer. */
    expiresAt: integer('expires_at').notNull(),
    /** Null for an offer. */
    acceptedAt: integer('accepted_at'),
    takeBackUntil: integer('take_back_until'),
    takenBackAt: integer('taken_back_at'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    // One open offer at a time.
    uniqueIndex('handovers_offer')
      .on(t.memorialId)
      .where(sql`${t.acceptedAt} is null`),
    index('handovers_memorial').on(t.memorialId, t.createdAt),
    index('handovers_from').on(t.fromUserId),
    index('handovers_to').on(t.toUserId),
    index('handovers_expires')
      .on(t.expiresAt)
      .where(sql`${t.acceptedAt} is null`),
  ],
)

/** Invitations to look after a memorial that nobody has accepted yet. Accepting one deletes it. */
export const keeperInvites = sqliteTable(
  'keeper_invites',
  {
    id: text().primaryKey(),
    memorialId: text('memorial_id')
      .notNull()
      .references(() => memorials.id, { onDelete: 'cascade' }),
    role: text({ enum: KEEPER_ROLES }).notNull(),
    mayExport: integer('may_export', { mode: 'boolean' }).notNull(),
    /** Where it was mailed to; null for a link that was shown once. */
    email: text(),
    /** SHA-256 of the token in the link. */
    tokenHash: text('token_hash').notNull(),
    expiresAt: integer('expires_at').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('keeper_invites_token').on(t.tokenHash),
    index('keeper_invites_memorial').on(t.memorialId, t.createdAt),
    index('keeper_invites_expires').on(t.expiresAt),
  ],
)

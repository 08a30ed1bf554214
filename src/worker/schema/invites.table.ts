import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { memorials } from '#worker/schema/memorials.table.ts'

/**
 * Invitation links. A memorial's first one comes from a pool: a token is AVAILABLE, then ASSIGNED to one memorial, then REVOKED. Further ones have a
 * name, and are ASSIGNED from the beginning. A VISITORS token belongs to a memorial
 * whose public page takes messages, a KEEPERS token to one that has keepers: nobody ever sees them, and they open nothing. Visitors who leave words, and
 * keepers, are their contributors.
 */
export const inviteTokens = sqliteTable(
  'invite_tokens',
  {
    /** UUIDv4; of VISITORS the text of `visitorsLink`, of KEEPERS that of `keepersLink`. */
    token: text().primaryKey(),
    status: text({ enum: ['AVAILABLE', 'ASSIGNED', 'REVOKED', 'VISITORS', 'KEEPERS'] })
      .notNull()
      .default('AVAILABLE'),
    memorialId: text('memorial_id').references(() => memorials.id, { onDelete: 'cascade' }),
    /** What the family calls it ("Dad's choir"). Null for a memorial's first link, which its QR code and older messages hold. */
    name: text(),
    /** After this it lets nobody in; whoever came by it stays. Null: until the family ends it. */
    endsAt: integer('ends_at'),
    /** Keyed hash of the digits that it asks for; null for none. */
    pinHash: text('pin_hash'),
    assignedAt: integer('assigned_at'),
    revokedAt: integer('revoked_at'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('invite_tokens_status').on(t.status, t.createdAt),
    uniqueIndex('invite_tokens_live')
      .on(t.memorialId)
      .where(sql`${t.status} = 'ASSIGNED' and ${t.name} is null`),
    index('invite_tokens_memorial').on(t.memorialId),
  ],
)

/** A person who opened an invitation link and gave a name, or a guest without one; or a visitor who left words on the public page. */
export const contributors = sqliteTable(
  'contributors',
  {
    id: text().primaryKey(),
    memorialId: text('memorial_id')
      .notNull()
      .references(() => memorials.id, { onDelete: 'cascade' }),
    inviteToken: text('invite_token')
      .notNull()
      .references(() => inviteTokens.token, { onDelete: 'cascade' }),
    displayName: text('display_name').notNull(),
    /** A guest may view but not add. */
    isGuest: integer('is_guest', { mode: 'boolean' }).notNull(),
    /** Where a visitor's link goes, or a relative's code. Only its owner sees it. */
    email: text(),
    /** When a relative left an address or said no, after which nobody asks them again. */
    addressAskedAt: integer('address_asked_at'),
    /** SHA-256 of the session token, which is its KV key, so that the session can be revoked. Null once it has ended. */
    tokenHash: text('token_hash'),
    expiresAt: integer('expires_at').notNull(),
    /** SHA-256 of the token in the link that was mailed to a visitor; null without one. It opens their words like their session. */
    mailTokenHash: text('mail_token_hash'),
    /** When the family blocked this person: what they add is held, and they don't notice. Null if not blocked. */
    blockedAt: integer('blocked_at'),
    /** Keyed hash of the network and browser that they first wrote from, to know a blocked phone again. */
    deviceHash: text('device_hash'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('contributors_memorial').on(t.memorialId, t.isGuest, t.createdAt, t.id),
    index('contributors_invite').on(t.inviteToken),
    index('contributors_blocked')
      .on(t.memorialId, t.deviceHash)
      .where(sql`${t.blockedAt} is not null`),
    index('contributors_email')
      .on(t.memorialId, t.email)
      .where(sql`${t.email} is not null`),
    index('contributors_expires')
      .on(t.expiresAt)
      // Only what a job still has to delete: `deleteOldRecords` names the same condition.
      .where(sql`${t.isGuest} = 1 or ${t.tokenHash} is not null`),
  ],
)

/**
 * Requests for a code by which a relative who added something before is known again on a new phone. The code belongs to the browser that asked for
 * it, and is made when its mail is sent. Rows are deleted once they have expired.
 */
export const contributorCodes = sqliteTable(
  'contributor_codes',
  {
    /** SHA-256 of the token in the cookie of the browser that asked. */
    requestHash: text('request_hash').primaryKey(),
    memorialId: text('memorial_id')
      .notNull()
      .references(() => memorials.id, { onDelete: 'cascade' }),
    email: text().notNull(),
    /** The mail that brings the code. */
    mailId: text('mail_id').notNull(),
    /** Keyed hash of the code; null until it is mailed. */
    codeHash: text('code_hash'),
    wrongTries: integer('wrong_tries').notNull().default(0),
    /** SHA-256 of the token of the session that the code has started, which uses it up. */
    sessionHash: text('session_hash'),
    expiresAt: integer('expires_at').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('contributor_codes_mail').on(t.mailId),
    index('contributor_codes_memorial').on(t.memorialId),
    index('contributor_codes_expires').on(t.expiresAt),
  ],
)

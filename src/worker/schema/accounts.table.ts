import { gt, isNull, or, sql, type SQL } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { DELETED_RESTORABLE_MS } from '#shared/limits.ts'

export const users = sqliteTable(
  'users',
  {
    id: text().primaryKey(),
    /** Trimmed, NFC, lower-cased. */
    email: text().notNull(),
    firstName: text('first_name').notNull(),
    lastName: text('last_name').notNull(),
    /** PHC string with the pepper's id, or 'none' while the address is unconfirmed: its passwords are in `registrations`. */
    passwordHash: text('password_hash').notNull(),
    /** Only the operator sets this. */
    role: text({ enum: ['USER', 'ADMIN'] })
      .notNull()
      .default('USER'),
    emailVerifiedAt: integer('email_verified_at'),
    /** Each session stores the epoch in which it was created; increasing it ends all sessions at once. */
    sessionEpoch: integer('session_epoch').notNull().default(0),
    suspendedAt: integer('suspended_at'),
    /** When they last signed in or used a session: at most a day before its last use. Null if not since this column. */
    seenAt: integer('seen_at'),
    /** The account has been hidden since then; signing in within 30 days restores it. */
    deletedAt: integer('deleted_at'),
    /** All personal data is deleted; the row stays for bookkeeping, because a payment references it. */
    purgedAt: integer('purged_at'),
    /** When the user accepted the terms and confirmed being 18 or older. */
    termsAcceptedAt: integer('terms_accepted_at').notNull(),
    /** Effective date of the accepted terms. The default is for accounts older than this column. */
    termsVersion: text('terms_version').notNull().default('2025-09-29'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('users_email').on(t.email),
    index('users_unverified').on(t.emailVerifiedAt, t.createdAt),
    index('users_deleted').on(t.deletedAt),
    // The console's search scans this index and never the table.
    index('users_search').on(t.email, t.firstName, t.lastName, t.id),
  ],
)

/** SQL condition: the account exists, or its owner deleted it less than 30 days ago and can restore it by signing in. */
export function isRecoverable(now: number): SQL | undefined {
  return or(isNull(users.deletedAt), gt(users.deletedAt, now - DELETED_RESTORABLE_MS))
}

/**
 * Attempts to register an address that isn't confirmed yet, one row each, with its own link. What was typed counts only in
 * the browser that registered, which has the cookie; on another device the link asks for a name and a password.
 */
export const registrations = sqliteTable(
  'registrations',
  {
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    firstName: text('first_name').notNull(),
    lastName: text('last_name').notNull(),
    /** Null after use, and where a link was sent without a registration. */
    passwordHash: text('password_hash'),
    /** SHA-256 of the cookie. */
    cookieHash: text('cookie_hash'),
    /** Keyed hash of the IP network, so that an attempt of the network with the most makes room. */
    network: text(),
    /** SHA-256 of the link's token. */
    tokenHash: text('token_hash').notNull(),
    /** The last mail with the link. */
    mailId: text('mail_id').notNull(),
    expiresAt: integer('expires_at').notNull(),
    usedAt: integer('used_at'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('registrations_token').on(t.tokenHash),
    index('registrations_user').on(t.userId),
    index('registrations_mail').on(t.mailId),
    index('registrations_expires').on(t.expiresAt),
  ],
)

/** Reset links sent by mail. Stores only the SHA-256 of each token. */
export const accountTokens = sqliteTable(
  'account_tokens',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Rows of the kind VERIFY are older than `registrations`. */
    kind: text({ enum: ['VERIFY', 'RESET'] }).notNull(),
    /** Random: makes the token together with the pepper. Null for tokens that are older than this column. */
    nonce: text(),
    expiresAt: integer('expires_at').notNull(),
    usedAt: integer('used_at'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('account_tokens_user').on(t.userId, t.kind), index('account_tokens_expires').on(t.expiresAt)],
)

/** Sessions that users ended. KV deletes are slow to propagate, so this table decides; rows expire with the session. */
export const endedSessions = sqliteTable(
  'ended_sessions',
  {
    sessionHash: text('session_hash').primaryKey(),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [index('ended_sessions_expires').on(t.expiresAt)],
)

/**
 * Sessions as their user sees them. KV holds the sessions themselves; no row, or one too many, lets nobody in. Rows with another
 * epoch than the user's have ended. Sessions from before this table get a row when they are renewed. Whoever has lost a row confirms again.
 */
export const sessions = sqliteTable(
  'sessions',
  {
    /** Names the session in answers; nothing can be had with it. */
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** SHA-256 of the token. */
    sessionHash: text('session_hash').notNull(),
    epoch: integer().notNull(),
    /** From a closed list (device-label.ts), as it was at sign-in; null if unknown. */
    device: text(),
    /** Two letters (ISO 3166-1), as it was at sign-in; null if unknown. */
    country: text(),
    /** When it was renewed last: at most a day before its last use. */
    usedAt: integer('used_at').notNull(),
    /** When its user last proved to be there, by password or passkey; null if never since sign-in. */
    confirmedAt: integer('confirmed_at'),
    /** When a passkey or a code of an authenticator app was last used in it. */
    secondFactorAt: integer('second_factor_at'),
    expiresAt: integer('expires_at').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('sessions_hash').on(t.sessionHash),
    index('sessions_user').on(t.userId, t.createdAt),
    index('sessions_expires').on(t.expiresAt),
  ],
)

/**
 * Changes of mail addresses. Both addresses confirm within 24 hours, then the old one may undo it for 7 days. The tokens are made of
 * id and pepper.
 */
export const emailChanges = sqliteTable(
  'email_changes',
  {
    /** Random. */
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    oldEmail: text('old_email').notNull(),
    newEmail: text('new_email').notNull(),
    /** SHA-256 of the tokens in the links: to the old address, to the new one, and the one that undoes the change. */
    oldTokenHash: text('old_token_hash').notNull(),
    newTokenHash: text('new_token_hash').notNull(),
    undoTokenHash: text('undo_token_hash').notNull(),
    oldConfirmedAt: integer('old_confirmed_at'),
    newConfirmedAt: integer('new_confirmed_at'),
    changedAt: integer('changed_at'),
    undoneAt: integer('undone_at'),
    /** Of the two links; once the address has changed, of the one that undoes it. */
    expiresAt: integer('expires_at').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('email_changes_old_token').on(t.oldTokenHash),
    uniqueIndex('email_changes_new_token').on(t.newTokenHash),
    uniqueIndex('email_changes_undo_token').on(t.undoTokenHash),
    // An account has one change at a time that waits.
    uniqueIndex('email_changes_waiting')
      .on(t.userId)
      .where(sql`changed_at is null`),
    index('email_changes_user').on(t.userId, t.changedAt),
    index('email_changes_expires').on(t.expiresAt),
  ],
)

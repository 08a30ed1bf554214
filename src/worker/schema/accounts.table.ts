import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

export const users = sqliteTable(
  'users',
  {
    id: text().primaryKey(),
    /** Trimmed, NFC, lower-cased. */
    email: text().notNull(),
    firstName: text('first_name').notNull(),
    lastName: text('last_name').notNull(),
    /** PHC string with the pepper's id. */
    passwordHash: text('password_hash').notNull(),
    /** Set by the operator only. An e-mail address proves nothing. */
    role: text({ enum: ['USER', 'ADMIN'] })
      .notNull()
      .default('USER'),
    emailVerifiedAt: integer('email_verified_at'),
    /** Every session carries the epoch it was made in; raising it ends them all, at once, everywhere. */
    sessionEpoch: integer('session_epoch').notNull().default(0),
    suspendedAt: integer('suspended_at'),
    /** Hidden since then; signing in within 30 days brings it back. */
    deletedAt: integer('deleted_at'),
    /** Nothing personal is left; the row stays for the accounts, because a payment names it. */
    purgedAt: integer('purged_at'),
    /** When the person agreed to the terms and said to be 18 or older. */
    termsAcceptedAt: integer('terms_accepted_at').notNull(),
    /** Which terms those were, by the day from which they apply. The default is of accounts older than this column. */
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

/** One-time links sent by mail. Only the SHA-256 of a token is kept. */
export const accountTokens = sqliteTable(
  'account_tokens',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    kind: text({ enum: ['VERIFY', 'RESET'] }).notNull(),
    expiresAt: integer('expires_at').notNull(),
    usedAt: integer('used_at'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('account_tokens_user').on(t.userId, t.kind), index('account_tokens_expires').on(t.expiresAt)],
)

/** Sessions that were signed out of. KV forgets slowly, so this decides; rows go once no such session can be alive. */
export const endedSessions = sqliteTable(
  'ended_sessions',
  {
    sessionHash: text('session_hash').primaryKey(),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [index('ended_sessions_expires').on(t.expiresAt)],
)

import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { users } from '#worker/schema/accounts.table.ts'

/** Passkeys (WebAuthn credentials) of accounts. Nothing here signs anybody in without the private key on their device. */
export const passkeys = sqliteTable(
  'passkeys',
  {
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Base64url, as the authenticator chose it. */
    credentialId: text('credential_id').notNull(),
    /** COSE, base64url. */
    publicKey: text('public_key').notNull(),
    /** As the authenticator last said; stays 0 for those that don't count. */
    counter: integer().notNull(),
    /** How a browser may reach it, as it said itself: a hint for the next time. */
    transports: text({ mode: 'json' }).$type<string[]>().notNull(),
    name: text().notNull(),
    lastUsedAt: integer('last_used_at'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('passkeys_credential').on(t.credentialId),
    index('passkeys_user').on(t.userId, t.createdAt),
  ],
)

/** Challenges that were answered, until they would have expired: each counts once. Those that wait are in their browser's cookie. */
export const usedChallenges = sqliteTable(
  'used_challenges',
  {
    /** SHA-256 of the challenge. */
    challengeHash: text('challenge_hash').primaryKey(),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [index('used_challenges_expires').on(t.expiresAt)],
)

/** Codes that somebody printed to get into their account without mailbox and password. New ones replace all. */
export const printedCodes = sqliteTable(
  'printed_codes',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** SHA-256 of the code, which has 80 random bits. */
    codeHash: text('code_hash').notNull(),
    usedAt: integer('used_at'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.codeHash] })],
)

/** The authenticator app (TOTP, RFC 6238) of an admin. */
export const authenticators = sqliteTable('authenticators', {
  userId: text('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** Encrypted with a key that is made of the pepper. */
  secret: text().notNull(),
  /** The time step of the last code that was accepted: no code counts twice, nor an earlier one. */
  lastStep: integer('last_step').notNull(),
  createdAt: integer('created_at').notNull(),
})

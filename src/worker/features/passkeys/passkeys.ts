import { Buffer } from 'node:buffer'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { User } from '#shared/accounts/accounts.ts'
import { AppError } from '#shared/errors.ts'
import { CHALLENGE_EXPIRES_MS, PASSKEYS_MAX } from '#shared/limits.ts'
import { passkeyMessages } from '#shared/accounts/passkey-messages.ts'
import type {
  AccountKeys,
  KnownPasskey,
  NewPasskeyInput,
  Passkey,
  PasskeyCreation,
} from '#shared/accounts/passkeys.ts'
import { SITE_NAME } from '#shared/site-name.ts'
import { missingProof, noteOwnProofs, requireProofs } from '#worker/access/confirmed.ts'
import { deviceOf } from '#worker/access/device-label.ts'
import {
  isUnanswered,
  newChallenge,
  recordChallenge,
  requireChallenge,
} from '#worker/features/passkeys/challenges.ts'
import { ALGORITHMS, relyingParty, verifyNewPasskey } from '#worker/features/passkeys/verify.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere, isUniqueViolation } from '#worker/platform/db.ts'
import { enqueueMail, insertMailWhere } from '#worker/platform/providers/mail.ts'
import { newId } from '#worker/platform/random.ts'
import { authenticators, passkeys, printedCodes } from '#worker/schema/passkeys.table.ts'

/** What the user's list shows. */
export async function listKeys(ctx: RequestCtx, { id }: User): Promise<AccountKeys> {
  const [rows, codes, [app]] = await ctx.db.batch([
    selectPasskeys(ctx, id),
    ctx.db.select().from(printedCodes).where(eq(printedCodes.userId, id)),
    ctx.db
      .select({ createdAt: authenticators.createdAt })
      .from(authenticators)
      .where(eq(authenticators.userId, id)),
  ])
  const [code] = codes
  return {
    passkeys: rows.map(toPasskey),
    printedCodes: code
      ? {
          left: codes.filter(({ usedAt }) => usedAt === null).length,
          madeAt: new Date(code.createdAt).toISOString(),
        }
      : null,
    authenticator: app ? { addedAt: new Date(app.createdAt).toISOString() } : null,
    missing: await missingProof(ctx),
  }
}

/** Statement: the user's passkeys, the oldest first. */
export function selectPasskeys({ db }: Ctx, userId: string) {
  return db
    .select()
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(asc(passkeys.createdAt), asc(passkeys.id))
}

export function toPasskey(row: typeof passkeys.$inferSelect): Passkey {
  return {
    id: row.id,
    name: row.name,
    addedAt: new Date(row.createdAt).toISOString(),
    lastUsedAt: row.lastUsedAt === null ? null : new Date(row.lastUsedAt).toISOString(),
  }
}

export function toKnown({ credentialId, transports }: typeof passkeys.$inferSelect): KnownPasskey {
  return { type: 'public-key', id: credentialId, transports }
}

/** What a browser needs to make a passkey for this account. Throws `confirmation_needed`, `second_factor_needed`, `conflict` at the limit. */
export async function preparePasskey(
  ctx: RequestCtx,
  user: User,
  headers: Headers,
): Promise<PasskeyCreation> {
  await requireProofs(ctx)
  const rows = await selectPasskeys(ctx, user.id)
  if (rows.length >= PASSKEYS_MAX) throw new AppError('conflict', passkeyMessages.tooMany)
  const name = `${user.firstName} ${user.lastName}`.trim()
  return {
    challenge: newChallenge(ctx, headers, { purpose: 'add', userId: user.id }),
    rp: { id: relyingParty(ctx).id, name: SITE_NAME },
    user: { id: userHandle(user.id), name: user.email, displayName: name || user.email },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_EXPIRES_MS,
    excludeCredentials: rows.map(toKnown),
    authenticatorSelection: {
      // The device lists it by itself, so that signing in needs no address.
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    // Which make it is, is of no use to us.
    attestation: 'none',
  }
}

/** The account as the authenticator stores it: random, and nothing that says who it is. */
export function userHandle(userId: string): string {
  return Buffer.from(userId).toString('base64url')
}

/** Adds a passkey, named after the browser that made it, and mails the account. Throws `bad_input`, `confirmation_needed`, `conflict`. */
export async function addPasskey(ctx: RequestCtx, user: User, input: NewPasskeyInput): Promise<Passkey> {
  const isProved = await requireProofs(ctx)
  const challenge = requireChallenge(ctx, { purpose: 'add', userId: user.id })
  const verified = await verifyNewPasskey(ctx, input, challenge.challenge)
  if (!verified) throw new AppError('bad_input', passkeyMessages.notAdded)
  const row: typeof passkeys.$inferInsert = {
    id: newId('passkey'),
    userId: user.id,
    ...verified,
    transports: input.credential.response.transports,
    name: deviceOf(ctx.request) ?? 'Passkey',
    createdAt: ctx.now(),
  }
  const isRoom = sql`(select count(*) from ${passkeys} where ${passkeys.userId} = ${user.id}) < ${PASSKEYS_MAX}`
  const isAllowed = and(isProved, /* prove: new-passkey-once */ isUnanswered(challenge), isRoom)!
  const isAdded = existsIn(passkeys, eq(passkeys.id, row.id))
  const notice = insertMailWhere(
    ctx,
    { kind: 'passkey-added', recipient: user.email, subjectId: user.id },
    isAdded,
  )
  const added = await addOrRefuse(() =>
    ctx.db.batch([
      insertWhere(ctx.db, passkeys, row, isAllowed).returning(),
      recordChallenge(ctx, challenge),
      notice.statement,
    ]),
  )
  const [made] = added[0]
  if (!made) throw new AppError('conflict', passkeyMessages.tooSlow)
  // Their device has just checked who is there.
  await noteOwnProofs(ctx, { secondFactorAt: ctx.now() })
  await enqueueMail(ctx, notice.id)
  return toPasskey(made)
}

/** An authenticator chooses its ids: one that exists belongs to whoever added it first. */
async function addOrRefuse<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (isUniqueViolation(error)) throw new AppError('conflict', passkeyMessages.alreadyThere)
    throw error
  }
}

/** Renames one of the user's passkeys. Throws `not_found`, also for somebody else's. */
export async function renamePasskey(ctx: Ctx, userId: string, id: string, name: string): Promise<Passkey> {
  const [row] = await ctx.db
    .update(passkeys)
    .set({ name })
    .where(and(eq(passkeys.id, id), /* prove: rename-own-passkey */ eq(passkeys.userId, userId)))
    .returning()
  if (!row) throw new AppError('not_found', passkeyMessages.gone)
  return toPasskey(row)
}

/** Removes one of the user's passkeys, and mails the account. Throws `confirmation_needed`, and `not_found`, also for somebody else's. */
export async function removePasskey(ctx: RequestCtx, user: User, id: string): Promise<void> {
  const isProved = await requireProofs(ctx)
  const isTarget = and(
    eq(passkeys.id, id),
    // prove: remove-own-passkey
    eq(passkeys.userId, user.id),
    isProved,
  )
  const mail = { kind: 'passkey-removed', recipient: user.email, subjectId: user.id } as const
  const notice = insertMailWhere(ctx, mail, existsIn(passkeys, isTarget))
  const [, removed] = await ctx.db.batch([
    notice.statement,
    ctx.db.delete(passkeys).where(isTarget).returning({ id: passkeys.id }),
  ])
  if (removed.length === 0) throw new AppError('not_found', passkeyMessages.gone)
  await enqueueMail(ctx, notice.id)
}

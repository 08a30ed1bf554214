import { and, eq, inArray, isNotNull, isNull, ne, not, or, sql, type SQL } from 'drizzle-orm'
import type { User } from '#shared/accounts/accounts.ts'
import { emailChangeMessages } from '#shared/accounts/email-change-messages.ts'
import { AppError, fieldError } from '#shared/errors.ts'
import { readGiftCode } from '#shared/payments/gift-codes.ts'
import { EMAIL_CHANGE_LINK_EXPIRES_MS, EMAIL_UNDO_EXPIRES_MS } from '#shared/limits.ts'
import { linkToken } from '#worker/access/pepper.ts'
import { voidResetLinks } from '#worker/features/accounts/account-tokens.ts'
import { requirePassword } from '#worker/features/accounts/login.ts'
import { voidEmailChange } from '#worker/features/accounts/waiting-email-change.ts'
import { isOpenCode, printedCodeHash, spendCode } from '#worker/features/accounts/spend-code.ts'
import { countVerificationMail } from '#worker/features/accounts/mail-budgets.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { enqueueMail, insertMailWhere, mailRow } from '#worker/platform/providers/mail.ts'
import { hashToken, newId } from '#worker/platform/random.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { emailChanges, users } from '#worker/schema/accounts.table.ts'
import { mails, OWNER_MAILS } from '#worker/schema/mail.table.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** SQL: this address belongs to a confirmed account, other than this one. One that nobody has confirmed yet holds no address. */
export function isTaken(email: string, otherThan: string): SQL {
  return existsIn(
    users,
    and(eq(users.email, email), isNotNull(users.emailVerifiedAt), ne(users.id, otherThan)),
  )
}

/** Statements: who registered this address without confirming it makes room, if `condition` holds. */
export function dropUnconfirmed(ctx: Ctx, email: string, condition: SQL) {
  const isUnconfirmed = and(eq(users.email, email), isNull(users.emailVerifiedAt), condition)
  const unconfirmed = ctx.db.select({ id: users.id }).from(users).where(isUnconfirmed)
  return [
    ctx.db.delete(mails).where(inArray(mails.subjectId, unconfirmed)),
    ctx.db.delete(users).where(isUnconfirmed),
  ] as const
}

/** Statement: what waits in the outbox for the account's owner at one address goes to the other. */
export function readdressMails(ctx: Ctx, from: string | SQL, to: string, condition: SQL) {
  return ctx.db
    .update(mails)
    .set({ recipient: to })
    .where(
      and(
        eq(mails.recipient, from),
        eq(mails.status, 'QUEUED'),
        inArray(mails.kind, [...OWNER_MAILS]),
        condition,
      ),
    )
}

/**
 * Mails a link to both addresses, or only to the new one if a printed code stands for the old mailbox, which may be lost; a change of this account that waits is dropped. An address that has an account gets a mail that
 * says so, and everything else is the same, after the same statements. Throws `bad_input` for a wrong password or code and for the
 * account's own address, `too_many_requests`, `conflict` when the account changes at the same time.
 */
export async function requestEmailChange(
  ctx: RequestCtx,
  user: User,
  input: { email: string; password: string; code: string },
): Promise<void> {
  if (input.email === user.email) throw fieldError('bad_input', 'email', emailChangeMessages.sameAddress)
  const refusal = fieldError('bad_input', 'password', serverMessages.account.wrongPassword)
  const passwordHash = await requirePassword(ctx, user, input.password, refusal)
  await requireRateLimit(ctx, 'emailChanges', user.id)
  // Each guess counts as a request.
  const codeHash = input.code === '' ? null : await requireOpenCode(ctx, user.id, input.code)
  const retryAfterSec = await countVerificationMail(ctx, input.email)
  if (retryAfterSec > 0) {
    throw new AppError('too_many_requests', emailChangeMessages.manyMails, { retryAfterSec })
  }
  const id = newId('emailChange')
  const createdAt = ctx.now()
  const row = {
    id,
    userId: user.id,
    oldEmail: user.email,
    newEmail: input.email,
    oldTokenHash: hashToken(linkToken(ctx, 'email-old', id)),
    newTokenHash: hashToken(linkToken(ctx, 'email-new', id)),
    undoTokenHash: hashToken(linkToken(ctx, 'email-undo', id)),
    oldConfirmedAt: codeHash === null ? null : createdAt,
    expiresAt: createdAt + EMAIL_CHANGE_LINK_EXPIRES_MS,
    createdAt,
  }
  const isUnchanged = existsIn(
    users,
    and(
      eq(users.id, user.id),
      eq(users.email, user.email),
      eq(users.passwordHash, passwordHash),
      isNull(users.deletedAt),
    ),
  )
  const isAllowed =
    codeHash === null
      ? isUnchanged
      : and(isUnchanged, /* prove: code-for-mailbox-once */ isOpenCode(user.id, codeHash))!
  const isMade = existsIn(emailChanges, eq(emailChanges.id, id))
  const toNew = mailRow(ctx, { kind: 'email-change-new', recipient: input.email, subjectId: id })
  const told =
    codeHash === null
      ? ({ kind: 'email-change-old', subjectId: id } as const)
      : ({ kind: 'printed-code-used', subjectId: user.id } as const)
  const toOld = insertMailWhere(ctx, { ...told, recipient: user.email }, isMade)
  const kind = sql`case when ${isTaken(input.email, user.id)} then 'email-change-taken' else 'email-change-new' end`
  const [, made] = await ctx.db.batch([
    voidEmailChange(ctx, user.id, isAllowed),
    insertWhere(ctx.db, emailChanges, row, isAllowed).returning({ id: emailChanges.id }),
    insertWhere(ctx.db, mails, toNew, isMade, { kind }),
    toOld.statement,
    spendCode(ctx, user.id, codeHash ?? '', isMade),
  ])
  if (made.length === 0) throw new AppError('conflict', serverMessages.account.wrongPassword)
  await Promise.all([enqueueMail(ctx, toNew.id), enqueueMail(ctx, toOld.id)])
}

/** The hash of a printed code that nobody has used. Throws `bad_input`. */
async function requireOpenCode(ctx: Ctx, userId: string, typed: string): Promise<string> {
  const codeHash = printedCodeHash(readGiftCode(typed) ?? '')
  const [found] = await ctx.db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isOpenCode(users.id, codeHash)))
  if (!found) throw fieldError('bad_input', 'code', emailChangeMessages.wrongCode)
  return codeHash
}

/**
 * Confirms one of the two addresses; the second confirmation changes the account's address, and mails the old one how to undo it. Returns true
 * once it has changed, also when a link is opened again. Throws `link_expired`, and `conflict` if the new address got an account
 * meanwhile or this one is suspended.
 */
export async function confirmEmailChange(ctx: Ctx, token: string): Promise<boolean> {
  const hash = hashToken(token)
  const at = ctx.now()
  const [row] = await ctx.db
    .select()
    .from(emailChanges)
    .where(or(eq(emailChanges.oldTokenHash, hash), eq(emailChanges.newTokenHash, hash)))
  if (!row || row.undoneAt !== null || /* prove: email-link-expires */ row.expiresAt <= at) {
    throw new AppError('link_expired', emailChangeMessages.invalid)
  }
  if (row.changedAt !== null) return true
  const { id, userId, oldEmail, newEmail } = row
  const own = hash === row.oldTokenHash ? emailChanges.oldConfirmedAt : emailChanges.newConfirmedAt
  const side = hash === row.oldTokenHash ? { oldConfirmedAt: at } : { newConfirmedAt: at }
  const isOpen = and(eq(emailChanges.id, id), isNull(emailChanges.changedAt))
  const isConfirmed = and(
    isOpen,
    // prove: old-address-confirms
    isNotNull(emailChanges.oldConfirmedAt),
    // prove: new-address-confirms
    isNotNull(emailChanges.newConfirmedAt),
  )
  const isLive = and(eq(users.id, userId), isNull(users.deletedAt), isNull(users.suspendedAt))
  // True in this batch until the account has its new address: then only the mark is left to set.
  const isDue = and(
    existsIn(emailChanges, isConfirmed),
    existsIn(users, and(isLive, eq(users.email, oldEmail))),
    /* prove: new-address-is-free */ not(isTaken(newEmail, userId)),
  )!
  const notice = insertMailWhere(ctx, { kind: 'email-changed', recipient: oldEmail, subjectId: id }, isDue)
  const results = await ctx.db.batch([
    ctx.db
      .update(emailChanges)
      .set(side)
      .where(and(isOpen, isNull(own))),
    notice.statement,
    ...voidResetLinks(ctx, userId, isDue),
    readdressMails(ctx, oldEmail, newEmail, isDue),
    ...dropUnconfirmed(ctx, newEmail, isDue),
    ctx.db.update(users).set({ email: newEmail, updatedAt: at }).where(and(isLive, isDue)),
    ctx.db
      .update(emailChanges)
      .set({ changedAt: at, expiresAt: at + EMAIL_UNDO_EXPIRES_MS })
      .where(and(isConfirmed, existsIn(users, and(eq(users.id, userId), eq(users.email, newEmail))))),
    ctx.db.select().from(emailChanges).where(eq(emailChanges.id, id)),
  ])
  const [after] = results[9]
  if (!after) throw new AppError('link_expired', emailChangeMessages.invalid)
  if (after.changedAt !== null) {
    await enqueueMail(ctx, notice.id)
    return true
  }
  if (after.oldConfirmedAt !== null && after.newConfirmedAt !== null) {
    throw new AppError('conflict', emailChangeMessages.notPossible)
  }
  return false
}

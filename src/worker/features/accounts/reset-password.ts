import { and, eq, gt, isNotNull, ne, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import { afterAnswer, type RequestCtx } from '#worker/platform/ctx.ts'
import {
  insertResetLink,
  isUnusedResetOf,
  needsResetLink,
  userOfResetLink,
} from '#worker/features/accounts/account-tokens.ts'
import { dropKeys } from '#worker/features/accounts/drop-keys.ts'
import { countVerificationMail } from '#worker/features/accounts/mail-budgets.ts'
import { mailboxKey } from '#worker/platform/mailbox-key.ts'
import { voidEmailChange } from '#worker/features/accounts/waiting-email-change.ts'
import { voidHandoverOffers, voidKeeperInvites } from '#worker/features/accounts/waiting-keepers.ts'
import { voidRegistrations } from '#worker/features/accounts/registrations.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { accountTokens, users, isRecoverable } from '#worker/schema/accounts.table.ts'
import { dropReservations } from '#worker/features/quota/quota.ts'
import { revokeInviteLinks } from '#worker/features/invites/invites.ts'
import { clearFailedLogins } from '#worker/features/accounts/login-limits.ts'
import { hashPassword, requireUncommonPassword } from '#worker/features/accounts/passwords.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { insertMailWhere, mailRow, enqueueMail } from '#worker/platform/providers/mail.ts'
import { rememberDevice } from '#worker/access/known-devices.ts'
import { existsIn } from '#worker/platform/db.ts'
import { hashToken } from '#worker/platform/random.ts'
import { countRateLimit } from '#worker/platform/rate-limiter.ts'

/**
 * Mails a reset link: the same one while it lives, and an older one stays valid until one is used. So nobody can keep the owner
 * from a reset: when the budget is used up, a mail of the last hour holds a link that works. Runs after the response, so that
 * timing reveals nothing. Only a mail that is sent counts.
 */
export function forgotPassword(ctx: RequestCtx, email: string): void {
  afterAnswer(ctx, 'forgot_password', async () => {
    const [user] = await ctx.db
      .select({ id: users.id, emailVerifiedAt: users.emailVerifiedAt })
      .from(users)
      .where(and(eq(users.email, email), isRecoverable(ctx.now())))
    if (!user) return
    // A stranger can register the owner's mailbox with `+…`: these accounts must not use up the owner's resets.
    const isOwned = user.emailVerifiedAt !== null
    const wait = isOwned
      ? await countRateLimit(ctx, 'resetMails', mailboxKey(email))
      : await countVerificationMail(ctx, email)
    if (wait > 0) return
    const mail = mailRow(ctx, { kind: 'reset', recipient: email, subjectId: user.id })
    await ctx.db.batch([
      insertResetLink(ctx, user.id, needsResetLink(ctx, user.id)),
      ctx.db.insert(mails).values(mail),
    ])
    await enqueueMail(ctx, mail.id)
  })
}

/**
 * Sets a new password with a reset link: ends every session, voids every open reset link and every offer to hand over a memorial, confirms the
 * address (the link proves it), clears the count of failed logins and mails a notice. The database lets exactly one of several simultaneous uses win. Throws `bad_input`,
 * `link_used`, `link_expired`, `not_available`.
 */
export async function resetPassword(
  ctx: RequestCtx,
  token: string,
  password: string,
  headers: Headers,
): Promise<void> {
  const [row] = await ctx.db
    .select({
      usedAt: accountTokens.usedAt,
      expiresAt: accountTokens.expiresAt,
      email: users.email,
      firstName: users.firstName,
      lastName: users.lastName,
      userId: users.id,
    })
    .from(accountTokens)
    .innerJoin(users, eq(users.id, accountTokens.userId))
    .where(
      and(
        eq(accountTokens.tokenHash, hashToken(token)),
        eq(accountTokens.kind, 'RESET'),
        isRecoverable(ctx.now()),
      ),
    )
  if (!row || row.usedAt !== null || row.expiresAt <= ctx.now()) throw invalidLinkError(row?.usedAt ?? null)
  requireUncommonPassword(password, 'password', row)

  const passwordHash = await hashPassword(ctx, password)
  const at = ctx.now()
  const user = userOfResetLink(ctx, token)
  const notice = insertMailWhere(
    ctx,
    { kind: 'password-changed', recipient: row.email, subjectId: row.userId },
    isNotNull(user),
  )
  // One statement marks this token as used; the ones before it need it open.
  const isSpent = existsIn(
    accountTokens,
    and(eq(accountTokens.tokenHash, hashToken(token)), eq(accountTokens.usedAt, at)),
  )
  const [, , , , , , spent] = await ctx.db.batch([
    notice.statement,
    voidRegistrations(ctx, user),
    voidEmailChange(ctx, user),
    ctx.db
      .update(users)
      .set({
        passwordHash,
        // prove: reset-ends-sessions
        sessionEpoch: sql`${users.sessionEpoch} + 1`,
        emailVerifiedAt: sql`coalesce(${users.emailVerifiedAt}, ${at})`,
        updatedAt: at,
      })
      .where(eq(users.id, user)),
    ctx.db
      .update(mails)
      .set({ status: 'CANCELLED' })
      .where(and(eq(mails.subjectId, user), eq(mails.kind, 'reset'), eq(mails.status, 'QUEUED'))),
    ctx.db
      .delete(accountTokens)
      .where(and(isUnusedResetOf(user), ne(accountTokens.tokenHash, hashToken(token)))),
    ctx.db
      .update(accountTokens)
      .set({ usedAt: at })
      .where(isUnusedResetOf(user))
      .returning({ tokenHash: accountTokens.tokenHash }),
    // Whoever used the account may have offered a memorial to themselves.
    // prove: reset-ends-offers
    voidHandoverOffers(ctx, row.userId, isSpent),
  ])
  if (spent.length === 0) throw invalidLinkError(at)
  await clearFailedLogins(ctx, headers, { id: row.userId, email: row.email })
  await enqueueMail(ctx, notice.id)
}

/**
 * Ends all sessions, passkeys, printed codes, invitation links, links for keepers and offers to hand over a memorial, of the account whose
 * password this token has just reset, in case somebody else used the account. Keepers stay: the answer asks the owner to look at them. Throws `link_expired` after the token's hour, and for a token that reset nothing.
 */
export async function endInvitations(ctx: RequestCtx, token: string, headers: Headers): Promise<void> {
  const isSpent = and(
    eq(accountTokens.tokenHash, hashToken(token)),
    eq(accountTokens.kind, 'RESET'),
    /* prove: only-a-used-reset-ends */ isNotNull(accountTokens.usedAt),
    gt(accountTokens.expiresAt, ctx.now()),
  )
  const user = sql`(select ${accountTokens.userId} from ${accountTokens} where ${isSpent})`
  const owned = ctx.db.select({ id: memorials.id }).from(memorials).where(eq(memorials.ownerId, user))
  const [, dropped, [account]] = await ctx.db.batch([
    ...revokeInviteLinks(ctx, owned),
    ctx.db
      .update(users)
      .set({ sessionEpoch: sql`${users.sessionEpoch} + 1` })
      .where(eq(users.id, user))
      .returning({ id: users.id, sessionEpoch: users.sessionEpoch }),
    ...dropKeys(ctx, user),
    // prove: end-voids-keeper-invites
    voidKeeperInvites(ctx, owned),
    // prove: end-voids-offers
    voidHandoverOffers(ctx, user),
  ])
  if (!account) throw invalidLinkError(null)
  rememberDevice(ctx, ctx.request, headers, account)
  const memorialIds = new Set(dropped.map(({ memorialId }) => memorialId))
  await Promise.all([...memorialIds].map((id) => dropReservations(ctx, id)))
}

function invalidLinkError(usedAt: number | null): AppError {
  return new AppError(usedAt === null ? 'link_expired' : 'link_used', messages.reset.invalid)
}

import { existsIn } from '#worker/platform/db.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { User } from '#shared/accounts/accounts.ts'
import { AppError, fieldError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { voidResetLinks } from '#worker/features/accounts/account-tokens.ts'
import { voidEmailChange } from '#worker/features/accounts/waiting-email-change.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { requirePassword } from '#worker/features/accounts/login.ts'
import { hashPassword, requireUncommonPassword } from '#worker/features/accounts/passwords.ts'
import { rememberDevice } from '#worker/access/known-devices.ts'
import { forgetEndedSessions } from '#worker/access/session-records.ts'
import { createSession, dropSessionCookie, toUser } from '#worker/access/sessions.ts'
import { insertMailWhere, enqueueMail } from '#worker/platform/providers/mail.ts'
import { queueCachePurge } from '#worker/platform/edge-cache.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** Changes the name of the signed-in user. Their comments show it, so it queues a cache purge for those memorials. */
export async function updateAccount(
  ctx: Ctx,
  userId: string,
  name: { firstName: string; lastName: string },
): Promise<User> {
  const commentedMemorialIds = ctx.db
    .select({ id: comments.memorialId })
    .from(comments)
    .where(eq(comments.authorUserId, userId))
  const [, [row]] = await ctx.db.batch([
    queueCachePurge(ctx, inArray(memorials.id, commentedMemorialIds), { urgent: false }),
    ctx.db
      .update(users)
      .set({ firstName: name.firstName, lastName: name.lastName, updatedAt: ctx.now() })
      .where(eq(users.id, userId))
      .returning(),
  ])
  if (!row) throw new AppError('not_signed_in', messages.login.needed)
  return toUser(row)
}

/**
 * Changes the password of the signed-in user: ends every session, gives this device a new one, voids open reset links and
 * mails a notice. Throws `bad_input` for a wrong current or a common new password, `too_many_requests` (counted by
 * session), `conflict` when another request changed it at the same time.
 */
export async function changePassword(
  ctx: RequestCtx,
  user: User,
  input: { currentPassword: string; newPassword: string },
  headers: Headers,
): Promise<void> {
  requireUncommonPassword(input.newPassword, 'newPassword', user)
  const refusal = fieldError('bad_input', 'currentPassword', serverMessages.password.wrongCurrent)
  const oldHash = await requirePassword(ctx, user, input.currentPassword, refusal)
  const passwordHash = await hashPassword(ctx, input.newPassword)
  const hasChanged = existsIn(users, and(eq(users.id, user.id), eq(users.passwordHash, passwordHash)))
  const notice = insertMailWhere(
    ctx,
    { kind: 'password-changed', recipient: user.email, subjectId: user.id },
    hasChanged,
  )
  const [changed] = await ctx.db.batch([
    ctx.db
      .update(users)
      .set({
        passwordHash,
        /* prove: password-change-ends-sessions */ sessionEpoch: sql`${users.sessionEpoch} + 1`,
        updatedAt: ctx.now(),
      })
      .where(and(eq(users.id, user.id), eq(users.passwordHash, oldHash)))
      .returning({ id: users.id, sessionEpoch: users.sessionEpoch }),
    ...voidResetLinks(ctx, user.id, hasChanged),
    // prove: new-password-stops-email-change
    voidEmailChange(ctx, user.id, hasChanged),
    notice.statement,
  ])
  if (!changed[0]) throw new AppError('conflict', serverMessages.password.wrongCurrent)
  await createSession(ctx, ctx.request, headers, changed[0])
  await enqueueMail(ctx, notice.id)
}

/** Ends every session of the signed-in user, including the current one. Only this browser stays a known device. */
export async function signOutEverywhere(ctx: RequestCtx, userId: string, headers: Headers): Promise<void> {
  const [[account]] = await ctx.db.batch([
    ctx.db
      .update(users)
      .set({ sessionEpoch: sql`${users.sessionEpoch} + 1` })
      .where(eq(users.id, userId))
      .returning({ id: users.id, sessionEpoch: users.sessionEpoch }),
    forgetEndedSessions(ctx, userId),
  ])
  dropSessionCookie(headers, ctx.request)
  if (account) rememberDevice(ctx, ctx.request, headers, account)
}

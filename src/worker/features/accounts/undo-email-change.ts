import { and, eq, gte, isNotNull, isNull, ne, not, or, sql } from 'drizzle-orm'
import { emailChangeMessages } from '#shared/accounts/email-change-messages.ts'
import { AppError } from '#shared/errors.ts'
import { forgetEndedSessions } from '#worker/access/session-records.ts'
import { insertResetLink, voidResetLinks } from '#worker/features/accounts/account-tokens.ts'
import { dropUnconfirmed, isTaken, readdressMails } from '#worker/features/accounts/email-change.ts'
import { dropKeysSince } from '#worker/features/accounts/drop-keys.ts'
import { voidHandoverOffers } from '#worker/features/accounts/waiting-keepers.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { enqueueMail, insertMailWhere, mailRow } from '#worker/platform/providers/mail.ts'
import { hashToken } from '#worker/platform/random.ts'
import { emailChanges, isRecoverable, users } from '#worker/schema/accounts.table.ts'
import { mails } from '#worker/schema/mail.table.ts'

/**
 * Gives the account its old address back, whatever it is now: ends every session, the password, the reset links, offers to hand over a memorial, and the
 * passkeys, printed codes and authenticator that were made since it was asked for; mails the old address a link for a new password, and tells the other. Later changes can no longer be undone, so that who made them can't come back; earlier
 * ones can. Throws `link_used`, `link_expired`, and `conflict` if the old address got an account of its own.
 */
export async function undoEmailChange(ctx: Ctx, token: string): Promise<void> {
  const at = ctx.now()
  const [row] = await ctx.db
    .select()
    .from(emailChanges)
    .where(eq(emailChanges.undoTokenHash, hashToken(token)))
  if (
    !row ||
    row.changedAt === null ||
    row.undoneAt !== null ||
    /* prove: undo-expires */ row.expiresAt <= at
  ) {
    throw invalidLinkError(row?.undoneAt ?? null)
  }
  const { id, userId, oldEmail, changedAt } = row
  const isOwn = eq(users.id, userId)
  const isOpen = and(
    eq(emailChanges.id, id),
    isNotNull(emailChanges.changedAt),
    // prove: undo-works-once
    isNull(emailChanges.undoneAt),
  )
  // Nothing in the batch makes it false before the mark.
  const isDue = and(
    existsIn(emailChanges, isOpen),
    existsIn(users, and(isOwn, isNull(users.purgedAt), isRecoverable(at))),
    not(isTaken(oldEmail, userId)),
  )!
  const present = sql<string>`(select ${users.email} from ${users} where ${isOwn})`
  const told = mailRow(ctx, { kind: 'email-change-undone', recipient: '', subjectId: id })
  const reset = insertMailWhere(ctx, { kind: 'reset', recipient: oldEmail, subjectId: userId }, isDue)
  const hasOther = existsIn(users, and(isOwn, ne(users.email, oldEmail)))
  const isLater = or(isNull(emailChanges.changedAt), gte(emailChanges.changedAt, changedAt))
  const isUndone = existsIn(emailChanges, and(eq(emailChanges.id, id), eq(emailChanges.undoneAt, at)))
  const results = await ctx.db.batch([
    ...voidResetLinks(ctx, userId, isDue),
    insertResetLink(ctx, userId, isDue),
    reset.statement,
    insertWhere(ctx.db, mails, told, and(isDue, hasOther)!, { recipient: present }),
    readdressMails(ctx, present, oldEmail, isDue),
    ...dropUnconfirmed(ctx, oldEmail, isDue),
    ctx.db
      .update(users)
      .set({
        email: oldEmail,
        /* prove: undo-ends-password */ passwordHash: 'none',
        /* prove: undo-ends-sessions */ sessionEpoch: sql`${users.sessionEpoch} + 1`,
        updatedAt: at,
      })
      .where(and(isOwn, isDue)),
    forgetEndedSessions(ctx, userId),
    ctx.db
      .update(emailChanges)
      .set({ undoneAt: at })
      .where(and(isOpen, isDue))
      .returning({ id: emailChanges.id }),
    // prove: undo-ends-later-changes
    ctx.db
      .delete(emailChanges)
      .where(and(eq(emailChanges.userId, userId), ne(emailChanges.id, id), isLater, isUndone)),
    ...dropKeysSince(ctx, userId, row.createdAt, isUndone),
    // prove: undo-ends-offers
    voidHandoverOffers(ctx, userId, isUndone),
  ])
  if (results[10].length === 0) {
    const [after] = await ctx.db
      .select({ undoneAt: emailChanges.undoneAt })
      .from(emailChanges)
      .where(eq(emailChanges.id, id))
    if (!after || after.undoneAt !== null) throw invalidLinkError(after?.undoneAt ?? null)
    throw new AppError('conflict', emailChangeMessages.undoNotPossible)
  }
  await Promise.all([enqueueMail(ctx, reset.id), enqueueMail(ctx, told.id)])
}

function invalidLinkError(undoneAt: number | null): AppError {
  return undoneAt === null
    ? new AppError('link_expired', emailChangeMessages.undoInvalid)
    : new AppError('link_used', emailChangeMessages.undoUsed)
}

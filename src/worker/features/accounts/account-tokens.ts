import { and, desc, eq, gt, gte, isNull, not, sql, type SQL } from 'drizzle-orm'
import { RESET_TOKEN_EXPIRES_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { linkToken, remakeLinkToken } from '#worker/access/pepper.ts'
import { accountTokens } from '#worker/schema/accounts.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { hashToken, randomBase32 } from '#worker/platform/random.ts'

/** Deletes unused reset links and cancels queued mails with one. `user`: id or subselect. */
export function voidResetLinks(ctx: Ctx, user: string | SQL, when: SQL = sql`1`) {
  return [
    ctx.db.delete(accountTokens).where(and(isUnusedResetOf(user), when)),
    ctx.db
      .update(mails)
      .set({ status: 'CANCELLED' })
      .where(and(eq(mails.subjectId, user), eq(mails.kind, 'reset'), eq(mails.status, 'QUEUED'), when)),
  ] as const
}

/** Statement: a reset link for this user, unless `condition` fails. Put it before the mail that needs the link. */
export function insertResetLink(ctx: Ctx, userId: string, condition: SQL) {
  const at = ctx.now()
  const nonce = randomBase32(26)
  const row = {
    tokenHash: hashToken(linkToken(ctx, 'reset', nonce)),
    userId,
    kind: 'RESET' as const,
    nonce,
    expiresAt: at + RESET_TOKEN_EXPIRES_MS,
    createdAt: at,
  }
  return insertWhere(ctx.db, accountTokens, row, condition)
}

/** SQL: no link of this user lives for at least half its time. So a stranger's request never makes the owner's link void. */
export function needsResetLink(ctx: Ctx, userId: string): SQL {
  const until = ctx.now() + RESET_TOKEN_EXPIRES_MS / 2
  return not(existsIn(accountTokens, and(isUnusedResetOf(userId), gte(accountTokens.expiresAt, until))))
}

/** The newest link that lives, or a new one, for a mail about it; `expiresAt` in ms. Null if the mail was cancelled. */
export async function resetLinkFor(
  ctx: Ctx,
  mail: { id: string; subjectId: string },
): Promise<{ token: string; expiresAt: number } | null> {
  const [live] = await openResetLink(ctx, mail.subjectId)
  const token = live?.nonce && remakeLinkToken(ctx, live.tokenHash, 'reset', live.nonce)
  if (live && token) return { token, expiresAt: live.expiresAt }
  const isMailQueued = existsIn(mails, and(eq(mails.id, mail.id), eq(mails.status, 'QUEUED')))
  const [made] = await insertResetLink(ctx, mail.subjectId, isMailQueued).returning()
  if (!made?.nonce) return null
  return { token: linkToken(ctx, 'reset', made.nonce), expiresAt: made.expiresAt }
}

function openResetLink(ctx: Ctx, userId: string) {
  return ctx.db
    .select()
    .from(accountTokens)
    .where(and(isUnusedResetOf(userId), gt(accountTokens.expiresAt, ctx.now())))
    .orderBy(desc(accountTokens.createdAt))
    .limit(1)
}

/** SQL condition: a reset link of this user that was not used. `user`: id or subselect. */
export function isUnusedResetOf(user: string | SQL): SQL | undefined {
  return and(eq(accountTokens.userId, user), eq(accountTokens.kind, 'RESET'), isNull(accountTokens.usedAt))
}

/** Returns a subselect of the user id of an open reset link, for use inside another statement; NULL when there is none. */
export function userOfResetLink(ctx: Ctx, token: string): SQL {
  const isOpen = and(
    eq(accountTokens.tokenHash, hashToken(token)),
    eq(accountTokens.kind, 'RESET'),
    // prove: link-used-once
    isNull(accountTokens.usedAt),
    gt(accountTokens.expiresAt, ctx.now()),
  )
  return sql`(select ${accountTokens.userId} from ${accountTokens} where ${isOpen})`
}

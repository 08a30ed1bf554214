import { and, eq, gt, isNull, sql, type SQL } from 'drizzle-orm'
import { RESET_TOKEN_EXPIRES_MS, VERIFY_TOKEN_EXPIRES_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { accountTokens } from '#worker/schema/accounts.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { hashToken, newToken } from '#worker/platform/random.ts'

type AccountTokenKind = (typeof accountTokens.$inferSelect)['kind']

const EXPIRES_MS = { VERIFY: VERIFY_TOKEN_EXPIRES_MS, RESET: RESET_TOKEN_EXPIRES_MS } as const
const MAIL_KIND = { VERIFY: 'verify', RESET: 'reset' } as const

/** Deletes unused links and cancels queued mails with another. Put it before the new mail. `user`: id or subselect. */
export function voidOpenLinks(
  ctx: Ctx,
  user: string | SQL<string>,
  kind: AccountTokenKind,
  when: SQL = sql`1`,
) {
  return [
    ctx.db
      .delete(accountTokens)
      .where(
        and(eq(accountTokens.userId, user), eq(accountTokens.kind, kind), isNull(accountTokens.usedAt), when),
      ),
    ctx.db
      .update(mails)
      .set({ status: 'CANCELLED' })
      .where(
        and(eq(mails.subjectId, user), eq(mails.kind, MAIL_KIND[kind]), eq(mails.status, 'QUEUED'), when),
      ),
  ] as const
}

/** Creates the token of a link when its mail is sent; null if that was cancelled, so a newer request wins. */
export async function issueAccountToken(
  ctx: Ctx,
  mail: { id: string; subjectId: string },
  kind: AccountTokenKind,
): Promise<string | null> {
  const token = newToken()
  const at = ctx.now()
  const isMailQueued = existsIn(mails, and(eq(mails.id, mail.id), eq(mails.status, 'QUEUED')))
  const row = {
    tokenHash: hashToken(token),
    userId: mail.subjectId,
    kind,
    expiresAt: at + EXPIRES_MS[kind],
    createdAt: at,
  }
  const inserted = await insertWhere(ctx.db, accountTokens, row, isMailQueued).returning({
    tokenHash: accountTokens.tokenHash,
  })
  return inserted.length > 0 ? token : null
}

/** Returns the SQL condition that matches this token while it is unused and unexpired. */
export function isOpenToken(ctx: Ctx, token: string, kind: AccountTokenKind): SQL | undefined {
  return and(
    eq(accountTokens.tokenHash, hashToken(token)),
    eq(accountTokens.kind, kind),
    // prove: link-used-once
    isNull(accountTokens.usedAt),
    gt(accountTokens.expiresAt, ctx.now()),
  )
}

/** Returns a subselect of the user id of an open token, for use inside another statement; NULL when there is none. */
export function userOfOpenToken(ctx: Ctx, token: string, kind: AccountTokenKind): SQL {
  return sql`(select ${accountTokens.userId} from ${accountTokens} where ${isOpenToken(ctx, token, kind)})`
}

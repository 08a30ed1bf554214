import { and, eq, exists, gt, isNull, sql, type SQL } from 'drizzle-orm'
import { RESET_TOKEN_EXPIRES_MS, VERIFY_TOKEN_EXPIRES_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { accountTokens } from '#worker/schema/accounts.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { insertWhere } from '#worker/platform/db.ts'
import { hashToken, newToken } from '#worker/platform/random.ts'

type AccountTokenKind = (typeof accountTokens.$inferSelect)['kind']

const EXPIRES_MS = { VERIFY: VERIFY_TOKEN_EXPIRES_MS, RESET: RESET_TOKEN_EXPIRES_MS } as const
const MAIL_KIND = { VERIFY: 'verify', RESET: 'reset' } as const

/**
 * Two statements for a batch: every open link of this kind stops working, and mails that would bring another one are
 * cancelled. Stand them before the row of the new mail. `user` is an id or a subselect of one.
 */
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

/**
 * Makes the token of a link at the moment its mail is sent; only its SHA-256 is kept. Null when the mail was cancelled
 * meanwhile: the insert looks at the mail's row, so a newer request always wins.
 */
export async function issueAccountToken(
  ctx: Ctx,
  mail: { id: string; subjectId: string },
  kind: AccountTokenKind,
): Promise<string | null> {
  const token = newToken()
  const at = ctx.now()
  const isStillWanted = exists(
    ctx.db
      .select({ id: mails.id })
      .from(mails)
      .where(and(eq(mails.id, mail.id), eq(mails.status, 'QUEUED'))),
  )
  const row = {
    tokenHash: hashToken(token),
    userId: mail.subjectId,
    kind,
    expiresAt: at + EXPIRES_MS[kind],
    createdAt: at,
  }
  const made = await insertWhere(ctx.db, accountTokens, row, isStillWanted).returning({
    tokenHash: accountTokens.tokenHash,
  })
  return made.length > 0 ? token : null
}

/** The condition of a token that may still be used. */
export function isOpenToken(ctx: Ctx, token: string, kind: AccountTokenKind): SQL | undefined {
  return and(
    eq(accountTokens.tokenHash, hashToken(token)),
    eq(accountTokens.kind, kind),
    isNull(accountTokens.usedAt),
    gt(accountTokens.expiresAt, ctx.now()),
  )
}

/** `(select user_id …)` of an open token, to stand inside another statement; NULL when there is none. */
export function userOfOpenToken(ctx: Ctx, token: string, kind: AccountTokenKind): SQL {
  return sql`(select ${accountTokens.userId} from ${accountTokens} where ${isOpenToken(ctx, token, kind)})`
}

import { and, eq, isNull, sql, type SQL } from 'drizzle-orm'
import { storeMailToken } from '#worker/access/contributor-sessions.ts'
import { linkToken, remakeLinkToken } from '#worker/access/pepper.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { insertMailWhere } from '#worker/platform/providers/mail.ts'
import { hashToken } from '#worker/platform/random.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'

/** Statement: keeps a visitor's address if `isStored`. The first one: it is part of the token, and every address gets the same link. */
export function keepAddress(ctx: Ctx, visitorId: string, address: string, isStored: SQL) {
  return ctx.db
    .update(contributors)
    .set({ email: address })
    .where(and(eq(contributors.id, visitorId), isNull(contributors.email), isStored))
}

/** Statement: mails a visitor the link to their words, once for each address, if `isStored`; and the id of that mail. */
export function mailWordsLink(ctx: Ctx, visitorId: string, address: string, isStored: SQL) {
  const isMailed = and(
    eq(mails.subjectId, visitorId),
    eq(mails.kind, 'visitor-words'),
    eq(mails.recipient, address),
  )
  const letter = { kind: 'visitor-words', recipient: address, subjectId: visitorId } as const
  return insertMailWhere(ctx, letter, sql`${isStored} and not ${existsIn(mails, isMailed)}`)
}

/** The link's token and the memorial's slug, for the mail; null if the visitor is gone. A retry gets the same token. */
export async function wordsLinkFor(
  ctx: Ctx,
  visitorId: string,
): Promise<{ token: string; slug: string } | null> {
  const isTarget = eq(contributors.id, visitorId)
  const [visitor] = await ctx.db
    .select({ email: contributors.email, known: contributors.mailTokenHash, slug: memorials.slug })
    .from(contributors)
    .innerJoin(inviteTokens, eq(inviteTokens.token, contributors.inviteToken))
    .innerJoin(memorials, eq(memorials.id, contributors.memorialId))
    .where(and(isTarget, eq(inviteTokens.status, 'VISITORS'), isNotDeleted()))
  if (!visitor?.email) return null
  const parts = ['visitor-words', visitorId, visitor.email] as const
  const token = (visitor.known && remakeLinkToken(ctx, visitor.known, ...parts)) || linkToken(ctx, ...parts)
  const mailTokenHash = hashToken(token)
  // First D1, by which a purge finds the entry in KV.
  await ctx.db.update(contributors).set({ mailTokenHash }).where(isTarget)
  await storeMailToken(ctx, mailTokenHash, visitorId)
  return { token, slug: visitor.slug }
}

import { and, asc, eq, isNull, sql, type SQL } from 'drizzle-orm'
import { LET_IN_WAITING_MAX } from '#shared/limits.ts'
import type { LetInRequest, LetInRequestInput } from '#shared/invites/let-in.ts'
import { letInRefusals } from '#shared/invites/let-in-refusals.ts'
import { networkOf } from '#worker/access/guards.ts'
import { takesRequests } from '#worker/access/memorial-access.ts'
import { linkToken, networkHash, unknownBrowser } from '#worker/access/pepper.ts'
import { tellOwnerIf } from '#worker/features/memorials/tell-owner.ts'
import { nameJudge } from '#worker/features/rules/word-rules.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { hashToken, newId } from '#worker/platform/random.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { letInRequests } from '#worker/schema/let-in.table.ts'

/** The token in the link that is mailed to whoever is let in. It isn't stored, and a mail that is sent again has the same. */
export function letInToken(ctx: Ctx, id: string): string {
  return linkToken(ctx, 'let-in', id)
}

/**
 * Stores that somebody asks to be let in, if there is such a memorial and it takes requests. Whether it does, whether this address has asked before, was
 * refused or waits, nobody can tell from answer or time. Throws `too_many_requests`, which counts every request alike.
 */
export async function askToBeLetIn(
  ctx: RequestCtx,
  memorialId: string,
  { name, relation, email }: LetInRequestInput,
): Promise<void> {
  const network = networkHash(ctx, networkOf(ctx.ip, 3))
  await requireRateLimit(ctx, 'letInRequests', `${memorialId} ${network}`, letInRefusals.tooMany)
  await requireRateLimit(ctx, 'letInRequestsOfNetwork', network, letInRefusals.tooMany)
  const id = newId('letInRequest')
  const row = {
    id,
    memorialId,
    name,
    relation,
    email,
    tokenHash: hashToken(letInToken(ctx, id)),
    createdAt: ctx.now(),
  }
  const isBlocked = existsIn(
    contributors,
    and(
      eq(contributors.memorialId, memorialId),
      eq(contributors.deviceHash, unknownBrowser(ctx, memorialId)),
      sql`${contributors.blockedAt} is not null`,
    ),
  )
  const waiting = ctx.db.$count(letInRequests, isWaiting(memorialId))
  const mayAsk = and(
    takesRequests(memorialId),
    /* prove: blocked-phones-ask-nobody */ sql`not ${isBlocked}`,
    /* prove: requests-are-bounded */ sql`${waiting} < ${LET_IN_WAITING_MAX}`,
  )!
  await ctx.db.batch([
    insertWhere(ctx.db, letInRequests, row, mayAsk).onConflictDoNothing(),
    tellOwnerIf(ctx, memorialId, existsIn(letInRequests, eq(letInRequests.id, id))),
  ])
}

/** SQL condition: a request to this memorial about which nobody has decided. */
export function isWaiting(memorialId: string | SQL): SQL {
  return and(eq(letInRequests.memorialId, memorialId), isNull(letInRequests.decision))!
}

/** Who waits to be let in, whoever asked first first. */
export async function listLetInRequests(ctx: Ctx, memorialId: string): Promise<LetInRequest[]> {
  const rows = await ctx.db
    .select()
    .from(letInRequests)
    .where(isWaiting(memorialId))
    .orderBy(asc(letInRequests.createdAt), asc(letInRequests.id))
  const mayHurt = rows.length === 0 ? () => false : await nameJudge(ctx)
  return rows.map((row) => toLetInRequest(row, mayHurt(row.name) || mayHurt(row.relation)))
}

function toLetInRequest(
  { id, name, relation, email, createdAt }: typeof letInRequests.$inferSelect,
  mayHurt: boolean,
): LetInRequest {
  const request = { id, name, relation, email, createdAt: new Date(createdAt).toISOString() }
  return mayHurt ? { ...request, mayHurt } : request
}

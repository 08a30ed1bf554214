import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import { isProof, proofText } from '#shared/comments/proof-of-work.ts'
import { isHeldFromVisitors, isShown } from '#worker/access/held.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { forgetUnproven } from '#worker/features/visitors/visitor-limits.ts'
import { mailWordsLink } from '#worker/features/visitors/words-link.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { countRateLimit } from '#worker/platform/rate-limiter.ts'
import { existsIn } from '#worker/platform/db.ts'
import { queueCachePurge, schedulePurge } from '#worker/platform/edge-cache.ts'
import { enqueueMail } from '#worker/platform/providers/mail.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/**
 * A message that was held only because many came at once is treated as others are, once its author's browser has shown a proof of work for its
 * id; beyond so many a day it stays held. If they left an address, they get the link to their words now. Returns whether everybody sees it now. Idempotent. Throws `not_found` for anybody else's message, `bad_input` for a wrong proof.
 */
export async function proveMessage(
  ctx: RequestCtx,
  { memorial, contributor }: MemorialAccess,
  commentId: string,
  nonce: string,
): Promise<boolean> {
  if (!isProof(sha256(utf8ToBytes(proofText(commentId, nonce)))))
    throw new AppError('bad_input', serverMessages.visitors.noProof)
  const { db } = ctx
  const isTheirs = and(
    eq(comments.id, commentId),
    eq(comments.memorialId, memorial.id),
    /* prove: proof-of-own-message */ eq(comments.authorContributorId, contributor?.id ?? ''),
  )
  const isThisMemorial = eq(memorials.id, memorial.id)
  const isInBurst = and(
    isTheirs,
    sql`${comments.isHeld} = 1 and ${comments.heldAs} = 'MAY_HURT' and ${comments.heldReason} = 'BURST'`,
  )
  const [inBurst] = await db
    .select({ address: contributors.email })
    .from(comments)
    .innerJoin(contributors, eq(contributors.id, comments.authorContributorId))
    .where(isInBurst)
  const address = contributor?.isVisitor ? inBurst?.address : null
  const isFree = existsIn(comments, and(isTheirs, isNull(comments.heldReason)))
  const mail = address ? mailWordsLink(ctx, contributor?.id ?? '', address, isFree) : null
  const isDayFull = inBurst !== undefined && (await countRateLimit(ctx, 'provenADay', memorial.id)) > 0
  const [proven, [comment], purges] = await db.batch([
    db
      .update(comments)
      .set({ isHeld: isHeldFromVisitors(memorial.id), heldAs: 'WAITING', heldReason: null })
      .where(and(isInBurst, /* prove: proofs-a-day */ sql`${!isDayFull}`))
      .returning({ id: comments.id }),
    db.select({ isHeld: comments.isHeld }).from(comments).where(isTheirs),
    queueCachePurge(ctx, and(isThisMemorial, existsIn(comments, and(isTheirs, isShown(comments)))), {
      urgent: false,
    }),
    ...(mail ? [mail.statement] : []),
  ])
  if (!comment) throw new AppError('not_found', messages.comment.notFound)
  if (proven.length > 0) {
    await forgetUnproven(ctx, memorial.id)
    await schedulePurge(ctx, purges)
    if (mail) await enqueueMail(ctx, mail.id)
  }
  return !comment.isHeld
}

import {
  and,
  asc,
  eq,
  inArray,
  isNull,
  lte,
  notExists,
  or,
  gte,
  isNotNull,
  lt,
  ne,
  sql,
  type SQL,
} from 'drizzle-orm'
import { DELETED_RESTORABLE_MS, MINUTE_MS, PURGE_BATCH } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { users, accountTokens, emailChanges, registrations, sessions } from '#worker/schema/accounts.table.ts'
import { memorials, locations, retiredSlugs } from '#worker/schema/memorials.table.ts'
import { insertAudit } from '#worker/access/audit.ts'
import { comments, commentLikes } from '#worker/schema/comments.table.ts'
import { followers } from '#worker/schema/followers.table.ts'
import { funeralEvents, replies } from '#worker/schema/funeral.table.ts'
import { clearContributorTokens } from '#worker/access/contributor-sessions.ts'
import { contributorCodes, contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { handovers, keeperInvites, keepers } from '#worker/schema/keepers.table.ts'
import { letInRequests } from '#worker/schema/let-in.table.ts'
import { mails, contactMessages } from '#worker/schema/mail.table.ts'
import { media, objectDeletions } from '#worker/schema/media.table.ts'
import { queueObjectDeletion } from '#worker/features/media/media.jobs.ts'
import { discardUploadsOf } from '#worker/features/media/resumable.jobs.ts'
import { queueCachePurge } from '#worker/platform/edge-cache.ts'
import { deleteQuota } from '#worker/features/quota/quota.ts'
import { existsIn } from '#worker/platform/db.ts'
import { idempotencyKeys } from '#worker/schema/idempotency.table.ts'
import { deletePrefix } from '#worker/platform/objects.ts'
import { gifts, orders, payLinks, payments, paynowAttempts } from '#worker/schema/payments.table.ts'
import { authenticators, passkeys, printedCodes } from '#worker/schema/passkeys.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'
import { endTakingBack } from '#worker/features/keepers/handover.ts'
import { purgeDeclined } from '#worker/features/removal/purge-declined.ts'
import { purgeRemoved } from '#worker/features/removal/restore.ts'

/** A request that started within the 30 days may still be restoring something. */
const PURGE_MARGIN_MS = MINUTE_MS

/**
 * Memorials that their owners deleted 30 days ago, such accounts with all their memorials, and media items and comments
 * that were removed or declined then. Queues another run if more are due. Safe to repeat, run concurrently or kill; failures are retried the next day.
 */
export async function purgeDeleted(ctx: Ctx): Promise<void> {
  const until = ctx.now() - DELETED_RESTORABLE_MS - PURGE_MARGIN_MS
  const isGone = and(lte(users.deletedAt, until), isNull(users.purgedAt))
  const dueMemorials = await ctx.db
    .select({ id: memorials.id })
    .from(memorials)
    .where(
      or(
        and(
          eq(memorials.status, 'DELETED'),
          /* prove: purge-after-30-days */ lte(memorials.deletedAt, until),
        ),
        inArray(memorials.ownerId, ctx.db.select({ id: users.id }).from(users).where(isGone)),
      ),
    )
    .orderBy(asc(memorials.deletedAt), asc(memorials.id))
    .limit(PURGE_BATCH)
  const purgedMemorials = await purgeEach(ctx, dueMemorials, purgeMemorial)

  const owned = ctx.db.select({ id: memorials.id }).from(memorials).where(eq(memorials.ownerId, users.id))
  const dueAccounts = await ctx.db
    .select({ id: users.id })
    .from(users)
    .where(and(isGone, notExists(owned)))
    .orderBy(asc(users.deletedAt), asc(users.id))
    .limit(PURGE_BATCH)
  const purgedAccounts = await purgeEach(ctx, dueAccounts, purgeAccount)
  const isMoreRemoved = await purgeRemoved(ctx, until)
  const isMoreDeclined = await purgeDeclined(ctx, until)
  if (purgedMemorials === PURGE_BATCH || purgedAccounts === PURGE_BATCH || isMoreRemoved || isMoreDeclined) {
    await ctx.enqueue({ type: 'purge-deleted' })
  }
}

/** Returns how many were purged. */
async function purgeEach(
  ctx: Ctx,
  due: { id: string }[],
  purge: (ctx: Ctx, id: string) => Promise<void>,
): Promise<number> {
  let purged = 0
  for (const { id } of due) {
    try {
      await purge(ctx, id)
      purged++
    } catch (error) {
      ctx.log.error('purge_failed', error, { id })
    }
  }
  if (purged > 0) ctx.log.info('purged', { what: purge.name, count: purged })
  return purged
}

/** Number of contributor sessions deleted from KV before D1 records it. */
const TOKENS_PER_BATCH = 50

/**
 * Deletes one memorial permanently. Deletes data outside D1 first, while the row still leads to it, then all rows in
 * one batch. Keeps the slug (never reused) and an audit entry without personal data; payments keep only the memorial's
 * id. Idempotent after a crash at any point.
 */
export async function purgeMemorial(ctx: Ctx, id: string): Promise<void> {
  await discardUploadsOf(ctx, id)
  await deletePrefix(ctx.env.MEDIA, `m/${id}`)
  // prove: purge-ends-sessions
  await endContributorSessions(ctx, id)
  await deleteQuota(ctx, id)
  await removeRows(ctx, id)
}

async function endContributorSessions(ctx: Ctx, memorialId: string): Promise<void> {
  for (;;) {
    const found = await ctx.db
      .select({ id: contributors.id, session: contributors.tokenHash, mailed: contributors.mailTokenHash })
      .from(contributors)
      .where(
        and(
          eq(contributors.memorialId, memorialId),
          or(isNotNull(contributors.tokenHash), isNotNull(contributors.mailTokenHash)),
        ),
      )
      .limit(TOKENS_PER_BATCH)
    if (found.length === 0) return
    await clearContributorTokens(
      ctx,
      found.flatMap(({ session, mailed }) => [session, mailed]),
    )
    const done = found.map((row) => row.id)
    await ctx.db
      .update(contributors)
      .set({ tokenHash: null, mailTokenHash: null })
      .where(inArray(contributors.id, done))
  }
}

/** Besides replies, whose memorial is that of their gathering: mails are about rows of these tables. */
const MAILED = [contributors, followers, letInRequests, keeperInvites, handovers]

async function removeRows(ctx: Ctx, id: string): Promise<void> {
  const { db } = ctx
  const isTarget = eq(memorials.id, id)
  const audit = { action: 'purge', targetKind: 'memorial', targetId: id, memorialId: id } as const
  await db.batch([
    queueCachePurge(ctx, isTarget, { urgent: true }),
    db
      .insert(retiredSlugs)
      .select(db.select({ slug: memorials.slug }).from(memorials).where(isTarget))
      .onConflictDoNothing(),
    // Queues another deletion for objects that a request in progress may store after this.
    db.delete(objectDeletions).where(isUnder(`m/${id}`)),
    queueObjectDeletion(ctx, `m/${id}`, existsIn(memorials, isTarget)),
    // prove: purge-idempotency-keys
    db.delete(idempotencyKeys).where(isKeyOf(ctx, id)),
    // prove: purge-mails
    db
      .delete(mails)
      .where(
        or(
          eq(mails.subjectId, id),
          inArray(mails.subjectId, replyIds(ctx, id)),
          ...MAILED.map(
            (table) =>
              sql`${mails.subjectId} in (select ${table.id} from ${table} where ${table.memorialId} = ${id})`,
          ),
        ),
      ),
    db.delete(comments).where(eq(comments.memorialId, id)),
    db.delete(media).where(eq(media.memorialId, id)),
    db.delete(removedItems).where(eq(removedItems.memorialId, id)),
    db.delete(contributorCodes).where(eq(contributorCodes.memorialId, id)),
    db.delete(followers).where(eq(followers.memorialId, id)),
    db.delete(letInRequests).where(eq(letInRequests.memorialId, id)),
    db.delete(contributors).where(eq(contributors.memorialId, id)),
    db.delete(inviteTokens).where(eq(inviteTokens.memorialId, id)),
    db.delete(funeralEvents).where(eq(funeralEvents.memorialId, id)),
    db.delete(locations).where(eq(locations.memorialId, id)),
    insertAudit(ctx, audit, existsIn(memorials, isTarget)),
    db.delete(memorials).where(isTarget),
  ])
}

/** SQL: the queued deletion is for an object below this prefix. A key range, since "0" is the character after "/". */
function isUnder(prefix: string): SQL | undefined {
  return and(gte(objectDeletions.prefix, `${prefix}/`), lt(objectDeletions.prefix, `${prefix}0`))
}

/** Query: ids of the replies to the memorial's gatherings. */
function replyIds({ db }: Ctx, memorialId: string) {
  return db
    .select({ id: replies.id })
    .from(replies)
    .innerJoin(funeralEvents, eq(funeralEvents.id, replies.eventId))
    .where(eq(funeralEvents.memorialId, memorialId))
}

/** SQL: idempotency keys of the memorial itself, of its comments, media and replies, and of all calls by its contributors. */
function isKeyOf(ctx: Ctx, memorialId: string): SQL | undefined {
  const { db } = ctx
  const idsIn = (table: typeof media | typeof comments | typeof contributors | typeof removedItems) =>
    db.select({ id: table.id }).from(table).where(eq(table.memorialId, memorialId))
  return or(
    eq(idempotencyKeys.resultId, memorialId),
    inArray(idempotencyKeys.resultId, idsIn(media)),
    inArray(idempotencyKeys.resultId, idsIn(comments)),
    inArray(idempotencyKeys.resultId, idsIn(removedItems)),
    inArray(idempotencyKeys.resultId, replyIds(ctx, memorialId)),
    inArray(idempotencyKeys.actorId, idsIn(contributors)),
  )
}

/**
 * Deletes one account permanently, in one batch; its memorials must be purged first. Deletes all personal data: name,
 * address, password, links, mails, contact messages, likes, comments and words about refunds. An account with payments keeps a row with only
 * id and dates, because they refer to it. Its sessions have expired from KV by then. Idempotent.
 */
export async function purgeAccount(ctx: Ctx, id: string): Promise<void> {
  const { db } = ctx
  const isTarget = and(eq(users.id, id), isNull(users.purgedAt))
  const address = db.select({ email: users.email }).from(users).where(isTarget)
  const liked = db
    .select({ id: commentLikes.commentId })
    .from(commentLikes)
    .where(eq(commentLikes.likedBy, id))
  const written = db
    .select({ id: contactMessages.id })
    .from(contactMessages)
    .where(inArray(contactMessages.email, address))
  const isUnpaid = notExists(
    db.select({ id: payments.id }).from(payments).where(eq(payments.orderId, orders.id)),
  )
  const unpaid = db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.userId, id), isUnpaid))
  const ordered = db.select({ id: orders.id }).from(orders).where(eq(orders.userId, id))
  const hasPaid = db.select({ id: payments.id }).from(payments).where(eq(payments.userId, id))
  const changes = db.select({ id: emailChanges.id }).from(emailChanges).where(eq(emailChanges.userId, id))
  const audit = { action: 'purge', targetKind: 'user', targetId: id } as const
  const thanked = db.select({ id: comments.memorialId }).from(comments).where(inArray(comments.id, liked))
  await db.batch([
    queueCachePurge(ctx, inArray(memorials.id, thanked), { urgent: false }),
    db
      .update(comments)
      .set({ likeCount: sql`${comments.likeCount} - 1` })
      .where(inArray(comments.id, liked)),
    db.delete(commentLikes).where(eq(commentLikes.likedBy, id)),
    db.delete(comments).where(eq(comments.authorUserId, id)),
    db.delete(idempotencyKeys).where(eq(idempotencyKeys.actorId, id)),
    db
      .delete(mails)
      .where(
        or(
          inArray(mails.recipient, address),
          eq(mails.subjectId, id),
          inArray(mails.subjectId, written),
          inArray(mails.subjectId, changes),
        ),
      ),
    db.delete(contactMessages).where(inArray(contactMessages.email, address)),
    db
      .update(payments)
      .set({ refundNote: null, payerName: null, thanks: null })
      .where(eq(payments.userId, id)),
    // Of who paid, for this account or as this one. An open payment still needs the address of its receipt.
    db
      .update(payments)
      .set({ payerName: null, payerEmail: null })
      .where(
        and(
          or(eq(payments.userId, id), inArray(payments.payerEmail, address)),
          ne(payments.status, 'PENDING'),
        ),
      ),
    db.update(gifts).set({ recipientName: null, words: null }).where(eq(gifts.redeemedBy, id)),
    db.update(payLinks).set({ fromName: '', expiresAt: 0 }).where(inArray(payLinks.orderId, ordered)),
    db.delete(payLinks).where(inArray(payLinks.orderId, unpaid)),
    db.delete(orders).where(inArray(orders.id, unpaid)),
    db.update(paynowAttempts).set({ phone: null }).where(inArray(paynowAttempts.paymentId, hasPaid)),
    db.delete(accountTokens).where(eq(accountTokens.userId, id)),
    db.delete(registrations).where(eq(registrations.userId, id)),
    ...endTakingBack(ctx, eq(handovers.fromUserId, id)),
    // What they added to the memorials of others stays, under the name that the family knows.
    db.delete(keepers).where(eq(keepers.userId, id)),
    db.delete(handovers).where(and(eq(handovers.toUserId, id), isNull(handovers.acceptedAt))),
    db.delete(sessions).where(eq(sessions.userId, id)),
    db.delete(emailChanges).where(eq(emailChanges.userId, id)),
    db.delete(passkeys).where(eq(passkeys.userId, id)),
    db.delete(printedCodes).where(eq(printedCodes.userId, id)),
    db.delete(authenticators).where(eq(authenticators.userId, id)),
    insertAudit(ctx, audit, existsIn(users, isTarget)),
    db.delete(users).where(and(isTarget, notExists(hasPaid))),
    db
      .update(users)
      .set({
        email: id,
        firstName: '',
        lastName: '',
        passwordHash: '',
        role: 'USER',
        purgedAt: ctx.now(),
        updatedAt: ctx.now(),
      })
      .where(isTarget),
  ])
}

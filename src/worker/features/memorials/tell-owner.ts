import { and, asc, count, eq, isNotNull, isNull, lte, ne, or, sql, type SQL } from 'drizzle-orm'
import { DAY_MS, TELL_BATCH } from '#shared/limits.ts'
import type { MediaCounts } from '#shared/media/media.ts'
import type { TellOwner } from '#shared/memorials/memorials.ts'
import type { ItemTable } from '#worker/access/held.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { enqueueMail, insertMailWhere } from '#worker/platform/providers/mail.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { letInRequests } from '#worker/schema/let-in.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { hasOwner, isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'

/** SQL condition: the family has not decided about it. What was declined or blocked tells nobody. */
function isWaiting(table: ItemTable): SQL {
  return sql`(${table.isHeld} = 1 and ${table.heldAs} in ('WAITING', 'MAY_HURT'))`
}

/** SQL condition: a request to be let in about which nobody has decided. */
function isAsking(memorialId: string): SQL | undefined {
  return and(eq(letInRequests.memorialId, memorialId), isNull(letInRequests.decision))
}

/**
 * SQL: when the owner is to be told of something that waits since now (ms), under this rule; null for never. The first after their visit
 * at once, if they want that; else at most one mail a day or week.
 */
export function dueAt({ now }: Pick<Ctx, 'now'>, rule: TellOwner | typeof memorials.tellOwner): SQL {
  const at = now()
  const after = (periodMs: number) => sql`max(${at}, coalesce(${memorials.toldAt} + ${periodMs}, 0))`
  return sql`case ${rule} when 'NEVER' then null when 'WEEKLY' then ${after(7 * DAY_MS)} when 'DAILY' then ${after(DAY_MS)}
    else case when ${memorials.seenAt} >= ${memorials.toldAt} then ${at} else ${after(DAY_MS)} end end`
}

/** Statement: the owner is to be told, if `waits` holds. Put it behind the one that stores what waits. */
export function tellOwnerIf(ctx: Ctx, memorialId: string, waits: SQL) {
  const due = dueAt(ctx, memorials.tellOwner)
  return ctx.db
    .update(memorials)
    .set({ tellAt: sql`min(coalesce(${memorials.tellAt}, ${due}), ${due})` })
    .where(and(eq(memorials.id, memorialId), ne(memorials.tellOwner, 'NEVER'), waits))
}

/** Statement: the owner is to be told, if this item of the memorial waits. Put it behind the one that stores the item. */
export function tellOwnerOf(
  ctx: Ctx,
  table: ItemTable,
  { id, memorialId }: { id: string; memorialId: string },
) {
  const isStored = and(eq(table.id, id), /* prove: told-of-what-waits */ isWaiting(table))
  return tellOwnerIf(ctx, memorialId, existsIn(table, isStored))
}

/**
 * Mails the owners who are to be told by now, longest due first. A bounded number per run; safe to repeat, run concurrently or kill:
 * the batch that writes the mail also notes it.
 */
export async function tellOwners(ctx: Ctx): Promise<void> {
  const due = await ctx.db
    .select({ id: memorials.id, email: users.email })
    .from(memorials)
    .innerJoin(users, eq(users.id, memorials.ownerId))
    .where(and(isNotNull(memorials.tellAt), lte(memorials.tellAt, ctx.now())))
    .orderBy(asc(memorials.tellAt))
    .limit(TELL_BATCH)
  for (const { id, email } of due) {
    try {
      await tell(ctx, id, email)
    } catch (error) {
      ctx.log.error('owner_not_told', error, { memorialId: id })
    }
  }
}

async function tell(ctx: Ctx, id: string, recipient: string): Promise<void> {
  const isDue = and(eq(memorials.id, id), lte(memorials.tellAt, ctx.now()))
  const waits = (table: ItemTable) => existsIn(table, and(eq(table.memorialId, id), isWaiting(table)))
  const isToTell = existsIn(
    memorials,
    and(
      /* prove: told-once */ isDue,
      isNotDeleted(),
      hasOwner(),
      or(waits(comments), waits(media), existsIn(letInRequests, isAsking(id))),
    ),
  )
  const mail = insertMailWhere(ctx, { kind: 'waiting', recipient, subjectId: id }, isToTell)
  const isMailed = existsIn(mails, eq(mails.id, mail.id))
  const [mailed] = await ctx.db.batch([
    mail.statement.returning({ id: mails.id }),
    ctx.db
      .update(memorials)
      .set({ toldAt: sql`iif(${isMailed}, ${ctx.now()}, ${memorials.toldAt})`, tellAt: null })
      .where(isDue),
  ])
  if (mailed.length > 0) await enqueueMail(ctx, mail.id)
}

/** What waits for the family. `mayHurt`: so many of it were set aside by a rule or by reports. `asking`: people who ask to be let in. */
export type Waiting = MediaCounts & { comments: number; mayHurt: number; asking: number }

/** Counts what waits at a memorial. */
export async function countWaiting({ db }: Ctx, memorialId: string): Promise<Waiting> {
  const isIn = (table: ItemTable) =>
    and(eq(table.memorialId, memorialId), /* prove: mail-counts-what-waits */ isWaiting(table))
  const [files, texts, [asked]] = await db.batch([
    db
      .select({ kind: media.type, heldAs: media.heldAs, amount: count() })
      .from(media)
      .where(isIn(media))
      .groupBy(media.heldAs, media.type),
    db
      .select({ heldAs: comments.heldAs, amount: count() })
      .from(comments)
      .where(isIn(comments))
      .groupBy(comments.heldAs),
    db.select({ amount: count() }).from(letInRequests).where(isAsking(memorialId)),
  ])
  const waiting = { IMAGE: 0, VIDEO: 0, AUDIO: 0, comments: 0, mayHurt: 0, asking: asked?.amount ?? 0 }
  for (const { kind, amount } of files) waiting[kind] += amount
  for (const { amount } of texts) waiting.comments += amount
  for (const { heldAs, amount } of [...files, ...texts]) {
    if (heldAs === 'MAY_HURT') waiting.mayHurt += amount
  }
  return waiting
}

import { and, asc, eq, gt, inArray, isNull, ne, or, sql, type SQL } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { funeralMessages } from '#shared/funeral/funeral-messages.ts'
import { replyMessages } from '#shared/funeral/gathering-messages.ts'
import type { Reply, ReplyInput } from '#shared/replies/replies.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn, type Reader } from '#worker/platform/db.ts'
import { queueCachePurge } from '#worker/platform/edge-cache.ts'
import { insertMailWhere } from '#worker/platform/providers/mail.ts'
import { funeralEvents, replies } from '#worker/schema/funeral.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

export type ReplyRow = typeof replies.$inferSelect
export type EventRow = typeof funeralEvents.$inferSelect

export function toReply(row: ReplyRow): Reply {
  return {
    id: row.id,
    eventId: row.eventId,
    answer: row.answer,
    people: row.people,
    name: row.name,
    words: row.words,
    email: row.email,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  }
}

/** The columns that somebody fills in. */
export function toColumns({ answer, people, name, words, email }: ReplyInput) {
  return { answer, people, name, words: words || null, email: email || null }
}

/** SQL condition: the memorial is paid for, and open to people whom somebody invites. */
export function isOpenMemorial(memorialId: string): SQL {
  const isOpen = and(eq(memorials.status, 'ACTIVE'), ne(memorials.privacy, 'PRIVATE'))
  return existsIn(memorials, and(eq(memorials.id, memorialId), isOpen))
}

/** SQL condition: the gathering takes replies at the moment of the write, and what was read of its time and place still holds. */
export function takesReplies({ now }: Ctx, { id, memorialId, sequence }: EventRow, who?: SQL): SQL {
  const { repliesUntil, dateTime, isCancelled } = funeralEvents
  return existsIn(
    funeralEvents,
    and(
      eq(funeralEvents.id, id),
      eq(funeralEvents.sequence, sequence),
      eq(funeralEvents.takesReplies, true),
      eq(isCancelled, false),
      gt(dateTime, now()),
      /* prove: replies-end */ or(isNull(repliesUntil), gt(repliesUntil, now())),
      /* prove: replies-need-open-memorial */ isOpenMemorial(memorialId),
      who,
    ),
  )
}

/** SQL condition: a gathering is for everybody, or `isInvited`: its sender is invited, as a value or a column of the reply. */
export function isForSender(isInvited: boolean | typeof replies.isInvited): SQL {
  return sql`(${funeralEvents.audience} = 'EVERYBODY' or ${isInvited})`
}

/** SQL: the people who come, besides those of the reply `except`. */
export function countOf(eventId: string | typeof funeralEvents.id, except = ''): SQL {
  return sql`(select coalesce(sum("all".people), 0) from ${replies} as "all"
    where "all".event_id = ${eventId} and "all".answer = 'COMING' and "all".id <> ${except})`
}

/** SQL condition: there is room for these people. Whoever has a place keeps it, also after the owner took places away. */
export function hasRoom(eventId: string, { answer, people }: ReplyInput, before?: ReplyRow): SQL {
  if (answer !== 'COMING') return sql`true`
  const own = before?.answer === 'COMING' ? before.people : 0
  if (people <= own) return sql`true`
  const { capacity, id } = funeralEvents
  const fits = sql`${countOf(eventId, before?.id)} + ${people} <= ${capacity}`
  return existsIn(funeralEvents, and(eq(id, eventId), or(isNull(capacity), fits)))
}

/** Statements for the batch that changes replies, right after the change: the count, and the purge of a page that says "full", or no longer. */
export function recount(ctx: Ctx, { id, memorialId }: Pick<EventRow, 'id' | 'memorialId'>) {
  const { capacity, peopleComing } = funeralEvents
  const after = countOf(funeralEvents.id)
  const turns = sql`(${peopleComing} >= ${capacity}) <> (${after} >= ${capacity})`
  const isThis = and(eq(funeralEvents.id, id), eq(funeralEvents.memorialId, memorialId))
  const isTurning = existsIn(funeralEvents, and(isThis, turns))
  return [
    queueCachePurge(ctx, and(eq(memorials.id, memorialId), isTurning), { urgent: false }),
    ctx.db.update(funeralEvents).set({ peopleComing: after }).where(isThis),
  ] as const
}

/** Why a write didn't happen; null if the gathering has changed since it was read. `own`: people who have a place already. */
export function refusal(
  ctx: Ctx,
  read: EventRow,
  now: { event: EventRow; isOpen: boolean } | undefined,
  own: number,
): AppError | null {
  if (!now) return new AppError('not_found', funeralMessages.notFound)
  const { event, isOpen } = now
  if (event.sequence !== read.sequence) return null
  const isOver = event.dateTime <= ctx.now() || (event.repliesUntil ?? Infinity) <= ctx.now()
  if (!isOpen || !event.takesReplies || event.isCancelled || isOver)
    return new AppError('replies_closed', replyMessages.closed)
  const left = Math.max(0, (event.capacity ?? 0) - event.peopleComing + own)
  return new AppError('gathering_full', left === 0 ? replyMessages.full : replyMessages.placesLeft(left))
}

/** Statement: the confirmation of a reply, if `isStored`; null without an address. */
export function mailReply(
  ctx: Ctx,
  { id, email }: Pick<ReplyRow, 'id'> & { email: string | null },
  isStored: SQL,
) {
  if (email === null) return null
  return insertMailWhere(ctx, { kind: 'reply', recipient: email, subjectId: id }, isStored)
}

/** Statement: the replies to all gatherings of a memorial, in the order in which they came. */
export function selectReplies(ctx: Reader, memorialId: string) {
  const events = ctx.db
    .select({ id: funeralEvents.id })
    .from(funeralEvents)
    .where(eq(funeralEvents.memorialId, memorialId))
  return ctx.db
    .select()
    .from(replies)
    .where(inArray(replies.eventId, events))
    .orderBy(asc(replies.createdAt), asc(replies.id))
}

/** A reply in the copies that an owner downloads, which hold nobody's address: families pass them on. */
export function toExportedReply({ id, name, answer, people, words, createdAt }: ReplyRow) {
  return { id, name, answer, people, words, createdAt: new Date(createdAt).toISOString() }
}

/** Statement: deletes the mails about these replies, with their addresses. Put it before what deletes the replies. */
export function deleteMailsOf(ctx: Ctx, which: SQL | undefined) {
  return ctx.db
    .delete(mails)
    .where(inArray(mails.subjectId, ctx.db.select({ id: replies.id }).from(replies).where(which)))
}

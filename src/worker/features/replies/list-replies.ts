import { and, desc, eq, inArray, isNull, sql, type SQL } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { REPLIES_PAGE } from '#shared/limits.ts'
import { replyMessages } from '#shared/funeral/gathering-messages.ts'
import { replyListMessages } from '#shared/replies/reply-list-messages.ts'
import type { ReplyCounts, ReplyPage } from '#shared/replies/replies.ts'
import { recordAction } from '#worker/access/audit.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { FUNERAL_AUDIT, requireService, serviceRows } from '#worker/features/funeral/funeral.ts'
import { deleteMailsOf, recount, toReply, type ReplyRow } from '#worker/features/replies/replies.ts'
import { factsToKnow, isBehind, isToTell } from '#worker/features/replies/tell-replies.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn, isAfterCursor, splitPage } from '#worker/platform/db.ts'
import { funeralEvents, replies } from '#worker/schema/funeral.table.ts'

/** Numbers of replies to each gathering of the memorial, in time order. */
export async function replyCounts(ctx: Ctx, { memorial }: MemorialAccess): Promise<ReplyCounts[]> {
  const events = await serviceRows(ctx, memorial.id)
  const ids = events.map(({ id }) => id)
  const known = JSON.stringify(
    events.map((event) => ({ id: event.id, facts: factsToKnow(event, ctx.now()) })),
  )
  const facts = sql`(select value ->> 'facts' from json_each(${known}) where value ->> 'id' = ${replies.eventId})`
  const counted = await ctx.db
    .select({
      eventId: replies.eventId,
      coming: count(sql`${replies.answer} = 'COMING'`),
      afar: count(sql`${replies.answer} = 'AFAR'`),
      sorry: count(sql`${replies.answer} = 'SORRY'`),
      toTell: count(isToTell(facts)),
      peopleToTell: count(isToTell(facts), sql`iif(${replies.answer} = 'COMING', ${replies.people}, 0)`),
      withoutAddress: count(
        and(isNull(replies.email), isBehind(facts)),
        sql`iif(${replies.answer} = 'COMING', ${replies.people}, 1)`,
      ),
    })
    .from(replies)
    .where(inArray(replies.eventId, ids))
    .groupBy(replies.eventId)
  return events.map(({ id, peopleComing }) => {
    const found = counted.find(({ eventId }) => eventId === id)
    const { coming = 0, afar = 0, sorry = 0, toTell = 0, peopleToTell = 0, withoutAddress = 0 } = found ?? {}
    return { eventId: id, coming, afar, sorry, people: peopleComing, toTell, peopleToTell, withoutAddress }
  })
}

/** `worth`: what a row counts for which the condition holds. */
function count(condition: SQL | undefined, worth: SQL = sql`1`): SQL<number> {
  return sql<number>`coalesce(sum(iif(${condition}, ${worth}, 0)), 0)`.mapWith(Number)
}

/** A page of the replies to a gathering, newest first. Throws `not_found`. */
export async function listReplies(
  ctx: Ctx,
  access: MemorialAccess,
  eventId: string,
  cursor: string | null,
): Promise<ReplyPage> {
  const { id } = await requireService(ctx, access, eventId)
  const rows = await ctx.db
    .select()
    .from(replies)
    .where(and(eq(replies.eventId, id), isAfterCursor(replies, 'reply', cursor)))
    .orderBy(desc(replies.createdAt), desc(replies.id))
    .limit(REPLIES_PAGE + 1)
  const { page, nextCursor } = splitPage(rows, REPLIES_PAGE)
  return { replies: page.map(toReply), nextCursor }
}

/** All replies to a gathering as CSV, in the order in which they came. Throws `not_found`. */
export async function repliesFile(ctx: Ctx, access: MemorialAccess, eventId: string): Promise<string> {
  const { id } = await requireService(ctx, access, eventId)
  const rows = await ctx.db
    .select()
    .from(replies)
    .where(eq(replies.eventId, id))
    .orderBy(replies.createdAt, replies.id)
  const { fileColumns } = replyListMessages
  return `\uFEFF${[fileColumns, ...rows.map(toCells)].map(toLine).join('')}`
}

function toCells({ name, answer, people, words, email, createdAt }: ReplyRow): string[] {
  const isComing = answer === 'COMING'
  const at = new Date(createdAt).toISOString()
  return [
    name,
    replyListMessages.answers[answer],
    isComing ? String(people) : '',
    email ?? '',
    words ?? '',
    at,
  ]
}

/** One record (RFC 4180). */
function toLine(cells: readonly string[]): string {
  return `${cells.map((cell) => `"${plain(cell).replaceAll('"', '""')}"`).join(',')}\r\n`
}

/** Spreadsheets run a cell that begins like a formula (https://owasp.org/www-community/attacks/CSV_Injection). */
function plain(cell: string): string {
  // prove: cells-are-no-formulas
  if (/^[=+\-@\t\r]/u.test(cell)) return `'${cell}`
  return cell
}

/** Deletes a reply for good, with the mails about it. Throws `not_found`. */
export async function removeReply(ctx: Ctx, access: MemorialAccess, replyId: string): Promise<void> {
  const memorialId = access.memorial.id
  const isOfMemorial = existsIn(
    funeralEvents,
    and(
      eq(funeralEvents.id, replies.eventId),
      /* prove: reply-own-memorial */ eq(funeralEvents.memorialId, memorialId),
    ),
  )
  const isTarget = and(eq(replies.id, replyId), isOfMemorial)
  const [row] = await ctx.db.select({ eventId: replies.eventId }).from(replies).where(isTarget)
  if (!row) throw new AppError('not_found', replyMessages.notFound)
  await ctx.db.batch([
    recordAction(ctx, access, FUNERAL_AUDIT, existsIn(replies, isTarget)),
    deleteMailsOf(ctx, isTarget),
    ctx.db.delete(replies).where(isTarget),
    ...recount(ctx, { id: row.eventId, memorialId }),
  ])
}

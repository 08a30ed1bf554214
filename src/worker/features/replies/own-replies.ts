import { and, asc, eq, ne, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { funeralMessages } from '#shared/funeral/funeral-messages.ts'
import { replyMessages } from '#shared/funeral/gathering-messages.ts'
import type { LinkedReply, Reply, ReplyInput } from '#shared/replies/replies.ts'
import { accessFor, findMemorial, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { isLinkToken } from '#worker/access/pepper.ts'
import { readReplyToken } from '#worker/access/reply-cookies.ts'
import { factsOf, isVisible, toFuneralEvent } from '#worker/features/funeral/funeral.ts'
import {
  deleteMailsOf,
  hasRoom,
  isForSender,
  mailReply,
  recount,
  refusal,
  takesReplies,
  toColumns,
  toReply,
  type EventRow,
  type ReplyRow,
} from '#worker/features/replies/replies.ts'
import { limitReplies } from '#worker/features/replies/reply-limits.ts'
import { selectEvent } from '#worker/features/replies/send-reply.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { enqueueMail } from '#worker/platform/providers/mail.ts'
import { hashToken } from '#worker/platform/random.ts'
import { funeralEvents, replies } from '#worker/schema/funeral.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** So often a change is tried again that met a change of its gathering. */
const TRIES = 5

/** What this browser has sent to gatherings of this memorial. */
export async function ownReplies(ctx: RequestCtx, { memorial }: MemorialAccess): Promise<Reply[]> {
  const token = readReplyToken(ctx.request, memorial.id)
  if (token === null) return []
  const rows = await ctx.db
    .select({ reply: replies })
    .from(replies)
    .innerJoin(funeralEvents, eq(funeralEvents.id, replies.eventId))
    .where(
      and(
        /* prove: own-replies-only */ eq(replies.deviceHash, hashToken(token)),
        eq(funeralEvents.memorialId, memorial.id),
      ),
    )
    .orderBy(asc(funeralEvents.dateTime), asc(replies.createdAt), asc(replies.id))
  return rows.map(({ reply }) => toReply(reply))
}

/** What a mailed link opens. Throws `not_found` for any other text. */
export async function replyByLink(ctx: RequestCtx, given: string): Promise<LinkedReply> {
  const { reply, event, memorial } = await requireOwn(ctx, given, { byCookie: false })
  const { id, slug, honoureeFullName, privacy } = memorial
  // Their invitation may have ended since: a link shows no contact.
  const gathering = isVisible(event, reply)
    ? toFuneralEvent(event, { canEdit: false, isInvited: false })
    : null
  return { reply: toReply(reply), gathering, memorial: { id, slug, honoureeFullName, privacy } }
}

/**
 * Changes a reply of this browser, or of a mailed link. A new address gets a confirmation, and the link of the old one ends. Throws `not_found`,
 * `replies_closed`, `gathering_full`.
 */
export async function changeReply(ctx: RequestCtx, given: string, input: ReplyInput): Promise<Reply> {
  for (let tries = 0; tries < TRIES; tries++) {
    const { reply, event } = await requireOwn(ctx, given)
    const columns = toColumns(input)
    const isMailed = columns.email !== null && columns.email !== reply.email
    if (tries === 0) await limitReplies(ctx, event.memorialId, null, isMailed)
    const { id, updatedAt } = { id: reply.id, updatedAt: Math.max(ctx.now(), reply.updatedAt + 1) }
    const isTarget = isAsRead(reply)
    const isInvited = reply.isInvited || (await isInvitedNow(ctx, event))
    const isChanged = existsIn(
      replies,
      // Another change can have the same instant.
      and(eq(replies.id, id), eq(replies.updatedAt, updatedAt), sql`${replies.email} is ${columns.email}`),
    )
    const mail = isMailed ? mailReply(ctx, { id, email: columns.email }, isChanged) : null
    const [[changed], [now]] = await ctx.db.batch([
      ctx.db
        .update(replies)
        // The confirmation tells the present time and place.
        .set({ ...columns, isInvited, updatedAt, ...(mail && { knows: factsOf(event) }) })
        .where(
          and(
            isTarget,
            takesReplies(ctx, event, /* prove: invited-gatherings-change-no-others */ isForSender(isInvited)),
            /* prove: capacity-at-the-change */ hasRoom(event.id, input, reply),
          ),
        )
        .returning(),
      selectEvent(ctx, event),
      ...recount(ctx, event),
      ...(mail ? [mail.statement] : []),
    ])
    if (changed) {
      if (mail) await enqueueMail(ctx, mail.id)
      return toReply(changed)
    }
    const [same] = await ctx.db.select({ id: replies.id }).from(replies).where(isTarget)
    if (now && !isVisible(now.event, { isInvited })) throw new AppError('not_found', replyMessages.notFound)
    const own = reply.answer === 'COMING' ? reply.people : 0
    const refused = same && refusal(ctx, event, now, own)
    if (refused) throw refused
  }
  throw new AppError('conflict', funeralMessages.changedMeanwhile)
}

/** True if this browser has a live invitation, where the gathering needs one. */
async function isInvitedNow(ctx: RequestCtx, { audience, memorialId }: EventRow): Promise<boolean> {
  const memorial = audience === 'INVITED' ? await findMemorial(ctx, memorialId) : null
  return memorial !== null && (await accessFor(ctx, memorial)).isInvited
}

/** Takes a reply back, also when no more are taken, or the family has closed the memorial. Throws `not_found`. */
export async function withdrawReply(ctx: RequestCtx, given: string): Promise<void> {
  const { reply, event } = await requireOwn(ctx, given, { isOpen: false })
  const isTarget = and(eq(replies.id, reply.id), eq(replies.deviceHash, reply.deviceHash))
  await ctx.db.batch([
    deleteMailsOf(ctx, isTarget),
    ctx.db.delete(replies).where(isTarget),
    ...recount(ctx, event),
  ])
}

/** SQL condition: the reply is as it was read, so that its proof still holds. */
function isAsRead({ id, updatedAt }: ReplyRow) {
  return and(eq(replies.id, id), eq(replies.updatedAt, updatedAt))
}

/** The reply of a mailed link, or of an id that this browser's cookie proves. Throws `not_found`. */
async function requireOwn(ctx: RequestCtx, given: string, { byCookie = true, isOpen = true } = {}) {
  const [id = '', token] = given.split('.')
  const [found] = await ctx.db
    .select({
      reply: replies,
      event: funeralEvents,
      memorial: {
        id: memorials.id,
        slug: memorials.slug,
        honoureeFullName: memorials.honoureeFullName,
        privacy: memorials.privacy,
      },
    })
    .from(replies)
    .innerJoin(funeralEvents, eq(funeralEvents.id, replies.eventId))
    .innerJoin(memorials, eq(memorials.id, funeralEvents.memorialId))
    .where(
      and(
        eq(replies.id, id),
        ...(isOpen ? [eq(memorials.status, 'ACTIVE'), ne(memorials.privacy, 'PRIVATE')] : []),
      ),
    )
  const isTheirs =
    found &&
    (token === undefined
      ? byCookie && isOfBrowser(ctx, found.memorial.id, found.reply)
      : isOfLink(ctx, token, found.reply))
  // prove: reply-needs-cookie-or-link
  if (!isTheirs) throw new AppError('not_found', replyMessages.notFound)
  return found
}

function isOfBrowser(ctx: RequestCtx, memorialId: string, { deviceHash }: ReplyRow): boolean {
  const token = readReplyToken(ctx.request, memorialId)
  return token !== null && hashToken(token) === deviceHash
}

function isOfLink(ctx: RequestCtx, token: string, { id, email }: ReplyRow): boolean {
  return email !== null && isLinkToken(ctx, token, 'reply', id, email)
}

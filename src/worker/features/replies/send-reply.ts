import { and, eq, not, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { funeralMessages } from '#shared/funeral/funeral-messages.ts'
import { replyMessages } from '#shared/funeral/gathering-messages.ts'
import { REPLY_REPEAT_MS } from '#shared/limits.ts'
import type { ReplyInput } from '#shared/replies/replies.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { linkToken, unknownBrowser } from '#worker/access/pepper.ts'
import { readReplyToken } from '#worker/access/reply-cookies.ts'
import { factsOf, isVisible, requireService } from '#worker/features/funeral/funeral.ts'
import {
  hasRoom,
  isForSender,
  isOpenMemorial,
  mailReply,
  recount,
  refusal,
  takesReplies,
  toColumns,
  type EventRow,
  type ReplyRow,
} from '#worker/features/replies/replies.ts'
import { limitReplies } from '#worker/features/replies/reply-limits.ts'
import { findCreatedId, insertKey, isKeyUsed } from '#worker/http/idempotency-key.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { enqueueMail } from '#worker/platform/providers/mail.ts'
import { hashToken, isUuidOfText, newId, newToken } from '#worker/platform/random.ts'
import { funeralEvents, replies } from '#worker/schema/funeral.table.ts'

/** So often a reply is tried again that met a change of its gathering. */
const TRIES = 5

type Sender = { deviceHash: string; key: string | null }

/**
 * Stores a reply, and mails a confirmation to its address. `deviceToken` is for the browser's cookie. A repeated `key` of the same browser gets the
 * same reply. Throws `not_found` for a gathering that the viewer doesn't see, `replies_closed`, `gathering_full`.
 */
export async function sendReply(
  ctx: RequestCtx,
  access: MemorialAccess,
  eventId: string,
  input: ReplyInput,
  key: string | null,
): Promise<{ row: ReplyRow; deviceToken: string }> {
  const { memorial } = access
  const known = readReplyToken(ctx.request, memorial.id)
  const tokens = known === null ? newDeviceTokens(ctx, memorial.id, key) : [known]
  for (const token of tokens) {
    const row = await findSent(ctx, eventId, { deviceHash: hashToken(token), key })
    if (row) return { row, deviceToken: token }
  }
  const deviceToken = tokens[0] ?? newToken()
  const sender = { deviceHash: hashToken(deviceToken), key }
  await limitReplies(ctx, memorial.id, key, input.email !== '')
  for (let tries = 0; tries < TRIES; tries++) {
    const event = await requireService(ctx, access, eventId)
    const row = await tryStore(ctx, access, event, input, sender)
    if (row) return { row, deviceToken }
  }
  throw new AppError('conflict', funeralMessages.changedMeanwhile)
}

/**
 * Tokens that a browser without a cookie may have got for this request, if its answer was lost: the first is for a new one. Only its sender knows a
 * random key. Anybody who types the same makes the key of a form without script, so that one counts for minutes, and for the same kind of browser.
 */
function newDeviceTokens(ctx: RequestCtx, memorialId: string, key: string | null): string[] {
  if (key === null) return []
  if (!isUuidOfText(key)) return [linkToken(ctx, 'reply-device', memorialId, key)]
  const now = Math.floor(ctx.now() / REPLY_REPEAT_MS)
  return [now, now - 1].map((slot) =>
    linkToken(ctx, 'reply-device', key, unknownBrowser(ctx, memorialId), slot),
  )
}

/** Null if the gathering has changed since `event` was read. */
async function tryStore(
  ctx: RequestCtx,
  access: MemorialAccess,
  event: EventRow,
  input: ReplyInput,
  sender: Sender,
): Promise<ReplyRow | null> {
  const { deviceHash, key } = sender
  const createdAt = ctx.now()
  const row = {
    ...toColumns(input),
    id: newId('reply'),
    eventId: event.id,
    isInvited: access.isInvited,
    deviceHash,
    knows: factsOf(event),
    createdAt,
    updatedAt: createdAt,
  }
  const isTarget = eq(replies.id, row.id)
  const isStored = existsIn(replies, isTarget)
  const mail = mailReply(ctx, row, isStored)
  const [, [stored], [now]] = await ctx.db.batch([
    insertWhere(
      ctx.db,
      replies,
      row,
      sql`${and(
        takesReplies(ctx, event, /* prove: invited-gatherings-take-no-others */ isForSender(row.isInvited)),
        /* prove: capacity-at-the-write */ hasRoom(event.id, input),
        not(isKeyUsed(deviceHash, key)),
      )}`,
    ),
    ctx.db.select().from(replies).where(isTarget),
    selectEvent(ctx, event),
    insertKey(ctx, deviceHash, key, row, isStored),
    ...recount(ctx, event),
    ...(mail ? [mail.statement] : []),
  ])
  if (stored) {
    if (mail) await enqueueMail(ctx, mail.id)
    return stored
  }
  const concurrent = await findSent(ctx, event.id, sender)
  if (concurrent) return concurrent
  if (now && !isVisible(now.event, access)) throw new AppError('not_found', funeralMessages.notFound)
  const refused = refusal(ctx, event, now, 0)
  if (refused) throw refused
  return null
}

/** Statement: the gathering as it is now, for the reason of a refusal. */
export function selectEvent(ctx: RequestCtx, { id, memorialId }: Pick<EventRow, 'id' | 'memorialId'>) {
  return ctx.db
    .select({
      event: funeralEvents,
      isOpen: sql<boolean>`${isOpenMemorial(memorialId)}`.mapWith(Boolean).as('is_open'),
    })
    .from(funeralEvents)
    .where(and(eq(funeralEvents.id, id), eq(funeralEvents.memorialId, memorialId)))
}

/** What this browser has sent with `key`, or null. Throws `not_found` if it was taken back. */
async function findSent(
  ctx: RequestCtx,
  eventId: string,
  { deviceHash, key }: Sender,
): Promise<ReplyRow | null> {
  const id = await findCreatedId(ctx, deviceHash, key)
  if (id === null) return null
  const [row] = await ctx.db
    .select()
    .from(replies)
    .where(and(eq(replies.id, id), eq(replies.eventId, eventId), eq(replies.deviceHash, deviceHash)))
  if (!row) throw new AppError('not_found', replyMessages.notFound)
  return row
}

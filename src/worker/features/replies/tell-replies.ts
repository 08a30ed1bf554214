import { and, eq, isNotNull, isNull, ne, sql, type SQL } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { isUpcoming } from '#shared/funeral/gatherings.ts'
import { funeralMessages } from '#shared/funeral/funeral-messages.ts'
import { recordAction } from '#worker/access/audit.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import {
  factsOf,
  FUNERAL_AUDIT,
  isService,
  requireService,
  toFuneralEvent,
} from '#worker/features/funeral/funeral.ts'
import { isForSender, type EventRow } from '#worker/features/replies/replies.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { enqueueMails, mailColumns } from '#worker/platform/providers/mail.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { newId } from '#worker/platform/random.ts'
import { funeralEvents, replies } from '#worker/schema/funeral.table.ts'
import { mails } from '#worker/schema/mail.table.ts'

/** So often it is tried again when the gathering changes meanwhile. */
const TRIES = 5
/** Mails that are sent at once; cron sends the others within minutes. */
const AT_ONCE = 100

/** What people must know of a gathering, as `replies.knows` holds it; null once it is over, when nobody needs it. */
export function factsToKnow(event: EventRow, now: number): string | null {
  return isUpcoming(toFuneralEvent(event), now) ? JSON.stringify(factsOf(event)) : null
}

/**
 * SQL condition: the sender of a reply was told something else than `facts`, and doesn't stay away. Nobody has to know null, and whoever isn't invited
 * nothing of a gathering for invited people.
 */
export function isBehind(facts: string | null | SQL): SQL | undefined {
  const isOfSender = and(eq(funeralEvents.id, replies.eventId), isForSender(replies.isInvited))
  return and(
    ne(replies.answer, 'SORRY'),
    sql`${replies.knows} <> ${facts}`,
    /* prove: changes-told-to-invited */ existsIn(funeralEvents, isOfSender),
  )
}

/** SQL condition: somebody is behind, and a mail can tell them. */
export function isToTell(facts: string | null | SQL): SQL | undefined {
  return and(isNotNull(replies.email), isBehind(facts))
}

/**
 * Mails the present time and place to everybody who doesn't know them, once, and returns to how many. The family tells those without an address, so that
 * they count as told. Throws `not_found`.
 */
export async function tellReplies(ctx: Ctx, access: MemorialAccess, eventId: string): Promise<number> {
  await requireRateLimit(ctx, 'tells', access.memorial.id)
  for (let tries = 0; tries < TRIES; tries++) {
    const event = await requireService(ctx, access, eventId)
    const facts = factsToKnow(event, ctx.now())
    if (facts === null) return 0
    const isTarget = and(eq(replies.eventId, event.id), isToTell(facts))
    const rows = await ctx.db.select({ id: replies.id }).from(replies).where(isTarget)
    const letters = JSON.stringify(rows.map(({ id }) => ({ id, mail: newId('mail') })))
    const isThis = and(isService(access.memorial.id, event.id), eq(funeralEvents.sequence, event.sequence))
    const isSame = existsIn(funeralEvents, isThis)
    const isOneBehind = existsIn(replies, and(eq(replies.eventId, event.id), isBehind(facts)))
    /** Whoever was told between the reading and this gets no second mail. */
    const isStill = and(
      isSame,
      /* prove: change-told-once */ isTarget,
      sql`${replies.id} in (select value ->> 'id' from json_each(${letters}))`,
    )
    const [, sent, , [same]] = await ctx.db.batch([
      recordAction(ctx, access, FUNERAL_AUDIT, and(isSame, isOneBehind)),
      ctx.db
        .insert(mails)
        .select(
          ctx.db
            .select(
              mailColumns(ctx, {
                kind: 'gathering-changed',
                id: sql`json_each.value ->> 'mail'`,
                recipient: replies.email,
                subjectId: replies.id,
              }),
            )
            .from(replies)
            .innerJoin(sql`json_each(${letters})`, sql`json_each.value ->> 'id' = ${replies.id}`)
            .where(isStill),
        )
        .returning({ id: mails.id }),
      ctx.db
        .update(replies)
        .set({
          knewBefore: sql`iif(${isWaiting(letters)}, ${replies.knewBefore}, ${replies.knows})`,
          knows: sql`${facts}`,
        })
        .where(isStill),
      ctx.db.select({ id: funeralEvents.id }).from(funeralEvents).where(isThis),
      ctx.db
        .update(replies)
        .set({ knows: sql`${facts}` })
        .where(and(isSame, eq(replies.eventId, event.id), isNull(replies.email), isBehind(facts))),
    ])
    if (!same) continue
    await enqueueMails(ctx, sent.slice(0, AT_ONCE))
    return sent.length
  }
  throw new AppError('conflict', funeralMessages.changedMeanwhile)
}

/** SQL condition: a mail about an earlier change still waits, and the new one replaces it. */
function isWaiting(letters: string): SQL {
  return existsIn(
    mails,
    and(
      eq(mails.subjectId, sql`${replies}.${sql.identifier('id')}`),
      eq(mails.kind, 'gathering-changed'),
      eq(mails.status, 'QUEUED'),
      sql`${mails.id} not in (select value ->> 'mail' from json_each(${letters}))`,
    ),
  )
}

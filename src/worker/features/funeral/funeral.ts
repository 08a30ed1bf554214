import { and, asc, eq, inArray, sql, type SQL } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { FuneralEvent, GatheringFacts, GatheringPin } from '#shared/funeral/funeral.ts'
import { funeralMessages } from '#shared/funeral/funeral-messages.ts'
import { placeOf } from '#shared/funeral/gathering-words.ts'
import type { Access } from '#worker/access/access.ts'
import { recordAction } from '#worker/access/audit.ts'
import { isStillEditor, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { queueObjectDeletion } from '#worker/features/media/media.jobs.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn, type Reader } from '#worker/platform/db.ts'
import { queueCachePurge, schedulePurge } from '#worker/platform/edge-cache.ts'
import { funeralEvents, replies } from '#worker/schema/funeral.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

export type FuneralRow = typeof funeralEvents.$inferSelect
/** What decides how much of a gathering somebody sees. */
export type Sight = Pick<Access, 'canEdit' | 'isInvited'>

export const FUNERAL_AUDIT = { action: 'edit_funeral' } as const
const EDITOR: Sight = { canEdit: true, isInvited: true }

/** SQL condition: the service has this id and belongs to this memorial. */
export function isService(memorialId: string, eventId: string): SQL | undefined {
  return and(
    eq(funeralEvents.id, eventId),
    /* prove: programme-own-memorial */ eq(funeralEvents.memorialId, memorialId),
  )
}

/** Selects the rows of a memorial's gatherings in time order. Not everybody may see all: {@link isVisible}. */
export function serviceRows(ctx: Reader, memorialId: string | SQL) {
  return ctx.db
    .select()
    .from(funeralEvents)
    .where(eq(funeralEvents.memorialId, memorialId))
    .orderBy(asc(funeralEvents.dateTime), asc(funeralEvents.position))
}

/** Whether this viewer of the memorial may see this gathering. */
export function isVisible(
  { audience }: Pick<FuneralRow, 'audience'>,
  { isInvited }: Pick<Sight, 'isInvited'>,
): boolean {
  // prove: invited-gatherings-hidden
  if (audience === 'INVITED' && !isInvited) return false
  return true
}

/** The rows of the gatherings that this viewer may see, in time order. */
export async function visibleRows(ctx: Ctx, access: MemorialAccess): Promise<FuneralRow[]> {
  return (await serviceRows(ctx, access.memorial.id)).filter((row) => isVisible(row, access))
}

/** Returns this gathering of this memorial. Throws `not_found`, also to people who may not see it. */
export async function requireService(ctx: Ctx, access: MemorialAccess, eventId: string): Promise<FuneralRow> {
  const [row] = await ctx.db.select().from(funeralEvents).where(isService(access.memorial.id, eventId))
  if (!row || !isVisible(row, access)) throw new AppError('not_found', funeralMessages.notFound)
  return row
}

/** Deletes a service with its programme and replies. Throws `not_found`. */
export async function deleteService(ctx: Ctx, access: MemorialAccess, eventId: string): Promise<void> {
  const memorialId = access.memorial.id
  const isThisService = and(isService(memorialId, eventId), isStillEditor(access))
  const isToThis = and(eq(replies.eventId, eventId), existsIn(funeralEvents, isThisService))
  const [purges, , , , removed] = await ctx.db.batch([
    queueCachePurge(ctx, eq(memorials.id, memorialId), { urgent: true }),
    recordAction(ctx, access, FUNERAL_AUDIT, existsIn(funeralEvents, isThisService)),
    queueProgrammeDeletion(ctx, isThisService),
    // Replies go with it; what was mailed about them names their senders.
    ctx.db
      .delete(mails)
      .where(inArray(mails.subjectId, ctx.db.select({ id: replies.id }).from(replies).where(isToThis))),
    ctx.db.delete(funeralEvents).where(isThisService).returning({ id: funeralEvents.id }),
  ])
  await schedulePurge(ctx, purges)
  if (removed.length === 0) throw new AppError('not_found', funeralMessages.notFound)
}

/** Returns an insert that queues the current programme of the service that matches `isTarget`, if any, for deletion. */
export function queueProgrammeDeletion(ctx: Ctx, isTarget: SQL | undefined) {
  const key = sql<string>`(select ${funeralEvents.programmeKey} from ${funeralEvents} where ${isTarget})`
  return queueObjectDeletion(ctx, key, sql`${key} is not null`)
}

/** The facts of a gathering that people need before they set out. */
export function factsOf(row: FuneralRow): GatheringFacts {
  const pin = pinOf(row)
  return {
    dateTime: instant(row.dateTime),
    endDateTime: row.endsAt === null ? null : instant(row.endsAt),
    timeZone: row.timeZone,
    place: placeOf(row),
    ...(pin && { pin }),
    isCancelled: row.isCancelled,
  }
}

/** Whether a place that people know still holds: the same venue, or the same address, of which the new place may only say more. */
export function placeHolds(known: string, now: string): boolean {
  const [before, after] = [known.split(', '), now.split(', ')]
  let from = 0
  for (const part of before) {
    from = after.indexOf(part, from) + 1
    if (from === 0) return false
  }
  return before[0] === after[0]
}

/** A gathering as this viewer sees it; without `sight` as an editor does. */
export function toFuneralEvent(row: FuneralRow, sight: Sight = EDITOR): FuneralEvent {
  const { capacity, changedAt, changedFrom } = row
  return {
    id: row.id,
    kind: row.kind,
    title: row.title,
    dateTime: instant(row.dateTime),
    endDateTime: row.endsAt === null ? null : instant(row.endsAt),
    timeZone: row.timeZone,
    venueName: row.venueName,
    addressLine: row.addressLine,
    city: row.city,
    region: row.region,
    country: row.country,
    postalCode: row.postalCode,
    notes: row.notes,
    pin: pinOf(row),
    wayThere: row.wayThere,
    dress: row.dress,
    bring: row.bring,
    contact: seesContact(row, sight) ? row.contact : null,
    audience: row.audience,
    streamUrl: row.streamUrl,
    recordingUrl: row.recordingUrl,
    isCancelled: row.isCancelled,
    change:
      changedAt === null || changedFrom === null
        ? null
        : { at: instant(changedAt), ...toFacts(changedFrom, factsOf(row).place) },
    takesReplies: row.takesReplies,
    repliesUntil: row.repliesUntil === null ? null : instant(row.repliesUntil),
    isFull: capacity !== null && row.peopleComing >= capacity,
    ...(sight.canEdit &&
      hasSettings(row) && {
        settings: { contactFor: row.contactFor, capacity, keepReplies: row.keepReplies },
      }),
    programFileId: row.programmeKey === null ? null : (row.programmeKey.split('/').at(-1) ?? null),
    programFileName: row.programmeName,
    programSize: row.programmeSize,
  }
}

function seesContact({ contactFor }: FuneralRow, { canEdit, isInvited }: Sight): boolean {
  return canEdit || contactFor === 'EVERYBODY' || (contactFor === 'INVITED' && isInvited)
}

function pinOf({ latitude, longitude }: FuneralRow): GatheringPin | null {
  return latitude === null || longitude === null ? null : { latitude, longitude }
}

function hasSettings({ contactFor, capacity, keepReplies }: FuneralRow): boolean {
  return contactFor !== 'FAMILY' || capacity !== null || keepReplies
}

/** `place`: the present one, which is no change from one that still holds. */
function toFacts(
  { dateTime, endDateTime, timeZone, place: before, pin, isCancelled }: GatheringFacts,
  place: string,
): GatheringFacts {
  return {
    dateTime,
    endDateTime,
    timeZone,
    place: placeHolds(before, place) ? place : before,
    ...(pin && { pin: { latitude: pin.latitude, longitude: pin.longitude } }),
    isCancelled,
  }
}

function instant(at: number): string {
  return new Date(at).toISOString()
}

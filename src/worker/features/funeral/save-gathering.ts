import { and, eq, sql, type SQL } from 'drizzle-orm'
import { AppError, fieldError } from '#shared/errors.ts'
import type { FuneralEvent, FuneralEventInput, UpdateFuneralEventInput } from '#shared/funeral/funeral.ts'
import { isLater } from '#shared/funeral/gatherings.ts'
import { FUNERAL_EVENTS_MAX, GATHERING_MAX_MS, LATER_GATHERINGS_MAX } from '#shared/limits.ts'
import { funeralMessages } from '#shared/funeral/funeral-messages.ts'
import { recordAction } from '#worker/access/audit.ts'
import { isStillEditor, type MemorialAccess } from '#worker/access/memorial-access.ts'
import {
  FUNERAL_AUDIT,
  isService,
  requireService,
  serviceRows,
  toFuneralEvent,
  type FuneralRow,
} from '#worker/features/funeral/funeral.ts'
import { keepTold, markChange } from '#worker/features/funeral/mark-change.ts'
import { nextTurn } from '#worker/features/funeral/turns.ts'
import { toInstant } from '#worker/features/funeral/wall-clock.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { queueCachePurge, schedulePurge } from '#worker/platform/edge-cache.ts'
import { newId } from '#worker/platform/random.ts'
import { funeralEvents } from '#worker/schema/funeral.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** So often a change is tried again that met another change of the same gathering. */
const TRIES = 5

/** What is left out is null at first. */
const EMPTY = {
  title: null,
  endsAt: null,
  venueName: null,
  addressLine: null,
  city: null,
  region: null,
  country: null,
  postalCode: null,
  latitude: null,
  longitude: null,
  wayThere: null,
  notes: null,
  dress: null,
  bring: null,
  contact: null,
  contactFor: 'FAMILY',
  audience: 'EVERYBODY',
  streamUrl: null,
  recordingUrl: null,
  programmeKey: null,
  programmeName: null,
  programmeSize: null,
  isCancelled: false,
  sequence: 0,
  changedAt: null,
  changedFrom: null,
  takesReplies: false,
  capacity: null,
  repliesUntil: null,
  keepReplies: false,
  peopleComing: 0,
  turnsAt: null,
  kind: 'OTHER',
} as const satisfies Partial<FuneralRow>

/**
 * Updates the first gathering in time order, or creates it. Omitted fields of the first version become null, newer ones don't change; a programme
 * stays. Throws as {@link updateService}.
 */
export async function saveFirstService(
  ctx: Ctx,
  access: MemorialAccess,
  input: FuneralEventInput,
): Promise<FuneralEvent> {
  const { title, venueName, addressLine, city, region, country, postalCode, notes } = EMPTY
  const all = { title, venueName, addressLine, city, region, country, postalCode, notes, ...input }
  for (let tries = 0; tries < TRIES; tries++) {
    const [first] = await serviceRows(ctx, access.memorial.id)
    const saved = first
      ? await tryUpdate(ctx, access, first, all)
      : await insertGathering(ctx, access, input, isEmpty(access.memorial.id))
    if (saved) return toFuneralEvent(saved)
  }
  throw new AppError('conflict', funeralMessages.changedMeanwhile)
}

/** Adds a gathering. Throws `too_many_services` when all places for services, or for later gatherings, are taken. */
export async function addService(
  ctx: Ctx,
  access: MemorialAccess,
  input: FuneralEventInput,
): Promise<FuneralEvent> {
  const created = await insertGathering(ctx, access, input, sql`true`)
  if (!created) throw tooMany(input.kind ?? EMPTY.kind)
  return toFuneralEvent(created)
}

/**
 * Updates the given fields of a gathering. When it begins at another time, its end and that of replies move along unless given. Refuses a time zone alone,
 * which would move it unnoticed. Throws `not_found`, `bad_input`, `too_many_services`.
 */
export async function updateService(
  ctx: Ctx,
  access: MemorialAccess,
  eventId: string,
  input: UpdateFuneralEventInput,
): Promise<FuneralEvent> {
  if (input.dateTime === undefined && input.timeZone !== undefined)
    throw fieldError('bad_input', 'timeZone', funeralMessages.timeZoneAlone)
  for (let tries = 0; tries < TRIES; tries++) {
    const row = await requireService(ctx, access, eventId)
    const saved = await tryUpdate(ctx, access, row, input)
    if (saved) return toFuneralEvent(saved)
  }
  throw new AppError('conflict', funeralMessages.changedMeanwhile)
}

/** Null if the condition doesn't hold, or no place is free. */
async function insertGathering(
  ctx: Ctx,
  access: MemorialAccess,
  input: FuneralEventInput,
  condition: SQL,
): Promise<FuneralRow | null> {
  const memorialId = access.memorial.id
  const now = ctx.now()
  const ids = { id: newId('funeralEvent'), memorialId, position: 0, createdAt: now, updatedAt: now }
  const before = { ...EMPTY, ...ids, ...toStart(input.dateTime, input.timeZone) }
  const row = withTurn({ ...before, ...toChanges(before, input) }, now)
  const position = freePlace(memorialId, isLater(row.kind))
  const isFree = and(sql`${position} is not null`, condition, isStillEditor(access))!
  const [, , [created]] = await ctx.db.batch([
    queueCachePurge(ctx, eq(memorials.id, memorialId), { urgent: false }),
    recordAction(ctx, access, FUNERAL_AUDIT, isFree),
    insertWhere(ctx.db, funeralEvents, row, isFree, { position }).returning(),
  ])
  return created ?? null
}

/** Null if the row has changed since it was read. */
async function tryUpdate(
  ctx: Ctx,
  access: MemorialAccess,
  row: FuneralRow,
  input: UpdateFuneralEventInput,
): Promise<FuneralRow | null> {
  const memorialId = access.memorial.id
  const now = ctx.now()
  const changes = toChanges(row, input)
  const changed = withTurn({ ...row, ...changes, ...markChange(row, { ...row, ...changes }, now) }, now)
  const { sequence, changedAt, changedFrom, turnsAt, kind } = changed
  const moves = isLater(kind) !== isLater(row.kind)
  const position = moves ? freePlace(memorialId, isLater(kind)) : sql`${funeralEvents.position}`
  const isSame = and(
    isService(memorialId, row.id),
    isStillEditor(access),
    eq(funeralEvents.sequence, row.sequence),
    eq(funeralEvents.kind, row.kind),
    // When the page turns next was computed from all that was read.
    eq(funeralEvents.updatedAt, row.updatedAt),
  )
  const mayMove = and(isSame, sql`${position} is not null`)
  const isSaved = existsIn(funeralEvents, mayMove)
  // Fewer people may see it, or whom to ask, than the cached page shows it to.
  const urgent = changed.audience !== row.audience || changed.contactFor !== row.contactFor
  const [purges, , , [saved], [found]] = await ctx.db.batch([
    queueCachePurge(ctx, eq(memorials.id, memorialId), { urgent }),
    keepTold(ctx, row, changed, isSaved),
    recordAction(ctx, access, FUNERAL_AUDIT, isSaved),
    ctx.db
      .update(funeralEvents)
      .set({
        ...changes,
        sequence,
        changedAt,
        changedFrom,
        turnsAt,
        updatedAt: Math.max(now, row.updatedAt + 1),
        ...(moves && { position }),
      })
      .where(mayMove)
      .returning(),
    ctx.db.select({ id: funeralEvents.id }).from(funeralEvents).where(isSame),
  ])
  if (urgent) await schedulePurge(ctx, purges)
  if (saved) return saved
  if (found) throw tooMany(kind)
  return null
}

/** Columns for the fields that `input` has. */
function toChanges(before: FuneralRow, input: UpdateFuneralEventInput): Partial<FuneralRow> {
  const { dateTime, timeZone = before.timeZone, endDateTime, repliesUntil, pin, ...plain } = input
  const start = dateTime === undefined ? null : toStart(dateTime, timeZone)
  const startsAt = start?.dateTime ?? before.dateTime
  const movedBy = startsAt - before.dateTime
  const movedEnd = before.endsAt === null ? null : before.endsAt + movedBy
  const endsAt = endDateTime === undefined ? movedEnd : toEnd(endDateTime, timeZone, startsAt)
  const changes = {
    ...plain,
    ...start,
    endsAt,
    ...((repliesUntil !== undefined || movedBy !== 0) && {
      repliesUntil: toRepliesUntil(before, repliesUntil, timeZone, startsAt),
    }),
    ...(pin !== undefined && { latitude: pin?.latitude ?? null, longitude: pin?.longitude ?? null }),
  }
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}

function toStart(dateTime: string, timeZone: string): { dateTime: number; timeZone: string } {
  return { dateTime: toTime('dateTime', dateTime, timeZone), timeZone }
}

function toEnd(endDateTime: string | null, timeZone: string, startsAt: number): number | null {
  if (endDateTime === null) return null
  const endsAt = toTime('endDateTime', endDateTime, timeZone)
  if (endsAt <= startsAt || endsAt > startsAt + GATHERING_MAX_MS)
    throw fieldError('bad_input', 'endDateTime', funeralMessages.endInvalid)
  return endsAt
}

/** When replies end: moved along with the beginning unless given, and never after it. */
function toRepliesUntil(
  before: FuneralRow,
  given: string | null | undefined,
  timeZone: string,
  startsAt: number,
): number | null {
  const kept = before.repliesUntil === null ? null : before.repliesUntil + startsAt - before.dateTime
  const until = typeof given === 'string' ? toTime('repliesUntil', given, timeZone) : given
  const at = until === undefined ? kept : until
  return at === null ? null : Math.min(at, startsAt)
}

function toTime(field: string, text: string, timeZone: string): number {
  const instant = toInstant(text, timeZone)
  if (instant === null) throw fieldError('bad_input', field, funeralMessages.dateTimeInvalid)
  return instant
}

function withTurn(row: FuneralRow, now: number): FuneralRow {
  return { ...row, turnsAt: nextTurn([toFuneralEvent(row)], now) }
}

function isEmpty(memorialId: string): SQL {
  return sql`not exists (select 1 from ${funeralEvents} where ${funeralEvents.memorialId} = ${memorialId})`
}

/** SQL: the first free position for a service, or for a later gathering; null if there is none. */
function freePlace(memorialId: string, later: boolean): SQL {
  const first = later ? FUNERAL_EVENTS_MAX + 1 : 1
  const length = later ? LATER_GATHERINGS_MAX : FUNERAL_EVENTS_MAX
  const places = JSON.stringify(Array.from({ length }, (_, index) => first + index))
  const taken = sql`select taken.position from ${funeralEvents} as taken where taken.memorial_id = ${memorialId}`
  return sql`(select min(value) from json_each(${places}) where value not in (${taken}))`
}

function tooMany(kind: FuneralRow['kind']): AppError {
  const { tooManyLater, tooManyServices } = funeralMessages
  return new AppError('too_many_services', isLater(kind) ? tooManyLater : tooManyServices)
}

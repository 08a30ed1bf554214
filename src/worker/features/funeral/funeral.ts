import { and, asc, eq, sql, type SQL } from 'drizzle-orm'
import { AppError, fieldError } from '#shared/errors.ts'
import type { FuneralEvent, FuneralEventInput, UpdateFuneralEventInput } from '#shared/funeral.ts'
import { FUNERAL_EVENTS_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { insertAdminAudit } from '#worker/access/audit.ts'
import { funeralEvents } from '#worker/schema/funeral.table.ts'
import { toInstant } from '#worker/features/funeral/wall-clock.ts'
import { objectDeletions } from '#worker/schema/media.table.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { newId } from '#worker/platform/random.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { queueCachePurge } from '#worker/features/memorials/public-cache.ts'
import { schedulePurge } from '#worker/platform/edge-cache.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

export type FuneralRow = typeof funeralEvents.$inferSelect

const AUDIT = { action: 'edit_funeral' } as const

/** In SQL: the service with this id, if it belongs to this memorial. */
export function isService(memorialId: string, eventId: string): SQL | undefined {
  return and(eq(funeralEvents.id, eventId), eq(funeralEvents.memorialId, memorialId))
}

/** Rows of a memorial's services in time order. */
export function serviceRows(ctx: Ctx, memorialId: string | SQL) {
  return ctx.db
    .select()
    .from(funeralEvents)
    .where(eq(funeralEvents.memorialId, memorialId))
    .orderBy(asc(funeralEvents.dateTime), asc(funeralEvents.position))
}

/** A memorial's services in time order. */
export async function listServices(ctx: Ctx, memorialId: string): Promise<FuneralEvent[]> {
  return (await serviceRows(ctx, memorialId)).map(toFuneralEvent)
}

/** The service of this memorial, or throws `not_found`. */
export async function requireService(ctx: Ctx, memorialId: string, eventId: string): Promise<FuneralRow> {
  const [row] = await ctx.db.select().from(funeralEvents).where(isService(memorialId, eventId))
  if (!row) throw new AppError('not_found', messages.funeral.notFound)
  return row
}

/** Writes the first service in time order, or makes it. What is left out becomes empty; a programme stays. */
export async function saveFirstService(
  ctx: Ctx,
  access: MemorialAccess,
  input: FuneralEventInput,
): Promise<FuneralEvent> {
  const memorialId = access.memorial.id
  const details = { ...detailsOf(input), ...timeOf(input.dateTime, input.timeZone), updatedAt: ctx.now() }
  const ofMemorial = sql`from ${funeralEvents} where ${funeralEvents.memorialId} = ${memorialId}`
  const [, , changed, made] = await ctx.db.batch([
    queueCachePurge(ctx, eq(memorials.id, memorialId), { urgent: false }),
    insertAdminAudit(ctx, access, AUDIT),
    ctx.db
      .update(funeralEvents)
      .set(details)
      .where(sql`${funeralEvents.id} = (select id ${ofMemorial} order by date_time, position limit 1)`)
      .returning(),
    insertWhere(
      ctx.db,
      funeralEvents,
      { id: newId('funeralEvent'), memorialId, position: 1, ...details, createdAt: ctx.now() },
      sql`not exists (select 1 ${ofMemorial})`,
    ).returning(),
  ])
  const row = changed[0] ?? made[0]
  if (!row) throw new Error('a service was neither changed nor made')
  return toFuneralEvent(row)
}

/** Adds a service in the first free place of four. Throws `too_many_services` where there is none. */
export async function addService(
  ctx: Ctx,
  access: MemorialAccess,
  input: FuneralEventInput,
): Promise<FuneralEvent> {
  const memorialId = access.memorial.id
  const taken = sql`select position from ${funeralEvents} where ${funeralEvents.memorialId} = ${memorialId}`
  const places = sql.join(
    Array.from({ length: FUNERAL_EVENTS_MAX }, (_, index) => sql`select ${index + 1} as place`),
    sql` union all `,
  )
  const free = sql`(select min(place) from (${places}) where place not in (${taken}))`
  const row = {
    id: newId('funeralEvent'),
    memorialId,
    ...detailsOf(input),
    ...timeOf(input.dateTime, input.timeZone),
    position: 0,
    createdAt: ctx.now(),
    updatedAt: ctx.now(),
  }
  const [, , [made]] = await ctx.db.batch([
    queueCachePurge(ctx, eq(memorials.id, memorialId), { urgent: false }),
    insertAdminAudit(ctx, access, AUDIT, sql`${free} is not null`),
    insertWhere(ctx.db, funeralEvents, row, sql`${free} is not null`, { position: free }).returning(),
  ])
  if (!made) throw new AppError('too_many_services', messages.funeral.tooManyServices)
  return toFuneralEvent(made)
}

/** Changes what is given of a service. A time zone alone is refused: it would move the service unseen. */
export async function updateService(
  ctx: Ctx,
  access: MemorialAccess,
  eventId: string,
  input: UpdateFuneralEventInput,
): Promise<FuneralEvent> {
  const { dateTime, timeZone, ...details } = input
  if (dateTime === undefined && timeZone !== undefined)
    throw fieldError('bad_input', 'timeZone', messages.funeral.timeZoneAlone)
  const memorialId = access.memorial.id
  const isIt = isService(memorialId, eventId)
  const row = await requireService(ctx, memorialId, eventId)
  const time = dateTime === undefined ? {} : timeOf(dateTime, timeZone ?? row.timeZone)
  const [, , [changed]] = await ctx.db.batch([
    queueCachePurge(ctx, eq(memorials.id, memorialId), { urgent: false }),
    insertAdminAudit(ctx, access, AUDIT, existsIn(funeralEvents, isIt)),
    ctx.db
      .update(funeralEvents)
      .set({ ...details, ...time, updatedAt: ctx.now() })
      .where(isIt)
      .returning(),
  ])
  if (!changed) throw new AppError('not_found', messages.funeral.notFound)
  return toFuneralEvent(changed)
}

/** Removes a service and its programme. Throws `not_found`. */
export async function deleteService(ctx: Ctx, access: MemorialAccess, eventId: string): Promise<void> {
  const memorialId = access.memorial.id
  const isIt = isService(memorialId, eventId)
  const [forgotten, , , removed] = await ctx.db.batch([
    queueCachePurge(ctx, eq(memorials.id, memorialId), { urgent: true }),
    insertAdminAudit(ctx, access, AUDIT, existsIn(funeralEvents, isIt)),
    queueProgrammeDeletion(ctx, memorialId, eventId),
    ctx.db.delete(funeralEvents).where(isIt).returning({ id: funeralEvents.id }),
  ])
  await schedulePurge(ctx, forgotten)
  if (removed.length === 0) throw new AppError('not_found', messages.funeral.notFound)
}

/** Statement: the present programme of this service, if any, joins the objects that must go. */
export function queueProgrammeDeletion(ctx: Ctx, memorialId: string, eventId: string) {
  const key = sql<string>`(select ${funeralEvents.programmeKey} from ${funeralEvents}
    where ${funeralEvents.id} = ${eventId} and ${funeralEvents.memorialId} = ${memorialId})`
  const row = { prefix: '', createdAt: ctx.now() }
  return insertWhere(ctx.db, objectDeletions, row, sql`${key} is not null`, {
    prefix: key,
  }).onConflictDoNothing()
}

function detailsOf(input: FuneralEventInput) {
  return {
    title: input.title ?? null,
    venueName: input.venueName ?? null,
    addressLine: input.addressLine ?? null,
    city: input.city ?? null,
    region: input.region ?? null,
    country: input.country ?? null,
    postalCode: input.postalCode ?? null,
    notes: input.notes ?? null,
  }
}

function timeOf(dateTime: string, timeZone: string): { dateTime: number; timeZone: string } {
  const instant = toInstant(dateTime, timeZone)
  if (instant === null) throw fieldError('bad_input', 'dateTime', messages.funeral.dateTimeInvalid)
  return { dateTime: instant, timeZone }
}

/** Row to wire. */
export function toFuneralEvent(row: FuneralRow): FuneralEvent {
  return {
    id: row.id,
    title: row.title,
    dateTime: new Date(row.dateTime).toISOString(),
    timeZone: row.timeZone,
    venueName: row.venueName,
    addressLine: row.addressLine,
    city: row.city,
    region: row.region,
    country: row.country,
    postalCode: row.postalCode,
    notes: row.notes,
    programFileId: row.programmeKey === null ? null : (row.programmeKey.split('/').at(-1) ?? null),
    programFileName: row.programmeName,
    programSize: row.programmeSize,
  }
}

import { and, asc, eq, sql, type SQL } from 'drizzle-orm'
import { AppError, fieldError } from '#shared/errors.ts'
import type { FuneralEvent, FuneralEventInput, UpdateFuneralEventInput } from '#shared/funeral.ts'
import { FUNERAL_EVENTS_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { insertAdminAudit } from '#worker/access/audit.ts'
import { funeralEvents } from '#worker/schema/funeral.table.ts'
import { toInstant } from '#worker/features/funeral/wall-clock.ts'
import { queueObjectDeletion } from '#worker/features/media/media.jobs.ts'
import { existsIn, insertWhere, type Reader } from '#worker/platform/db.ts'
import { newId } from '#worker/platform/random.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { queueCachePurge, schedulePurge } from '#worker/platform/edge-cache.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

export type FuneralRow = typeof funeralEvents.$inferSelect

const AUDIT = { action: 'edit_funeral' } as const

/** SQL condition: the service has this id and belongs to this memorial. */
export function isService(memorialId: string, eventId: string): SQL | undefined {
  return and(
    eq(funeralEvents.id, eventId),
    /* prove: programme-own-memorial */ eq(funeralEvents.memorialId, memorialId),
  )
}

/** Selects the rows of a memorial's services in time order. */
export function serviceRows(ctx: Reader, memorialId: string | SQL) {
  return ctx.db
    .select()
    .from(funeralEvents)
    .where(eq(funeralEvents.memorialId, memorialId))
    .orderBy(asc(funeralEvents.dateTime), asc(funeralEvents.position))
}

/** Returns a memorial's services in time order. */
export async function listServices(ctx: Ctx, memorialId: string): Promise<FuneralEvent[]> {
  return (await serviceRows(ctx, memorialId)).map(toFuneralEvent)
}

/** Returns this service of this memorial. Throws `not_found`. */
export async function requireService(ctx: Ctx, memorialId: string, eventId: string): Promise<FuneralRow> {
  const [row] = await ctx.db.select().from(funeralEvents).where(isService(memorialId, eventId))
  if (!row) throw new AppError('not_found', messages.funeral.notFound)
  return row
}

/** Updates the first service in time order, or creates it. Omitted fields become null; a programme stays. */
export async function saveFirstService(
  ctx: Ctx,
  access: MemorialAccess,
  input: FuneralEventInput,
): Promise<FuneralEvent> {
  const memorialId = access.memorial.id
  const details = { ...toColumns(input), updatedAt: ctx.now() }
  const fromMemorial = sql`from ${funeralEvents} where ${funeralEvents.memorialId} = ${memorialId}`
  const [, , changed, created] = await ctx.db.batch([
    queueCachePurge(ctx, eq(memorials.id, memorialId), { urgent: false }),
    insertAdminAudit(ctx, access, AUDIT),
    ctx.db
      .update(funeralEvents)
      .set(details)
      .where(sql`${funeralEvents.id} = (select id ${fromMemorial} order by date_time, position limit 1)`)
      .returning(),
    insertWhere(
      ctx.db,
      funeralEvents,
      { id: newId('funeralEvent'), memorialId, position: 1, ...details, createdAt: ctx.now() },
      sql`not exists (select 1 ${fromMemorial})`,
    ).returning(),
  ])
  const row = changed[0] ?? created[0]
  if (!row) throw new Error('no service was updated or created')
  return toFuneralEvent(row)
}

/** Adds a service in the first free one of four positions. Throws `too_many_services` when all are taken. */
export async function addService(
  ctx: Ctx,
  access: MemorialAccess,
  input: FuneralEventInput,
): Promise<FuneralEvent> {
  const memorialId = access.memorial.id
  const takenSlots = sql`select position from ${funeralEvents} where ${funeralEvents.memorialId} = ${memorialId}`
  const slots = sql.join(
    Array.from({ length: FUNERAL_EVENTS_MAX }, (_, index) => sql`select ${index + 1} as slot`),
    sql` union all `,
  )
  const freeSlot = sql`(select min(slot) from (${slots}) where slot not in (${takenSlots}))`
  const row = {
    id: newId('funeralEvent'),
    memorialId,
    ...toColumns(input),
    position: 0,
    createdAt: ctx.now(),
    updatedAt: ctx.now(),
  }
  const [, , [created]] = await ctx.db.batch([
    queueCachePurge(ctx, eq(memorials.id, memorialId), { urgent: false }),
    insertAdminAudit(ctx, access, AUDIT, sql`${freeSlot} is not null`),
    insertWhere(ctx.db, funeralEvents, row, sql`${freeSlot} is not null`, { position: freeSlot }).returning(),
  ])
  if (!created) throw new AppError('too_many_services', messages.funeral.tooManyServices)
  return toFuneralEvent(created)
}

/** Updates the given fields of a service. Refuses a time zone alone, which would move the service unnoticed. */
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
  const isThisService = isService(memorialId, eventId)
  const row = await requireService(ctx, memorialId, eventId)
  const time = dateTime === undefined ? {} : toTimeColumns(dateTime, timeZone ?? row.timeZone)
  const [, , [changed]] = await ctx.db.batch([
    queueCachePurge(ctx, eq(memorials.id, memorialId), { urgent: false }),
    insertAdminAudit(ctx, access, AUDIT, existsIn(funeralEvents, isThisService)),
    ctx.db
      .update(funeralEvents)
      .set({ ...details, ...time, updatedAt: ctx.now() })
      .where(isThisService)
      .returning(),
  ])
  if (!changed) throw new AppError('not_found', messages.funeral.notFound)
  return toFuneralEvent(changed)
}

/** Deletes a service and its programme. Throws `not_found`. */
export async function deleteService(ctx: Ctx, access: MemorialAccess, eventId: string): Promise<void> {
  const memorialId = access.memorial.id
  const isThisService = isService(memorialId, eventId)
  const [purges, , , removed] = await ctx.db.batch([
    queueCachePurge(ctx, eq(memorials.id, memorialId), { urgent: true }),
    insertAdminAudit(ctx, access, AUDIT, existsIn(funeralEvents, isThisService)),
    queueProgrammeDeletion(ctx, memorialId, eventId),
    ctx.db.delete(funeralEvents).where(isThisService).returning({ id: funeralEvents.id }),
  ])
  await schedulePurge(ctx, purges)
  if (removed.length === 0) throw new AppError('not_found', messages.funeral.notFound)
}

/** Returns an insert that queues the current programme of this service, if any, for deletion. */
export function queueProgrammeDeletion(ctx: Ctx, memorialId: string, eventId: string) {
  const key = sql<string>`(select ${funeralEvents.programmeKey} from ${funeralEvents}
    where ${funeralEvents.id} = ${eventId} and ${funeralEvents.memorialId} = ${memorialId})`
  return queueObjectDeletion(ctx, key, sql`${key} is not null`)
}

function toColumns(input: FuneralEventInput) {
  return {
    ...toTimeColumns(input.dateTime, input.timeZone),
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

function toTimeColumns(dateTime: string, timeZone: string): { dateTime: number; timeZone: string } {
  const instant = toInstant(dateTime, timeZone)
  if (instant === null) throw fieldError('bad_input', 'dateTime', messages.funeral.dateTimeInvalid)
  return { dateTime: instant, timeZone }
}

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

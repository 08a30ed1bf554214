import { and, eq, type SQL } from 'drizzle-orm'
import type { LocationInput, MemorialLocation, MemorialQr } from '#shared/location.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { insertAdminAudit } from '#worker/access/audit.ts'
import { locations } from '#worker/schema/location.table.ts'
import { qrSvg } from '#worker/features/location/qr-code.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { publicLink } from '#worker/features/memorials/slug.ts'
import { queueCachePurge } from '#worker/features/memorials/public-cache.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** True for owner and admin, and for everyone who may see the memorial once its owner shows the location. */
function canSeeLocation({ access, memorial }: MemorialAccess): boolean {
  return access.canEdit || memorial.showLocation
}

/** Returns the burial place, or null when there is none or the caller may not see it. */
export async function findLocation(ctx: Ctx, access: MemorialAccess): Promise<MemorialLocation | null> {
  return toVisibleLocation(await selectLocation(ctx, access.memorial.id), access)
}

/** Selects the burial place of a memorial. For {@link toVisibleLocation}. */
export function selectLocation(ctx: Ctx, memorialId: string | SQL) {
  return ctx.db.select().from(locations).where(eq(locations.memorialId, memorialId))
}

/** Converts the row of {@link selectLocation}; null when there is none or the caller may not see it. */
export function toVisibleLocation(
  [row]: (typeof locations.$inferSelect)[],
  access: MemorialAccess,
): MemorialLocation | null {
  if (!canSeeLocation(access)) return null
  return row ? toLocation(row) : null
}

/** Saves the burial place. */
export async function saveLocation(
  ctx: Ctx,
  access: MemorialAccess,
  input: LocationInput,
): Promise<MemorialLocation> {
  const memorialId = access.memorial.id
  const columns = {
    label: input.label ?? null,
    // Turns -0 into 0, because SQLite returns it as "-0.0".
    latitude: input.latitude + 0,
    longitude: input.longitude + 0,
    updatedAt: ctx.now(),
  }
  const isShown = and(eq(memorials.id, memorialId), eq(memorials.showLocation, true))
  const [, , [row]] = await ctx.db.batch([
    queueCachePurge(ctx, isShown, { urgent: false }),
    insertAdminAudit(ctx, access, { action: 'edit_location' }),
    ctx.db
      .insert(locations)
      .values({ memorialId, ...columns })
      .onConflictDoUpdate({ target: locations.memorialId, set: columns })
      .returning(),
  ])
  if (!row) throw new Error('the location was not written')
  return toLocation(row)
}

/** Returns the QR code for the gravestone, which always holds the permanent public link. The audit log records an admin's use. */
export async function memorialQr(ctx: Ctx, access: MemorialAccess): Promise<MemorialQr> {
  if (access.access.role === 'ADMIN') await insertAdminAudit(ctx, access, { action: 'make_qr_code' })
  const url = publicLink(ctx, access.memorial)
  return { url, ...qrSvg(url) }
}

function toLocation(row: typeof locations.$inferSelect): MemorialLocation {
  return { label: row.label, latitude: row.latitude, longitude: row.longitude }
}

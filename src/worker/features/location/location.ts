import { and, eq, type SQL } from 'drizzle-orm'
import type { LocationInput, MemorialLocation, MemorialQr } from '#shared/memorials/location.ts'
import { qrPath } from '#shared/memorials/qr-path.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import type { Reader } from '#worker/platform/db.ts'
import { recordAction } from '#worker/access/audit.ts'
import { locations, memorials } from '#worker/schema/memorials.table.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { publicLink } from '#worker/features/memorials/slug.ts'
import { queueCachePurge } from '#worker/platform/edge-cache.ts'
import QRCode from 'qrcode-svg'

/** Returns the burial place, or null when there is none or the caller may not see it. */
export async function findLocation(ctx: Ctx, access: MemorialAccess): Promise<MemorialLocation | null> {
  return toVisibleLocation(await selectLocation(ctx, access.memorial.id), access)
}

/** Selects the burial place of a memorial. For {@link toVisibleLocation}. */
export function selectLocation(ctx: Reader, memorialId: string | SQL) {
  return ctx.db.select().from(locations).where(eq(locations.memorialId, memorialId))
}

/** Converts the row of {@link selectLocation}; null when there is none or the caller may not see it. */
export function toVisibleLocation(
  [row]: (typeof locations.$inferSelect)[],
  access: MemorialAccess,
): MemorialLocation | null {
  return row && (access.canEdit || access.memorial.showLocation) ? toLocation(row) : null
}

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
    recordAction(ctx, access, { action: 'edit_location' }),
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
  if (access.role === 'ADMIN') await recordAction(ctx, access, { action: 'make_qr_code' })
  const url = publicLink(ctx, access.memorial)
  return { url, ...qrSvg(url) }
}

export function toLocation(row: typeof locations.$inferSelect): MemorialLocation {
  return { label: row.label, latitude: row.latitude, longitude: row.longitude }
}

/** ISO/IEC 18004 requires four white modules on every side; without them readers do not find the code. */
const QUIET_ZONE = 4
/** An engraver can cut modules of one millimetre, and a phone can read them from an arm's length. */
const MODULE_MM = 1
const SIZE_MIN_MM = 40

/** A QR code as SVG, and its side in millimetres. Level H tolerates the loss of up to 30 % to weathering. */
export function qrSvg(content: string): { svg: string; sizeMm: number } {
  const { modules } = new QRCode({ content, ecl: 'H', padding: QUIET_ZONE }).qrcode
  const side = modules.length + 2 * QUIET_ZONE
  const sizeMm = Math.max(SIZE_MIN_MM, side * MODULE_MM)
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${sizeMm}mm" height="${sizeMm}mm" ` +
    `viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<rect width="${side}" height="${side}" fill="#fff"/><path d="${qrPath(modules, QUIET_ZONE)}" fill="#000"/></svg>\n`
  return { svg, sizeMm }
}

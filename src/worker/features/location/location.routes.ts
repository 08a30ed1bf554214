import { api } from '#shared/api.ts'
import { findLocation, memorialQr, saveLocation } from '#worker/features/location/location.ts'
import { mapImage } from '#worker/features/location/map-image.ts'
import { memorialFor, forEditors } from '#worker/access/memorial-access.ts'
import { limitByIp } from '#worker/access/guards.ts'
import { route, type App } from '#worker/access/route.ts'

export function locationRoutes(app: App): void {
  route(app, api.saveLocation, forEditors, ({ ctx, access, body }) => saveLocation(ctx, access, body))
  route(
    app,
    api.locationMap,
    { access: memorialFor('view'), limit: limitByIp('LIMIT_MAP_IMAGE') },
    async ({ ctx, access }) => mapImage(ctx, await findLocation(ctx, access)),
  )
  route(app, api.locationQr, forEditors, ({ ctx, access }) => memorialQr(ctx, access))
}

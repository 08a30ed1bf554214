import { api } from '#shared/api.ts'
import { memorialBySlug, memorialFor } from '#worker/access/memorial-access.ts'
import { memorialView, publicMemorialView } from '#worker/features/views/memorial-view.ts'
import { route, type App } from '#worker/access/route.ts'

/** Mounts the calls that show a whole memorial. */
export function viewRoutes(app: App): void {
  route(app, api.memorial, { access: memorialFor('view') }, async ({ ctx, access }) =>
    memorialView(ctx, access),
  )
  route(app, api.memorialBySlug, { access: memorialBySlug }, async ({ ctx, access }) =>
    publicMemorialView(ctx, access),
  )
}

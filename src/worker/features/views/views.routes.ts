import { api } from '#shared/api.ts'
import { memorialBySlug, forViewers } from '#worker/access/memorial-access.ts'
import { memorialView, publicMemorialView } from '#worker/features/views/memorial-view.ts'
import { route, type App } from '#worker/access/route.ts'

export function viewRoutes(app: App): void {
  route(app, api.memorial, forViewers, ({ ctx, access }) => memorialView(ctx, access))
  route(app, api.memorialBySlug, { access: memorialBySlug }, ({ ctx, access }) =>
    publicMemorialView(ctx, access),
  )
}

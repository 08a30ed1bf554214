import { api } from '#shared/api.ts'
import { forViewers } from '#worker/access/memorial-access.ts'
import { route, type App } from '#worker/access/route.ts'
import { announcementCard } from '#worker/features/previews/announcement.ts'

export function previewRoutes(app: App): void {
  route(app, api.announcementCard, forViewers, ({ ctx, access, query }) =>
    announcementCard(ctx, access, query),
  )
}

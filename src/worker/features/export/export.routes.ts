import { api } from '#shared/api.ts'
import { readArchive } from '#worker/features/export/archive.ts'
import { memorialDownload } from '#worker/features/export/memorial-download.ts'
import { memorialFor } from '#worker/access/memorial-access.ts'
import { route, type App } from '#worker/access/route.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'

export function exportRoutes(app: App): void {
  route(app, api.exportPlan, { access: memorialFor('export') }, async ({ ctx, access }) => {
    const { plan } = await readArchive(ctx, access.memorial)
    return plan
  })
  route(app, api.memorialExport, { access: memorialFor('export') }, async ({ ctx, access, query }) => {
    await requireRateLimit(ctx, 'memorialExports', access.memorial.ownerId)
    return memorialDownload(ctx, access.memorial, query)
  })
}

import { api } from '#shared/api.ts'
import { countMemorials, countTokens, listAllMemorials } from '#worker/features/admin/admin.ts'
import { throughAccess } from '#worker/features/admin/cloudflare-access.ts'
import { admin } from '#worker/http/guards.ts'
import { route, type App } from '#worker/http/route.ts'

/** Mounts the calls of the admin console. */
export function adminRoutes(app: App): void {
  route(app, api.adminMemorials, { user: admin, access: throughAccess }, async ({ ctx, query }) =>
    listAllMemorials(ctx, query),
  )
  route(app, api.adminStats, { user: admin, access: throughAccess }, async ({ ctx }) => countMemorials(ctx))
  route(app, api.adminTokens, { user: admin, access: throughAccess }, async ({ ctx }) => countTokens(ctx))
}

import { api } from '#shared/api.ts'
import { fromOurPage, noteClientError } from '#worker/features/health/client-errors.ts'
import { readHealth } from '#worker/features/health/health.ts'
import { limitByIp } from '#worker/access/guards.ts'
import { route, type App } from '#worker/access/route.ts'

/** Calls of monitors and of pages about themselves: nobody's session is looked up for them. */
export const SESSIONLESS_PATHS: ReadonlySet<string> = new Set([
  api.health.path,
  api.healthLive.path,
  api.clientErrors.path,
])

/** Mounts what tells whether the service works, and what browsers tell of it. */
export function healthRoutes(app: App): void {
  route(app, api.health, { limit: limitByIp('LIMIT_HEALTH') }, async ({ ctx }) => readHealth(ctx))
  route(app, api.healthLive, {}, async () => ({ isLive: true }))
  route(
    app,
    api.clientErrors,
    { page: fromOurPage, limit: limitByIp('LIMIT_CLIENT_ERRORS') },
    async ({ ctx, body }) => {
      noteClientError(ctx, body)
      return null
    },
  )
}

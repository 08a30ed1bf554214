import { api } from '#shared/api.ts'
import { requireOwnPage, logClientError } from '#worker/features/health/client-errors.ts'
import { readHealth } from '#worker/features/health/health.ts'
import { limitByIp } from '#worker/access/guards.ts'
import { route, type App } from '#worker/access/route.ts'

/** Paths of monitors and error reports, for which the Worker looks up no session. */
export const SESSIONLESS_PATHS: ReadonlySet<string> = new Set([
  api.health.path,
  api.healthLive.path,
  api.clientErrors.path,
])

/** Mounts the health checks and the reports of client errors. */
export function healthRoutes(app: App): void {
  route(app, api.health, { limit: limitByIp('LIMIT_HEALTH') }, async ({ ctx }) => readHealth(ctx))
  route(app, api.healthLive, {}, async () => ({ isLive: true }))
  route(
    app,
    api.clientErrors,
    { page: requireOwnPage, limit: limitByIp('LIMIT_CLIENT_ERRORS') },
    async ({ ctx, body }) => {
      logClientError(ctx, body)
      return null
    },
  )
}

import { api } from '#shared/api.ts'
import { publicConfig } from '#worker/features/config/config.ts'
import { route, type App } from '#worker/access/route.ts'

export function configRoutes(app: App): void {
  route(app, api.config, {}, async ({ ctx }) => publicConfig(ctx.env))
}

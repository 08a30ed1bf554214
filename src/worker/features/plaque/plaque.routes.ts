import { api } from '#shared/api.ts'
import { memorialFor } from '#worker/features/memorials/memorial-access.ts'
import { memorialPlaque } from '#worker/features/plaque/plaque.ts'
import { route, type App } from '#worker/http/route.ts'

/** Mounts the plaque for the grave. */
export function plaqueRoutes(app: App): void {
  route(app, api.plaque, { access: memorialFor('edit') }, async ({ ctx, access, query }) =>
    memorialPlaque(ctx, access.memorial, query),
  )
}

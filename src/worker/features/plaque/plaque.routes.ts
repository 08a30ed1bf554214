import { api } from '#shared/api.ts'
import { auditVisit } from '#worker/features/admin/audit.ts'
import { memorialFor, type MemorialAccess } from '#worker/features/memorials/memorial-access.ts'
import { memorialPlaque } from '#worker/features/plaque/plaque.ts'
import { signedIn } from '#worker/http/guards.ts'
import { route, type App, type Guard } from '#worker/http/route.ts'
import { requireThrottle } from '#worker/platform/throttle.ts'

/** The memorial, for whoever may edit it. The plaque changes nothing, so an admin's call is recorded as a visit. */
const toDraw: Guard<MemorialAccess> = async (ctx, input) => {
  const found = await memorialFor('oversee')(ctx, input)
  await auditVisit(ctx, input, found)
  return found
}

/** Mounts the plaque for the grave. */
export function plaqueRoutes(app: App): void {
  route(app, api.plaque, { access: toDraw, user: signedIn }, async ({ ctx, access, user, query }) => {
    await requireThrottle(ctx, 'plaques', user.id)
    return memorialPlaque(ctx, access.memorial, query)
  })
}

import { api } from '#shared/api.ts'
import { auditVisit } from '#worker/access/audit.ts'
import { memorialFor, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { memorialPlaque } from '#worker/features/plaque/plaque.ts'
import { signedIn } from '#worker/access/guards.ts'
import { route, type App, type Guard } from '#worker/access/route.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'

/**
 * For people who may edit the memorial. A plaque changes nothing, so an admin's call is recorded as a visit, not an
 * edit.
 */
const plaqueAccess: Guard<MemorialAccess> = async (ctx, input) => {
  const found = await memorialFor('oversee')(ctx, input)
  await auditVisit(ctx, input, found)
  return found
}

/** Mounts the plaque for the grave. */
export function plaqueRoutes(app: App): void {
  route(app, api.plaque, { access: plaqueAccess, user: signedIn }, async ({ ctx, access, user, query }) => {
    await requireRateLimit(ctx, 'plaques', user.id)
    return memorialPlaque(ctx, access.memorial, query)
  })
}

import { api } from '#shared/api.ts'
import { auditVisit } from '#worker/access/audit.ts'
import { memorialFor, type MemorialAccess, type MemorialRow } from '#worker/access/memorial-access.ts'
import { signedIn } from '#worker/access/guards.ts'
import { route, type App, type Guard } from '#worker/access/route.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { lifeYears } from '#shared/memorials/life-dates.ts'
import type { Plaque, PlaqueQuery } from '#shared/memorials/plaque.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { publicLink } from '#worker/features/memorials/slug.ts'
import { plaqueSvg } from '#worker/features/plaque/plaque-svg.ts'

/** For editors. A plaque changes nothing, so an admin's call is recorded as a visit, not an edit. */
const plaqueAccess: Guard<MemorialAccess> = async (ctx, input) => {
  const found = await memorialFor('readPrivate')(ctx, input)
  await auditVisit(ctx, input, found)
  return found
}

export function plaqueRoutes(app: App): void {
  route(app, api.plaque, { access: plaqueAccess, user: signedIn }, async ({ ctx, access, user, query }) => {
    await requireRateLimit(ctx, 'plaques', user.id)
    return memorialPlaque(ctx, access.memorial, query)
  })
}

/** The plaque of a memorial. Its code contains only the permanent public link, whatever the privacy. */
export function memorialPlaque(ctx: Ctx, memorial: MemorialRow, query: PlaqueQuery): Promise<Plaque> {
  const { honoureeFullName: name, title } = memorial
  return plaqueSvg(
    {
      name,
      years: lifeYears(memorial),
      sentence: query.sentence === 'no' ? null : title,
    },
    {
      url: publicLink(ctx, memorial),
      hasMarks: query.marks === 'yes',
      // Loaded only here, because the font and the renderer are large.
      outline: async (svg) => (await import('#worker/features/previews/render-svg.ts')).outlinesOf(svg),
    },
  )
}

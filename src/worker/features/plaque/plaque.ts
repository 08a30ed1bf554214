import { lifeYears } from '#shared/page-titles.ts'
import type { Plaque, PlaqueQuery } from '#shared/plaque.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import type { MemorialRow } from '#worker/access/memorial-access.ts'
import { publicLink } from '#worker/features/memorials/slug.ts'
import { plaqueSvg } from '#worker/features/plaque/plaque-svg.ts'

/**
 * Renders the plaque of a memorial. Its code contains only the permanent public link, whatever the memorial's privacy.
 */
export function memorialPlaque(ctx: Ctx, memorial: MemorialRow, query: PlaqueQuery): Promise<Plaque> {
  const { honoureeFullName: name, dateOfBirth, dateOfDeath, title } = memorial
  return plaqueSvg(
    {
      name,
      years: lifeYears(dateOfBirth, dateOfDeath),
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

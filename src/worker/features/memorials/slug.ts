import { sql } from 'drizzle-orm'
import type { Ctx } from '#worker/platform/ctx.ts'
import { memorials, retiredSlugs } from '#worker/schema/memorials.table.ts'
import { randomBase32 } from '#worker/platform/random.ts'

const RANDOM_LENGTH = 6
/** Limits the name part, so that the whole URL is short enough for a QR code on a gravestone. */
const NAME_PART_MAX = 60

/** `Tendai Móyo` -> `tendai-moyo`; `memorial` if no ASCII letter is left. */
export function slugPart(name: string): string {
  const ascii = name
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/['’`]/gu, '')
    .replace(/[^a-z0-9]+/gu, '-')
    .slice(0, NAME_PART_MAX)
    .replace(/^-+|-+$/gu, '')
  return /[a-z]/u.test(ascii) ? ascii : 'memorial'
}

/** Finds a slug that was never used. If two requests find the same one, the unique index refuses the second. */
export async function findFreeSlug(ctx: Ctx, name: string): Promise<string> {
  for (;;) {
    const slug = `${slugPart(name)}-${randomBase32(RANDOM_LENGTH)}`
    const taken = await ctx.db.all(
      sql`select 1 from ${memorials} where ${memorials.slug} = ${slug}
          union all select 1 from ${retiredSlugs} where ${retiredSlugs.slug} = ${slug}`,
    )
    if (taken.length === 0) return slug
  }
}

/** The permanent public URL of a memorial, as engraved, printed and put into calendars. */
export function publicLink(ctx: Ctx, { slug }: { slug: string }): string {
  return `${ctx.env.PUBLIC_ORIGIN}/m/${slug}`
}

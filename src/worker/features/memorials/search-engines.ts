import { and, eq } from 'drizzle-orm'
import { memorials } from '#worker/features/memorials/memorials.table.ts'
import type { Db } from '#worker/platform/db.ts'

/** The public memorial with this slug, and whether its owner lets search engines find it; null where none is public. */
export async function findPublicPage(
  db: Db,
  slug: string,
): Promise<{ id: string; allowSearchEngines: boolean } | null> {
  const [found] = await db
    .select({ id: memorials.id, allowSearchEngines: memorials.allowSearchEngines })
    .from(memorials)
    .where(and(eq(memorials.slug, slug), eq(memorials.status, 'ACTIVE'), eq(memorials.privacy, 'LOCKED')))
  return found ?? null
}

import { and, eq } from 'drizzle-orm'
import { memorials } from '#worker/features/memorials/memorials.table.ts'
import type { Db } from '#worker/platform/db.ts'

/** True when the memorial with this slug is public and its owner lets search engines find it. */
export async function isForSearchEngines(db: Db, slug: string): Promise<boolean> {
  const found = await db
    .select({ id: memorials.id })
    .from(memorials)
    .where(
      and(
        eq(memorials.slug, slug),
        eq(memorials.status, 'ACTIVE'),
        eq(memorials.privacy, 'LOCKED'),
        eq(memorials.allowSearchEngines, true),
      ),
    )
  return found.length > 0
}

import { and, desc, eq, lte } from 'drizzle-orm'
import { EXPORT_PAGE } from '#shared/limits.ts'
import type { MemorialExport } from '#shared/export.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { selectComments } from '#worker/features/comments/comments.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { cursorAfter, isAfterCursor } from '#worker/platform/page-cursor.ts'

export type ExportMessage = MemorialExport['messages'][number]

/** Generates the guestbook of a memorial page by page, newest first, up to the time `until` (milliseconds). */
export async function* guestbookPages(
  ctx: Ctx,
  memorial: { id: string; ownerId: string },
  until: number,
): AsyncGenerator<ExportMessage[]> {
  let cursor: string | null = null
  for (;;) {
    const rows = await selectComments(ctx, null)
      .where(
        and(
          eq(comments.memorialId, memorial.id),
          lte(comments.createdAt, until),
          isAfterCursor(comments, 'comment', cursor),
        ),
      )
      .orderBy(desc(comments.createdAt), desc(comments.id))
      .limit(EXPORT_PAGE)
    const last = rows.at(-1)?.comment
    if (!last) return
    yield rows.map(({ comment, userName, contributorName }) => ({
      id: comment.id,
      body: comment.body,
      writtenBy: contributorName ?? userName ?? '',
      isOwner: comment.authorUserId === memorial.ownerId,
      likes: comment.likeCount,
      createdAt: new Date(comment.createdAt).toISOString(),
    }))
    if (rows.length < EXPORT_PAGE) return
    cursor = cursorAfter(last)
  }
}

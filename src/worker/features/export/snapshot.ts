import type { Ctx } from '#worker/platform/ctx.ts'
import type { Archive, ArchiveFile } from '#worker/features/export/archive.ts'
import { isShown } from '#worker/access/held.ts'
import { readableLifeStory, readStoryTree } from '#worker/features/memorials/life-story.ts'
import { publicLink } from '#worker/features/memorials/slug.ts'
import { and, desc, eq, lte } from 'drizzle-orm'
import { EXPORT_PAGE } from '#shared/limits.ts'
import type { MemorialExport } from '#shared/export.ts'
import { authorNameOf, selectComments } from '#worker/features/comments/comments.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { cursorAfter, isAfterCursor } from '#worker/platform/db.ts'

/** The content of one archive at one moment. */
export type Snapshot = ReturnType<typeof takeSnapshot>

/** `part` is null for everything in one file; `stored` maps the keys in storage to their sizes in bytes. */
export function takeSnapshot(
  ctx: Ctx,
  archive: Archive,
  { part, stored }: { part: number | null; stored: ReadonlyMap<string, number> },
) {
  const { memorial } = archive
  const exportedAt = ctx.now()
  const html = readableLifeStory(memorial.lifeStory, memorial.lifeStoryVersion)
  return {
    archive,
    /** Number of this part; 1 of 1 if everything is in one file. */
    part: part ?? 1,
    partCount: part === null ? 1 : archive.plan.parts.length,
    /** Milliseconds. */
    exportedAt,
    publicLink: publicLink(ctx, memorial),
    supportEmail: ctx.env.SUPPORT_EMAIL,
    story: html === null ? null : { html, nodes: readStoryTree(html) },
    /** Path of a file in the archive, or null if storage has lost it. */
    fileOf: ({ key, name }: ArchiveFile) => (stored.has(key) ? name : null),
    /** The part that contains this file. */
    partOf: (file: ArchiveFile) => (part === null ? 1 : file.part),
    /** Starts from the first page on each call. */
    messages: () => guestbookPages(ctx, memorial, exportedAt),
  }
}

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
          /* prove: held-words-not-exported */ isShown(comments),
          isAfterCursor(comments, 'comment', cursor),
        ),
      )
      .orderBy(desc(comments.createdAt), desc(comments.id))
      .limit(EXPORT_PAGE)
    const last = rows.at(-1)?.comment
    if (!last) return
    yield rows.map(({ comment, ...author }) => ({
      id: comment.id,
      body: comment.body,
      writtenBy: authorNameOf({ comment, ...author }),
      relation: comment.visitorRelation,
      isOwner: comment.authorUserId === memorial.ownerId,
      likes: comment.likeCount,
      createdAt: new Date(comment.createdAt).toISOString(),
    }))
    if (rows.length < EXPORT_PAGE) return
    cursor = cursorAfter(last)
  }
}

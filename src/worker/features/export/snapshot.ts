import type { StoryNode } from '#shared/story.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import type { Archive, ArchiveFile } from '#worker/features/export/archive.ts'
import { guestbookPages, type ExportMessage } from '#worker/features/export/guestbook-pages.ts'
import { lifeStoryForReading, readStoryTree } from '#worker/features/memorials/life-story.ts'
import { publicLink } from '#worker/features/memorials/slug.ts'

/** What one archive tells, as it was at one moment. */
export type Snapshot = {
  archive: Archive
  /** Which part of how many; 1 of 1 where all is in one file. */
  part: number
  partCount: number
  /** Milliseconds. */
  exportedAt: number
  publicLink: string
  supportEmail: string
  story: { html: string; nodes: StoryNode[] } | null
  /** Path of a file in its archive, or null where our storage does not have it. */
  fileOf: (file: ArchiveFile) => string | null
  /** The part that a file is in. */
  partOf: (file: ArchiveFile) => number
  /** Each time from the beginning. */
  messages: () => AsyncGenerator<ExportMessage[]>
}

/** `part`: null for all in one. `stored`: bytes by key of what there is. */
export function takeSnapshot(
  ctx: Ctx,
  archive: Archive,
  { part, stored }: { part: number | null; stored: ReadonlyMap<string, number> },
): Snapshot {
  const { memorial } = archive
  const exportedAt = ctx.now()
  const html = lifeStoryForReading(memorial.lifeStory, memorial.lifeStoryVersion)
  return {
    archive,
    part: part ?? 1,
    partCount: part === null ? 1 : archive.plan.parts.length,
    exportedAt,
    publicLink: publicLink(ctx, memorial),
    supportEmail: ctx.env.SUPPORT_EMAIL,
    story: html === null ? null : { html, nodes: readStoryTree(html) },
    fileOf: ({ key, name }) => (stored.has(key) ? name : null),
    partOf: (file) => (part === null ? 1 : file.part),
    messages: () => guestbookPages(ctx, memorial, exportedAt),
  }
}

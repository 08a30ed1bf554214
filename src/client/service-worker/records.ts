import { OFFLINE_ASSETS, OFFLINE_MAX_BYTES, OFFLINE_MEMORIALS } from '#shared/limits.ts'

/** Record of a cached memorial, stored in the memorial's own cache. */
export type CachedMemorial = {
  slug: string
  /** Null until more than the public page was seen. */
  id: string | null
  name: string
  /** Path at which it was last opened. */
  path: string
  /** When it was last opened, in milliseconds. */
  openedAt: number
  /** Ids of its media, as far as a list or the page named them. */
  mediaIds: string[]
  /** Scripts, styles and fonts that its page names. */
  assets: string[]
  /** Bytes of each cached answer, by URL. */
  sizes: Record<string, number>
}

export function bytesOf({ sizes }: Pick<CachedMemorial, 'sizes'>): number {
  return Object.values(sizes).reduce((sum, size) => sum + size, 0)
}

/** Slugs of the memorials to delete: those opened longest ago, until at most ten and 30 MB remain. */
export function memorialsToDrop(cached: readonly CachedMemorial[]): string[] {
  const newestFirst = [...cached].sort((a, b) => b.openedAt - a.openedAt)
  const drop: string[] = []
  let bytes = 0
  for (const [index, memorial] of newestFirst.entries()) {
    bytes += bytesOf(memorial)
    if (index >= OFFLINE_MEMORIALS || bytes > OFFLINE_MAX_BYTES) drop.push(memorial.slug)
  }
  return drop
}

/**
 * URLs of the files to delete: those cached first, except those that a cached page names. Files of an earlier release
 * stay until there are too many, so that open pages still find theirs.
 */
export function assetsToDrop(inOrder: readonly string[], named: ReadonlySet<string>): string[] {
  const tooMany = inOrder.length - OFFLINE_ASSETS
  return tooMany <= 0 ? [] : inOrder.filter((url) => !named.has(new URL(url).pathname)).slice(0, tooMany)
}

/** The media ids in a page or a list. */
export function mediaIdsIn(text: string): string[] {
  return [...new Set(text.match(/\bmed_\w+/gu) ?? [])]
}

/** The asset paths in a page. */
export function assetsIn(html: string): string[] {
  return [...new Set(html.match(/\/assets\/[\w.-]+/gu) ?? [])]
}

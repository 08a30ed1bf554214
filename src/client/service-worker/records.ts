import { OFFLINE_ASSETS, OFFLINE_MAX_BYTES, OFFLINE_MEMORIALS } from '#shared/limits.ts'

/** What is known of a memorial that is kept; it lies in the memorial's own cache. */
export type KeptMemorial = {
  slug: string
  /** Null while only the public page was seen. */
  id: string | null
  name: string
  /** Where it was opened last. */
  path: string
  /** When, in milliseconds. */
  openedAt: number
  /** Its photographs, as far as a list or the page named them. */
  mediaIds: string[]
  /** Scripts, styles and fonts that its page names. */
  assets: string[]
  /** Bytes of each answer, by its address. */
  sizes: Record<string, number>
}

export function bytesOf({ sizes }: Pick<KeptMemorial, 'sizes'>): number {
  return Object.values(sizes).reduce((sum, size) => sum + size, 0)
}

/** Which memorials have to go: those opened longest ago, each as a whole, until there are ten and 30 MB. */
export function memorialsToDrop(kept: readonly KeptMemorial[]): string[] {
  const newestFirst = [...kept].sort((a, b) => b.openedAt - a.openedAt)
  const drop: string[] = []
  let bytes = 0
  for (const [index, memorial] of newestFirst.entries()) {
    bytes += bytesOf(memorial)
    if (index >= OFFLINE_MEMORIALS || bytes > OFFLINE_MAX_BYTES) drop.push(memorial.slug)
  }
  return drop
}

/**
 * Which files have to go: those kept first, but none that a kept page names. Files of an earlier version stay until there
 * are too many, so that a page that is open still finds its own.
 */
export function assetsToDrop(inOrder: readonly string[], named: ReadonlySet<string>): string[] {
  const tooMany = inOrder.length - OFFLINE_ASSETS
  return tooMany <= 0 ? [] : inOrder.filter((url) => !named.has(new URL(url).pathname)).slice(0, tooMany)
}

/** The photographs that a page or a list names. */
export function mediaIdsIn(text: string): string[] {
  return [...new Set(text.match(/\bmed_\w+/gu) ?? [])]
}

/** The files that a page names. */
export function assetsIn(html: string): string[] {
  return [...new Set(html.match(/\/assets\/[\w.-]+/gu) ?? [])]
}

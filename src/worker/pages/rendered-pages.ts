/** Pages cached per isolate: a few megabytes. */
const PAGES_MAX = 50
/** Maximum age: a page depends on the time (past funeral services). */
const MAX_AGE_MS = 60_000

/** Returns the page under `key` if this isolate rendered it in the last minute, else what `render` returns; null isn't kept. */
type FindOrRender<T> = <R extends T | null>(
  key: string,
  now: number,
  render: () => Promise<R>,
) => Promise<T | R>

/**
 * A cache of rendered pages, because rendering takes most CPU time (docs/decisions/0044). A key must hold everything that its page
 * shows, or one viewer gets another's page. Times in ms.
 */
export function renderedPages<T>(): FindOrRender<T> {
  const pages = new Map<string, { page: T; at: number }>()
  return async (key, now, render) => {
    const last = pages.get(key)
    if (last && now - last.at < MAX_AGE_MS) return last.page
    const page = await render()
    if (page === null) return page
    if (pages.size >= PAGES_MAX) {
      for (const [old, { at }] of pages) if (now - at >= MAX_AGE_MS) pages.delete(old)
      if (pages.size >= PAGES_MAX) pages.clear()
    }
    pages.set(key, { page, at: now })
    return page
  }
}

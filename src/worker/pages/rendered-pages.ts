/** Pages cached per isolate: a few megabytes. */
const PAGES_MAX = 50
const MAX_AGE_MS = 60_000

/** `turnsAt`: when the page says something else because time has passed, in ms since 1970; null if never. */
type Rendered = { turnsAt: number | null }
/**
 * Returns the page under `key` if this isolate rendered it in the last minute and it says the same now, else what `render` returns; null isn't
 * kept.
 */
type FindOrRender<T> = <R extends T | null>(
  key: string,
  now: number,
  render: () => Promise<R>,
) => Promise<T | R>

/**
 * A cache of rendered pages, because rendering takes most CPU time (docs/decisions/0044). A key must hold everything that its page
 * shows, or one viewer gets another's page. Times in ms.
 */
export function renderedPages<T extends Rendered>(): FindOrRender<T> {
  const pages = new Map<string, { page: T; until: number }>()
  return async (key, now, render) => {
    const last = pages.get(key)
    if (last && now < last.until) return last.page
    const page = await render()
    if (page === null) return page
    if (pages.size >= PAGES_MAX) {
      for (const [old, { until }] of pages) if (now >= until) pages.delete(old)
      if (pages.size >= PAGES_MAX) pages.clear()
    }
    pages.set(key, { page, until: Math.min(now + MAX_AGE_MS, page.turnsAt ?? Infinity) })
    return page
  }
}

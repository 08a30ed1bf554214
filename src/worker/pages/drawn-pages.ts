const PAGES_MAX = 50
/** What depends on the hour (a service that is over) is drawn anew at least this often. */
const KEPT_MS = 60_000

/** A page as it is sent, and what its headers say of it. */
export type DrawnPage = { html: string; styleHashes: string[]; etag: string; tag: string; isListed: boolean }
/** `madeOf`: what the database held, whole. `at`: when, in milliseconds. */
type Kept = { madeOf: string; at: number; page: DrawnPage }

/** The pages drawn last, by their address; the one asked for longest ago stands first. */
const kept = new Map<string, Kept>()

/**
 * The page at `address` if this isolate has drawn it within the minute from these very rows, else null; null for none as well.
 * The rows are read each time and compared whole: what was taken back is shown by no page that is kept.
 */
export function keptPage(address: string, madeOf: string | null, now: number): DrawnPage | null {
  const known = kept.get(address)
  return known !== undefined && known.madeOf === madeOf && now - known.at < KEPT_MS ? known.page : null
}

/** Keeps a page that was drawn or asked for just now. Fifty are kept: some megabytes. */
export function keepPage(address: string, made: Kept): void {
  const known = kept.get(address)
  const isSame = known?.page === made.page
  kept.delete(address)
  kept.set(address, isSame ? known : made)
  const [oldest] = kept.keys()
  if (kept.size > PAGES_MAX && oldest !== undefined) kept.delete(oldest)
}

const PAGES_MAX = 50
/** What depends on the hour (a service that is over) is drawn anew at least this often. */
const KEPT_MS = 60_000

/** A page as it is sent, and what its headers say of it. */
export type DrawnPage = { html: string; styleHashes: string[]; etag: string }

type Kept = { madeOf: string; at: number; page: DrawnPage }

/** The pages drawn last, by their address, the one asked for longest ago first. */
const kept = new Map<string, Kept>()

/**
 * The page at `address`, drawn by `draw` unless this isolate has just drawn it from the very same: what it is `madeOf` is read
 * from the database each time and compared whole, so nothing that was taken back is shown again. Drawing costs more than all
 * the rest of a page, and a page that is read much is drawn from the same data again and again.
 */
export async function drawnPage(
  { address, madeOf, now }: { address: string; madeOf: string; now: number },
  draw: () => Promise<DrawnPage>,
): Promise<DrawnPage> {
  const known = kept.get(address)
  const isSame = known !== undefined && known.madeOf === madeOf && now - known.at < KEPT_MS
  const page = isSame ? known.page : await draw()
  kept.delete(address)
  kept.set(address, isSame ? known : { madeOf, at: now, page })
  const [oldest] = kept.keys()
  if (kept.size > PAGES_MAX && oldest !== undefined) kept.delete(oldest)
  return page
}

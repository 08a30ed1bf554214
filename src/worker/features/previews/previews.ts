import type { Ctx } from '#worker/ctx.ts'
import { NEUTRAL_CARD_PATH } from '#worker/features/previews/card-address.ts'
import { neutralCard, serveCard } from '#worker/features/previews/cards.ts'
import { findSitemap } from '#worker/features/previews/sitemap.ts'

const CARD_PATH = /^\/m\/([a-z0-9-]+)\/card\.jpg$/u
/** It changes with a deployment, if ever. */
const NEUTRAL_CACHE = 'public, max-age=86400'

/** What is not a page and says to other programs what our pages are: cards of links, and sitemaps. Null at any other path. */
export async function findPreview(ctx: Ctx, { pathname }: URL): Promise<Response | null> {
  const slug = CARD_PATH.exec(pathname)?.[1]
  if (slug !== undefined) return serveCard(ctx, slug)
  if (pathname === NEUTRAL_CARD_PATH) return neutralCard({ browser: NEUTRAL_CACHE, edge: NEUTRAL_CACHE })
  return findSitemap(ctx, pathname)
}

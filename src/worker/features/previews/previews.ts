import type { Ctx } from '#worker/platform/ctx.ts'
import { NEUTRAL_CARD_PATH } from '#worker/features/previews/card-address.ts'
import { neutralCard, serveCard } from '#worker/features/previews/cards.ts'
import { serveCode } from '#worker/features/previews/code.ts'
import { findSitemap } from '#worker/features/previews/sitemap.ts'

const CARD_PATH = /^\/m\/([a-z0-9-]+)\/card\.jpg$/u
/** No slug is longer: 60 letters of a name, and what makes it the only one. */
const CODE_PATH = /^\/m\/([a-z0-9-]{1,80})\/code\.svg$/u
/** It changes with a deployment, if ever. */
const NEUTRAL_CACHE = 'public, max-age=86400'

/** What is not a page and says to other programs what our pages are: cards of links, codes, and sitemaps. Null at any other path. */
export async function findPreview(ctx: Ctx, { pathname }: URL): Promise<Response | null> {
  const slug = CARD_PATH.exec(pathname)?.[1]
  if (slug !== undefined) return serveCard(ctx, slug)
  const coded = CODE_PATH.exec(pathname)?.[1]
  if (coded !== undefined) return serveCode(ctx, coded)
  if (pathname === NEUTRAL_CARD_PATH) return neutralCard({ browser: NEUTRAL_CACHE, edge: NEUTRAL_CACHE })
  return findSitemap(ctx, pathname)
}

import type { Ctx } from '#worker/platform/ctx.ts'
import { NEUTRAL_CARD_PATH } from '#worker/features/previews/page-head.ts'
import { neutralCard, serveCard } from '#worker/features/previews/cards.ts'
import { findSitemap } from '#worker/features/previews/sitemap.ts'
import { qrSvg } from '#worker/features/location/location.ts'
import { publicLink } from '#worker/features/memorials/slug.ts'

const CARD_PATH = /^\/m\/([a-z0-9-]+)\/card\.jpg$/u
/** The maximum length of a slug: 60 characters of the name and the random suffix, with room to spare. */
const CODE_PATH = /^\/m\/([a-z0-9-]{1,80})\/code\.svg$/u
/** For responses that never change, or only with a deployment. */
const CACHE = 'public, max-age=86400'

/** Serves link cards, QR codes and sitemaps. Returns null for any other path. */
export async function findPreview(ctx: Ctx, { pathname }: URL): Promise<Response | null> {
  const slug = CARD_PATH.exec(pathname)?.[1]
  if (slug !== undefined) return serveCard(ctx, slug)
  const coded = CODE_PATH.exec(pathname)?.[1]
  if (coded !== undefined) return serveCode(ctx, coded)
  if (pathname === NEUTRAL_CARD_PATH) return neutralCard({ browser: CACHE, edge: CACHE })
  return findSitemap(ctx, pathname)
}

/** The QR code of a memorial's URL. For any valid slug, so that it doesn't reveal which memorials exist. */
function serveCode(ctx: Ctx, slug: string): Response {
  const headers = {
    'Content-Type': 'image/svg+xml',
    'Cache-Control': CACHE,
    'Cloudflare-CDN-Cache-Control': CACHE,
  }
  return new Response(qrSvg(publicLink(ctx, { slug })).svg, { headers })
}

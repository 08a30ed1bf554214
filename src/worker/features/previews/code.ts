import type { Ctx } from '#worker/platform/ctx.ts'
import { qrSvg } from '#worker/features/location/qr-code.ts'
import { publicLink } from '#worker/features/memorials/slug.ts'

/** The response never changes. */
const CACHE = 'public, max-age=86400'

/**
 * Serves the QR code of a memorial's URL, for the last page of a printed memorial. Serves one for any valid slug, so
 * that it doesn't reveal which memorials exist.
 */
export function serveCode(ctx: Ctx, slug: string): Response {
  const headers = {
    'Content-Type': 'image/svg+xml',
    'Cache-Control': CACHE,
    'Cloudflare-CDN-Cache-Control': CACHE,
  }
  return new Response(qrSvg(publicLink(ctx, { slug })).svg, { headers })
}

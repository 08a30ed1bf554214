import type { Ctx } from '#worker/platform/ctx.ts'
import { qrSvg } from '#worker/features/location/qr-code.ts'
import { publicLink } from '#worker/features/memorials/slug.ts'

/** It never changes. */
const CACHE = 'public, max-age=86400'

/**
 * The QR code of a memorial's address, for the last page of a printed memorial: of any address of this form, so that it does
 * not tell which memorials there are.
 */
export function serveCode(ctx: Ctx, slug: string): Response {
  const headers = {
    'Content-Type': 'image/svg+xml',
    'Cache-Control': CACHE,
    'Cloudflare-CDN-Cache-Control': CACHE,
  }
  return new Response(qrSvg(publicLink(ctx, { slug })).svg, { headers })
}

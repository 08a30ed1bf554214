import { AppError } from '#shared/errors.ts'
import {
  COORDINATE_DECIMALS,
  MAP_IMAGE,
  MAP_IMAGE_MAX_BYTES,
  MAP_IMAGE_TIMEOUT_MS,
  MAP_ZOOM,
} from '#shared/limits.ts'
import type { MemorialLocation } from '#shared/memorials/location.ts'
import { messages } from '#shared/messages.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { isKnown } from '#worker/features/media/serve-media.ts'
import { readBytes } from '#worker/http/json-body.ts'
import { sandboxProblem } from '#worker/platform/providers/provider-origins.ts'
import { hashToken } from '#worker/platform/random.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** Raster images only; an SVG is a document and may contain script. */
const TYPES = ['image/png', 'image/jpeg', 'image/webp']

/**
 * Fetches a map image of the burial place from the operator's provider. The browser revalidates each time and gets a 304
 * without a provider call when nothing changed. Throws `not_found` without a location, `not_available` without a provider,
 * `upstream_failed` when the provider is unreachable, slow, or sends something else than an image.
 */
export async function mapImage(
  ctx: Pick<RequestCtx, 'env' | 'request'>,
  location: MemorialLocation | null,
  timeoutMs = MAP_IMAGE_TIMEOUT_MS,
): Promise<Response> {
  if (!location) throw new AppError('not_found', messages.location.notFound)
  const template = ctx.env.MAP_IMAGE_URL
  if (!template) throw new AppError('not_available', serverMessages.location.mapNotAvailable)
  const problem = sandboxProblem(ctx.env, 'maps')
  if (problem)
    throw new AppError('not_available', serverMessages.location.mapNotAvailable, {
      cause: new Error(problem),
    })
  const url = mapUrl(template, location)
  const headers = {
    // The response depends on who asks and on where the owner last placed the grave.
    'Cache-Control': 'private, no-cache',
    ETag: `"${hashToken(url).slice(0, 32)}"`,
  }
  if (isKnown(ctx.request.headers.get('If-None-Match'), headers.ETag))
    return new Response(null, { status: 304, headers })
  const { bytes, type } = await fetchImage(url, timeoutMs)
  return new Response(bytes, { headers: { ...headers, 'Content-Type': type } })
}

function mapUrl(template: string, { latitude, longitude }: MemorialLocation): string {
  const values: Record<string, string> = {
    latitude: latitude.toFixed(COORDINATE_DECIMALS),
    longitude: longitude.toFixed(COORDINATE_DECIMALS),
    zoom: String(MAP_ZOOM),
    width: String(MAP_IMAGE.width),
    height: String(MAP_IMAGE.height),
  }
  return template.replaceAll(/\{(\w+)\}/gu, (whole, name: string) => values[name] ?? whole)
}

/** Reads the whole image before answering, because the browser would cache a truncated one. */
async function fetchImage(url: string, timeoutMs: number): Promise<{ bytes: Uint8Array; type: string }> {
  try {
    const answer = await fetch(url, {
      headers: { Accept: TYPES.join(', ') },
      signal: AbortSignal.timeout(timeoutMs),
    })
    const type = (answer.headers.get('Content-Type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
    if (!answer.ok || !TYPES.includes(type)) {
      await answer.body?.cancel()
      throw new Error(`The map provider answered ${answer.status} ${type}`)
    }
    return { bytes: await readBytes(answer, MAP_IMAGE_MAX_BYTES), type }
  } catch (error) {
    // The error message may contain the URL, and with it the provider's key.
    const text = error instanceof Error ? error.message.replaceAll(url, 'the map provider') : 'not an Error'
    throw new AppError('upstream_failed', serverMessages.location.mapNotAvailable, { cause: new Error(text) })
  }
}

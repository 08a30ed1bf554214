import { AppError } from '#shared/errors.ts'
import {
  COORDINATE_DECIMALS,
  MAP_IMAGE,
  MAP_IMAGE_MAX_BYTES,
  MAP_IMAGE_TIMEOUT_MS,
  MAP_ZOOM,
} from '#shared/limits.ts'
import type { MemorialLocation } from '#shared/location.ts'
import { messages } from '#shared/messages.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { isKnown } from '#worker/features/media/range.ts'
import { readBytes } from '#worker/http/json-body.ts'
import { sandboxProblem } from '#worker/platform/provider-origins.ts'
import { hashToken } from '#worker/platform/random.ts'

/** Pictures only; an SVG is a document and may hold script. */
const TYPES = ['image/png', 'image/jpeg', 'image/webp']

/**
 * The map around a burial place as an image answer, fetched from the operator's provider. The browser asks again each time
 * and is told when nothing has changed, without a call to the provider. Throws `not_found` where there is no place to
 * show, `not_available` without a provider, `upstream_failed` when it is away, slow, or sends anything but a picture.
 */
export async function mapImage(
  ctx: Pick<RequestCtx, 'env' | 'request'>,
  location: MemorialLocation | null,
  timeoutMs = MAP_IMAGE_TIMEOUT_MS,
): Promise<Response> {
  if (!location) throw new AppError('not_found', messages.location.notFound)
  const template = ctx.env.MAP_IMAGE_URL
  if (!template) throw new AppError('not_available', messages.location.mapNotAvailable)
  const problem = sandboxProblem(ctx.env, 'maps')
  if (problem)
    throw new AppError('not_available', messages.location.mapNotAvailable, { cause: new Error(problem) })
  const url = mapUrl(template, location)
  const headers = {
    // What is shown depends on who asks, and on where the owner has put the place since.
    'Cache-Control': 'private, no-cache',
    ETag: `"${hashToken(url).slice(0, 32)}"`,
  }
  if (isKnown(ctx.request.headers.get('If-None-Match'), headers.ETag))
    return new Response(null, { status: 304, headers })
  const { bytes, type } = await fetchPicture(url, timeoutMs)
  return new Response(bytes, { headers: { ...headers, 'Content-Type': type } })
}

/** The provider's address for this place. */
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

/** Whole or not at all: a picture that breaks off would be kept by the browser. */
async function fetchPicture(url: string, timeoutMs: number): Promise<{ bytes: Uint8Array; type: string }> {
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
    // Its own words may hold the address, and with it the provider's key.
    const text = error instanceof Error ? error.message.replaceAll(url, 'the map provider') : 'not an Error'
    throw new AppError('upstream_failed', messages.location.mapNotAvailable, { cause: new Error(text) })
  }
}

import { api } from '#shared/api.ts'
import { POSTER_SENT_BYTES, POSTER_QUALITIES, POSTER_SIDE_PX } from '#shared/limits.ts'
import type { Media } from '#shared/media/media.ts'
import { pathOf } from '../call.ts'
import { isCanvasUnaltered, encodeWithin } from './canvas-blob.ts'

/** Give up on a video that shows no frame for this long. */
const STEP_TIMEOUT_MS = 10_000
const SAMPLE_PX = 32
/** Mean brightness, 0 to 255, below which a frame counts as black: videos fade in. */
const BLACK_BELOW = 20
const RETRY_AFTER_MS = [2000, 10_000, 30_000]

/** Makes and uploads the poster of a sent video. Returns the media item, or null: it also plays without a poster. */
export async function sendPoster(mediaId: string, video: File): Promise<Media | null> {
  const poster = await takePoster(video)
  if (!poster) return null
  for (const wait of [0, ...RETRY_AFTER_MS]) {
    await new Promise((resolve) => {
      setTimeout(resolve, wait)
    })
    const answer = await put(mediaId, poster)
    if (answer !== 'again') return answer
  }
  return null
}

async function put(mediaId: string, poster: Blob): Promise<Media | 'again' | null> {
  try {
    const response = await fetch(pathOf(api.uploadPoster, { params: { id: mediaId } }), {
      method: 'PUT',
      credentials: 'include',
      headers: { Accept: 'application/json', 'Content-Type': poster.type },
      body: poster,
    })
    if (response.ok) return (await response.json()) as Media
    return response.status >= 500 || response.status === 429 ? 'again' : null
  } catch {
    return 'again'
  }
}

/** The poster frame of a video: WebP or JPEG of at most 1280 pixels and 150 kB; null if the video can't be played. */
async function takePoster(file: Blob): Promise<Blob | null> {
  if (!isCanvasUnaltered()) return null
  const video = document.createElement('video')
  const address = URL.createObjectURL(file)
  try {
    video.muted = true
    video.playsInline = true
    video.preload = 'auto'
    const hasLoaded = waitForEvent(video, 'loadeddata')
    video.src = address
    if (!(await hasLoaded) || video.videoWidth === 0) return null
    const frame = await brightFrame(video)
    return frame && (await encodePoster(frame))
  } finally {
    video.removeAttribute('src')
    video.load()
    URL.revokeObjectURL(address)
  }
}

/** Candidate times for the poster in seconds: near the start, and later ones in case that is black. */
export function posterTimes(durationSec: number): number[] {
  const length = Number.isFinite(durationSec) ? durationSec : 0
  return [Math.min(1, length / 2), length * 0.1, length * 0.25, length * 0.5].filter(
    (moment, index, all) => index === 0 || moment > (all[0] ?? 0),
  )
}

async function brightFrame(video: HTMLVideoElement): Promise<HTMLCanvasElement | null> {
  let best: { canvas: HTMLCanvasElement; light: number } | null = null
  for (const moment of posterTimes(video.duration)) {
    const hasSeeked = waitForEvent(video, 'seeked')
    video.currentTime = moment
    if (!(await hasSeeked)) break
    const canvas = drawScaled(video, video.videoWidth, video.videoHeight, POSTER_SIDE_PX)
    const light = canvas ? brightness(canvas) : 0
    if (canvas && light > (best?.light ?? -1)) best = { canvas, light }
    if (light > BLACK_BELOW) break
  }
  return best?.canvas ?? null
}

function drawScaled(
  source: CanvasImageSource,
  width: number,
  height: number,
  side: number,
): HTMLCanvasElement | null {
  const part = Math.min(1, side / Math.max(width, height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(width * part))
  canvas.height = Math.max(1, Math.round(height * part))
  const context = canvas.getContext('2d')
  context?.drawImage(source, 0, 0, canvas.width, canvas.height)
  return context ? canvas : null
}

function brightness(canvas: HTMLCanvasElement): number {
  const sample = drawScaled(canvas, canvas.width, canvas.height, SAMPLE_PX)
  const pixels = sample?.getContext('2d')?.getImageData(0, 0, sample.width, sample.height).data ?? []
  let sum = 0
  for (let at = 0; at + 2 < pixels.length; at += 4) {
    sum += ((pixels[at] ?? 0) + (pixels[at + 1] ?? 0) + (pixels[at + 2] ?? 0)) / 3
  }
  return pixels.length === 0 ? 0 : sum / (pixels.length / 4)
}

/** Null if even the lowest quality is too large. */
async function encodePoster(canvas: HTMLCanvasElement): Promise<Blob | null> {
  const blob = await encodeWithin(canvas, POSTER_QUALITIES, POSTER_SENT_BYTES)
  return blob && blob.size <= POSTER_SENT_BYTES ? blob : null
}

/** False if the element fails or times out. */
function waitForEvent(video: HTMLVideoElement, name: 'loadeddata' | 'seeked'): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), STEP_TIMEOUT_MS)
    const settle = (hasHappened: boolean) => {
      clearTimeout(timer)
      resolve(hasHappened)
    }
    video.addEventListener(name, () => settle(true), { once: true })
    video.addEventListener('error', () => settle(false), { once: true })
  })
}

import { api } from '#shared/api.ts'
import type { Media } from '#shared/media.ts'
import { pathOf } from './call.ts'
import { takePoster } from './video-poster.ts'

const RETRY_AFTER_MS = [2000, 10_000, 30_000]

/**
 * Takes a picture out of a film that has arrived and gives it to the memorial. Answers the medium as it is then; null where
 * there is no picture, or it did not get through: the film plays without.
 */
export async function sendPoster(mediaId: string, film: File): Promise<Media | null> {
  const poster = await takePoster(film)
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

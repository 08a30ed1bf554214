import { setTimeout as wait } from 'node:timers/promises'
import type { D1Database } from '@cloudflare/workers-types'
import type { Page } from '@playwright/test'
import type { MediaUploaded } from '../../../src/shared/media/media.ts'
import { JOSIAH, JOSIAH_MESSAGES, TENDAI, TENDAI_MESSAGES } from '../../operate/demo/texts.ts'
import type { ProductClient } from '../../operate/local/product-client.ts'
import type { Stack } from '../../operate/local/stack.ts'
import { openToInvited, relativeOf } from '../../operate/seed.ts'
import { cameraPhoto } from './camera-photo.ts'

const PHOTOS = 30
const MESSAGES = 100
const STORY_WORDS = 1200
const PARAGRAPH_WORDS = 80
const MESSAGE_WORDS = 25
/** The portrait, and the photo whose row is copied: what a page loads is counted by address, not by content. */
const SEEDS = [7, 11]
/** About 3 MB. */
const QUALITY = 0.82
/** The widths that a phone requests. */
const PHOTO_WIDTHS = [320]
const PORTRAIT_WIDTHS = [480, 640]
const VARIANTS_TIMEOUT_MS = 300_000

type Place = Pick<Stack, 'db' | 'miniflare'>

export type Invitation = { inviteLink: string; token: string }

/**
 * Fills a memorial as a family does in its first weeks: 30 photos of 3 MB like a camera's, 1,200 words and 100 messages. Leaves
 * it invite-only, and waits until the server has made the variants. `page` renders the photos.
 */
export async function fillWithPhotos(
  place: Place,
  owner: ProductClient,
  id: string,
  page: Page,
): Promise<Invitation> {
  // The same for every memorial.
  const words = wordsOf(1)
  const paragraphs = Array.from(
    { length: STORY_WORDS / PARAGRAPH_WORDS },
    () => `<p>${words(PARAGRAPH_WORDS)}</p>`,
  )
  await owner.call('PATCH', `/api/memorials/${id}`, { lifeStory: paragraphs.join('\n') })
  for (const [index, seed] of SEEDS.entries()) {
    const photo = new Blob([await cameraPhoto(page, { seed, quality: QUALITY })], { type: 'image/jpeg' })
    const path = index === 0 ? 'profile-image' : 'media/upload'
    await owner.uploadBlob<MediaUploaded>(`/api/memorials/${id}/${path}`, photo, 'photo.jpg', {
      type: 'IMAGE',
    })
  }
  const { inviteLink, token } = await openToInvited(owner, id)
  const { relative } = await relativeOf(owner.url, token, 'Farai Chikomo')
  await relative.call('POST', `/api/memorials/${id}/comments`, { body: words(MESSAGE_WORDS) })
  await waitForVariants(place, id)
  await copyRows(place.db, id, () => words(MESSAGE_WORDS))
  return { inviteLink, token }
}

/** Returns that many words of the demo's texts in a random order, so that they compress about as well as other texts. */
function wordsOf(seed: number): (count: number) => string {
  const texts = [
    TENDAI.lifeStory,
    JOSIAH.lifeStory,
    ...[...TENDAI_MESSAGES, ...JOSIAH_MESSAGES].map(([, body]) => body),
  ]
  const all = texts
    .join(' ')
    .replaceAll(/<[^>]+>/gu, ' ')
    .split(/\s+/u)
    .filter(Boolean)
  let at = seed
  const next = () => {
    at = (at * 48271) % 2147483647
    return all[at % all.length] ?? ''
  }
  return (count) => Array.from({ length: count }, next).join(' ')
}

/** Until the queue has made the AVIF that a phone requests, visitors get the larger WebP. Throws an Error if that takes too long. */
async function waitForVariants({ db, miniflare }: Place, memorialId: string): Promise<void> {
  const { results } = await db
    .prepare(
      `SELECT object_key AS objectKey, media.id = profile_media_id AS isPortrait
       FROM media JOIN memorials ON memorials.id = memorial_id WHERE memorial_id = ?`,
    )
    .bind(memorialId)
    .all<{ objectKey: string; isPortrait: number }>()
  const bucket = await miniflare.getR2Bucket('MEDIA')
  const signal = AbortSignal.timeout(VARIANTS_TIMEOUT_MS)
  for (const { objectKey, isPortrait } of results)
    for (const width of isPortrait ? PORTRAIT_WIDTHS : PHOTO_WIDTHS)
      while (!(await bucket.head(`${objectKey}/w${width}.avif`))) await wait(500, undefined, { signal })
}

async function copyRows(db: D1Database, memorialId: string, body: () => string): Promise<void> {
  const numbers = 'WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)'
  await db.batch([
    db
      .prepare(
        `${numbers} INSERT INTO media (id, memorial_id, type, mime_type, size, width, height, original_file_name, placeholder,
           object_key, has_thumbnail, created_at)
         SELECT id || n, memorial_id, type, mime_type, size, width, height, original_file_name, placeholder,
           object_key, has_thumbnail, created_at - n * 1000000
         FROM media, numbers WHERE memorial_id = ?1
           AND id <> (SELECT profile_media_id FROM memorials WHERE id = ?1) ORDER BY n, id LIMIT ?2`,
      )
      // Less the portrait and those that were uploaded.
      .bind(memorialId, PHOTOS - SEEDS.length),
    ...Array.from({ length: MESSAGES - 1 }, (_, at) =>
      db
        .prepare(
          `INSERT INTO comments (id, memorial_id, body, author_contributor_id, created_at)
           SELECT id || ?2, memorial_id, ?3, author_contributor_id, created_at - ?2 * 100000
           FROM comments WHERE memorial_id = ?1 ORDER BY created_at DESC LIMIT 1`,
        )
        .bind(memorialId, at + 1, body()),
    ),
  ])
}

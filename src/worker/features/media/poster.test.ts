import { env } from 'cloudflare:test'
import { Buffer } from 'node:buffer'
import { parse } from 'exifr'
import { expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS, POSTER_MAX_BYTES, RATE_LIMITS } from '#shared/limits.ts'
import type { Media, MediaPage, MediaUploaded } from '#shared/media/media.ts'
import { messages } from '#shared/messages.ts'
import { readImageSize } from '#worker/media-formats/image-header.ts'
import { drainObjectDeletions } from '#worker/features/media/media.jobs.ts'
import { fixture } from '../../../../test/worker/fixtures.ts'
import { contributorOf, memorialOf, testCtx, type Client } from '../../../../test/worker/harness.ts'
import {
  upload,
  objectsOf,
  exhaustRateLimit,
  SOUND,
  sendFixture,
  uploadFixture,
} from '../../../../test/worker/uploads.ts'
import { inTurn } from '../../../../test/worker/repeat.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

async function videoOf(privacy: 'PRIVATE' | 'INVITE' = 'INVITE') {
  const made = await memorialOf({ privacy })
  const { body } = await uploadFixture(made.owner, made.memorial.id, 'video-2s.mp4')
  return { ...made, video: body.media, path: `/media/stream/${body.id}` }
}

async function putPoster(client: Client, id: string, body: Uint8Array<ArrayBuffer>) {
  const response = await client.fetch(`/api/media/${id}/poster`, { method: 'PUT', body })
  return { status: response.status, body: await response.json<Media & { message?: string }>() }
}

const placeholder = expect.stringMatching(/^data:image\/webp;base64,[A-Za-z0-9+/=]{40,400}$/u)

test('a video shows its poster in every size, and a new poster replaces it', async () => {
  const { owner, memorial, video, path } = await videoOf()
  expect([video.thumbnailPath, video.placeholder]).toEqual([null, null])
  for (const query of ['?thumbnail=1', '?w=640']) expect((await owner.fetch(path + query)).status).toBe(404)
  const first = await putPoster(owner, video.id, await fixture('photo-gps.jpg'))
  const expected = { ...video, thumbnailPath: `${path}?thumbnail=1`, placeholder }
  expect([first.status, first.body]).toEqual([200, expected])
  const listed = (await owner.get<MediaPage>(`/api/memorials/${memorial.id}/media`)).body.media
  expect(listed).toEqual([first.body])
  const tags = async () => {
    const found: (string | null)[] = []
    for (const query of ['?thumbnail=1', '?w=640', '?w=1280', '?w=1920']) {
      const answer = await owner.fetch(path + query)
      expect([query, answer.status, answer.headers.get('Content-Type')]).toEqual([query, 200, 'image/webp'])
      await answer.arrayBuffer()
      found.push(answer.headers.get('ETag'))
    }
    return found
  }
  const before = await tags()
  const second = await putPoster(owner, video.id, await fixture('photo.png'))
  expect([second.status, second.body]).toEqual([200, expected])
  const after = await tags()
  expect(after.filter((tag) => before.includes(tag))).toEqual([])
  await drainObjectDeletions(testCtx(() => Date.now() + 2 * MINUTE_MS))
  expect(await objectsOf(memorial.id)).toHaveLength(1 + 2)
  const response = await owner.fetch(path)
  expect([response.headers.get('Content-Type'), (await response.arrayBuffer()).byteLength]).toEqual([
    'video/mp4',
    video.size,
  ])
})

test('a contributor can set a poster only for their own videos, and only while INVITE', async () => {
  const { owner, memorial, video } = await videoOf()
  const relative = await contributorOf(owner, memorial.id)
  const own = await sendFixture(relative, memorial.id, 'video-2s.webm')
  const poster = await fixture('photo.webp')
  expect((await putPoster(relative, own, poster)).status).toBe(200)
  expect((await putPoster(relative, video.id, poster)).status).toBe(403)
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
  expect((await putPoster(relative, own, poster)).status).toBe(409)
})

test('an invalid, damaged or too large poster is refused and leaves nothing behind', async () => {
  const { owner, memorial, video } = await videoOf()
  const sound = (await upload<MediaUploaded>(owner, memorial.id, SOUND)).body.id
  const before = await objectsOf(memorial.id)
  const large = new Uint8Array(POSTER_MAX_BYTES + 1)
  large.set(await fixture('photo.png'))
  const answers = [
    await putPoster(owner, video.id, await fixture('svg-disguised.jpg')),
    await putPoster(owner, video.id, await fixture('video-2s.mp4')),
    await putPoster(owner, video.id, (await fixture('photo.png')).slice(0, 40)),
    await putPoster(owner, video.id, await fixture('pixel-bomb.png')),
    await putPoster(owner, video.id, new Uint8Array()),
    await putPoster(owner, video.id, large),
    await putPoster(owner, sound, await fixture('photo.png')),
  ]
  expect(answers.map(({ status, body }) => [status, body.message])).toEqual([
    [415, messages.media.imageType],
    [415, messages.media.imageType],
    [400, messages.media.damaged],
    [400, serverMessages.media.tooManyPixels],
    [400, messages.media.empty],
    [413, messages.system.tooLarge],
    [400, serverMessages.media.posterOfVideoOnly],
  ])
  expect(await objectsOf(memorial.id)).toEqual(before)
  const listed = (await owner.get<MediaPage>(`/api/memorials/${memorial.id}/media`)).body.media
  expect(listed.map(({ thumbnailPath }) => thumbnailPath)).toEqual([null, null])
})

test('a video accepts ten posters an hour', async () => {
  const { owner, video } = await videoOf('PRIVATE')
  const statuses = await inTurn(11, async () => (await putPoster(owner, video.id, new Uint8Array())).status)
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 429])
})

test('a poster counts toward the upload limit of its sender', async () => {
  const { owner, memorial } = await videoOf()
  const relative = await contributorOf(owner, memorial.id)
  const own = await sendFixture(relative, memorial.id, 'video-2s.webm')
  await exhaustRateLimit('uploads', relative.session.contributorId, RATE_LIMITS.uploads.limit - 2)
  const poster = await fixture('photo.webp')
  expect([await putPoster(relative, own, poster), await putPoster(relative, own, poster)]).toMatchObject([
    { status: 200 },
    { status: 429 },
  ])
})

test('a partly written poster is deleted after an hour; the current poster stays', async () => {
  const { owner, memorial, video } = await videoOf()
  await putPoster(owner, video.id, await fixture('photo.png'))
  const stored = await objectsOf(memorial.id)
  const left = `m/${memorial.id}/${video.id}/file_${'a'.repeat(20)}`
  await env.DB.prepare('INSERT INTO object_deletions (prefix, created_at) VALUES (?, ?)')
    .bind(left, Date.now() + HOUR_MS)
    .run()
  await env.MEDIA.put(`${left}/w1920.webp`, 'x')
  await drainObjectDeletions(testCtx(() => Date.now() + 2 * MINUTE_MS))
  expect(await objectsOf(memorial.id)).toHaveLength(stored.length + 1)
  await drainObjectDeletions(testCtx(() => Date.now() + HOUR_MS + 2 * MINUTE_MS))
  expect(await objectsOf(memorial.id)).toEqual(stored)
})

test('a served poster has no location or camera data and is upright', async () => {
  const { owner, video, path } = await videoOf('PRIVATE')
  await putPoster(owner, video.id, await fixture('photo-gps.jpg'))
  for (const query of ['?thumbnail=1', '?w=1920']) {
    const served = Buffer.from(await (await owner.fetch(path + query)).arrayBuffer())
    expect([await parse(served).catch(() => undefined), served.includes('Exif')]).toEqual([undefined, false])
  }
  await putPoster(owner, video.id, await fixture('photo-rotated-6.jpg'))
  const upright = new Uint8Array(await (await owner.fetch(`${path}?w=1920`)).arrayBuffer())
  expect(readImageSize(upright)).toEqual({ width: 480, height: 640 })
})

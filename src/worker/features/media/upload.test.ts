import { env } from 'cloudflare:test'
import { gps, parse } from 'exifr'
import { expect, test } from 'vitest'
import type { MediaPage, MediaUploaded } from '#shared/media/media.ts'
import { messages } from '#shared/messages.ts'
import { media } from '#worker/schema/media.table.ts'
import { fixture } from '../../../../test/worker/fixtures.ts'
import { memorialOf } from '../../../../test/worker/harness.ts'
import { columnOf } from '../../../../test/worker/pixels.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import {
  mediaRowsOf,
  objectsOf,
  quotaItemsOf,
  sendPortrait,
  upload,
  uploadFixture,
  storedMedia,
  NO_MEDIA,
} from '../../../../test/worker/uploads.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

const PLACEHOLDER = /^data:image\/webp;base64,([A-Za-z0-9+/=]{40,400})$/u

test.for([
  ['photo-gps.jpg', 'IMAGE', 'image/jpeg', 640, 480],
  ['photo-rotated-6.jpg', 'IMAGE', 'image/jpeg', 480, 640],
  ['photo.png', 'IMAGE', 'image/png', 320, 240],
  ['photo.webp', 'IMAGE', 'image/webp', 640, 480],
  ['polyglot.jpg', 'IMAGE', 'image/jpeg', 160, 120],
  ['video-2s.mp4', 'VIDEO', 'video/mp4', 320, 240],
  ['video-2s.mov', 'VIDEO', 'video/quicktime', 320, 240],
  ['video-2s.webm', 'VIDEO', 'video/webm', 320, 240],
  ['video-2s.avi', 'VIDEO', 'video/x-msvideo', 320, 240],
  ['audio-2s.mp3', 'AUDIO', 'audio/mpeg', null, null],
  ['audio-2s.m4a', 'AUDIO', 'audio/mp4', null, null],
  ['audio-2s.aac', 'AUDIO', 'audio/aac', null, null],
  ['audio-2s.wav', 'AUDIO', 'audio/wav', null, null],
  ['voice-note-2s.ogg', 'AUDIO', 'audio/ogg', null, null],
] as const)('%s is accepted as %s', async ([name, type, mimeType, width, height]) => {
  const { owner, memorial } = await memorialOf()
  const bytes = await fixture(name)
  const { status, body } = await upload<MediaUploaded>(owner, memorial.id, { bytes, name, type })
  expect(body).toEqual({
    id: expect.stringMatching(/^med_/u),
    media: {
      id: body.id,
      type,
      mimeType,
      size: bytes.byteLength,
      width,
      height,
      durationSec: type === 'IMAGE' ? null : expect.closeTo(2, 0),
      originalFileName: name,
      caption: null,
      alt: null,
      thumbnailPath: type === 'IMAGE' ? `/media/stream/${body.id}?thumbnail=1` : null,
      placeholder: type === 'IMAGE' ? expect.stringMatching(PLACEHOLDER) : null,
      contributorName: null,
      createdAt: expect.any(String),
      canDelete: true,
    },
  })
  expect(status).toBe(201)
})

test('the placeholder of a photo is a decodable image of a few hundred bytes', async () => {
  const { owner, memorial } = await memorialOf()
  const { placeholder } = (await uploadFixture(owner, memorial.id, 'photo-rotated-6.jpg')).body.media
  const tiny = Uint8Array.from(atob(PLACEHOLDER.exec(placeholder ?? '')?.[1] ?? ''), (char) =>
    char.charCodeAt(0),
  )
  expect(await env.IMAGES.info(new Blob([tiny]).stream())).toMatchObject({
    format: 'image/webp',
    width: 16,
    height: 21,
  })
})

test('a placeholder is stored as base64, and an older data URI is read as it is', async () => {
  const { owner, memorial } = await memorialOf()
  const { id, placeholder } = (await uploadFixture(owner, memorial.id, 'photo.png')).body.media
  const [row] = await rowsOf(media, { id })
  expect(`data:image/webp;base64,${row?.placeholder}`).toBe(placeholder)
  await changeRows(media, { id }, { placeholder })
  const { body } = await owner.get<MediaPage>(`/api/memorials/${memorial.id}/media`)
  expect(body.media).toMatchObject([{ id, placeholder }])
})

test.for([
  ['photo-truncated.jpg', 'IMAGE', 400, messages.media.damaged],
  ['pixel-bomb.png', 'IMAGE', 400, serverMessages.media.tooManyPixels],
  ['svg-disguised.jpg', 'IMAGE', 415, messages.media.imageType],
  ['html-disguised.png', 'IMAGE', 415, messages.media.imageType],
  ['programme.pdf', 'IMAGE', 415, messages.media.imageType],
  ['not-a-pdf.pdf', 'AUDIO', 415, messages.media.audioType],
  ['video-2s.mp4', 'IMAGE', 415, messages.media.imageType],
  ['video-2s.mp4', 'AUDIO', 415, messages.media.audioType],
  ['audio-2s.m4a', 'VIDEO', 415, messages.media.videoType],
  ['audio-2s.mp3', 'VIDEO', 415, messages.media.videoType],
  ['photo.png', 'VIDEO', 415, messages.media.videoType],
] as const)(
  '%s declared as %s is refused with %i and leaves nothing behind',
  async ([name, type, code, message]) => {
    const { owner, memorial } = await memorialOf()
    for (const typeFirst of [true, false]) {
      const answer = await uploadFixture(owner, memorial.id, name, { type, typeFirst })
      expect([answer.status, answer.body.message]).toEqual([code, message])
    }
    expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
  },
)

/** Chunks of a WebP file with pixels and colours, unlike EXIF and XMP. https://developers.google.com/speed/webp/docs/riff_container */
const PICTURE_CHUNKS = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ICCP'])

function chunksOf(webp: Uint8Array<ArrayBuffer>): string[] {
  const view = new DataView(webp.buffer)
  const chunks: string[] = []
  for (let at = 12; at + 8 <= webp.byteLength;) {
    chunks.push(String.fromCharCode(...webp.subarray(at, at + 4)))
    at += 8 + view.getUint32(at + 4, true) + (view.getUint32(at + 4, true) % 2)
  }
  return chunks
}

test('a served photo has no location, camera or owner data and is upright', async () => {
  const { owner, memorial } = await memorialOf()
  const bytes = await fixture('photo-gps.jpg')
  expect(await gps(bytes)).toEqual({
    latitude: expect.closeTo(-17.8, 1),
    longitude: expect.closeTo(31, 0),
  })
  expect(await parse(bytes)).toEqual(expect.objectContaining({ Make: 'Nhaka Test Camera' }))
  const photo = await uploadFixture(owner, memorial.id, 'photo-gps.jpg')
  for (const query of ['', '?thumbnail=1', '?w=320', '?w=640', '?w=1280', '?w=1920']) {
    const response = await owner.fetch(`/media/stream/${photo.body.id}${query}`)
    expect([query, response.status, response.headers.get('Content-Type')]).toEqual([query, 200, 'image/webp'])
    const served = new Uint8Array(await response.arrayBuffer())
    const text = new TextDecoder('latin1').decode(served)
    expect(text.match(/Exif|EXIF|XMP|GPS|SN-000123456|Fixture Owner|Nhaka Test/gu)).toBeNull()
    expect(chunksOf(served)).not.toEqual([])
    expect(chunksOf(served).filter((chunk) => !PICTURE_CHUNKS.has(chunk))).toEqual([])
  }
  const turned = await uploadFixture(owner, memorial.id, 'photo-rotated-6.jpg')
  const info = async (query: string) => {
    const response = await owner.fetch(`/media/stream/${turned.body.id}${query}`)
    const { width, height } = (await env.IMAGES.info(response.body!)) as { width: number; height: number }
    return [width, height]
  }
  expect(await info('?thumbnail=1')).toEqual([320, 427])
  expect(await info('')).toEqual([480, 640])
  // The drawing has dark green ground at the bottom and pale sky at the top.
  const column = await columnOf((await owner.fetch(`/media/stream/${turned.body.id}`)).body!, 8)
  const isDark = column.map(([red = 0]) => red < 100)
  expect([isDark[0], isDark.at(-1)]).toEqual([false, true])
})

test('a form without a type, without a file, or with an empty file is refused', async () => {
  const { owner, memorial } = await memorialOf()
  const bytes = await fixture('photo.png')
  const noType = await upload(owner, memorial.id, { bytes, name: 'a.png', type: 'THING' })
  expect([noType.status, noType.body.message]).toEqual([400, serverMessages.media.typeMissing])
  const form = new FormData()
  form.set('type', 'IMAGE')
  const noFile = await owner.fetch(`/api/memorials/${memorial.id}/media/upload`, {
    method: 'POST',
    body: form,
  })
  expect([noFile.status, await noFile.json()]).toEqual([
    400,
    expect.objectContaining({ message: serverMessages.media.fileMissing }),
  ])
  const empty = await upload(owner, memorial.id, { bytes: new Uint8Array(), name: 'a.png', type: 'IMAGE' })
  expect([empty.status, empty.body.message]).toEqual([400, messages.media.empty])
  expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
})

test('one Idempotency-Key creates one media item, in sequence or concurrently', async () => {
  const { owner, memorial } = await memorialOf()
  const send = (key: string) =>
    uploadFixture(owner, memorial.id, 'photo.webp', { headers: { 'Idempotency-Key': key } })
  const key = crypto.randomUUID()
  const [first, again] = [await send(key), await send(key)]
  expect([again.status, again.body]).toEqual([201, first.body])

  const twin = crypto.randomUUID()
  const twins = await Promise.all([send(twin), send(twin), send(twin)])
  expect(twins.map(({ status }) => status)).toEqual([201, 201, 201])
  expect(new Set(twins.map(({ body }) => body.id)).size).toBe(1)
  expect(await mediaRowsOf(memorial.id)).toHaveLength(2)
  expect(await quotaItemsOf(memorial.id)).toHaveLength(2)
  expect(await objectsOf(memorial.id)).toHaveLength(6)
})

test('only the owner can upload a portrait, which is returned as a media item', async () => {
  const { owner, memorial, path } = await memorialOf()
  const answer = await sendPortrait(owner, memorial.id, 'photo.png')
  const body = await answer.json<MediaUploaded>()
  const listed = (await owner.get<MediaPage>(`${path}/media`)).body.media
  expect([answer.status, body]).toEqual([201, { id: body.id, media: listed[0] }])
  expect(listed).toHaveLength(1)
  expect((await owner.get(path)).body.memorial.profileMediaId).toBe(body.id)
  const stranger = (await memorialOf()).owner
  expect((await sendPortrait(stranger, memorial.id, 'photo.png')).status).toBe(403)
})

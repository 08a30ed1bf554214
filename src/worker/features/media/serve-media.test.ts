import { expect, test } from 'vitest'
import type { Privacy } from '#shared/memorials/memorials.ts'
import type { MediaUploaded } from '#shared/media/media.ts'
import { fixture } from '../../../../test/worker/fixtures.ts'
import { contributorOf, memorialOf, signedIn, invited } from '../../../../test/worker/harness.ts'
import { upload } from '../../../../test/worker/uploads.ts'
import { DAY_MS } from '#shared/limits.ts'
import { storeSession, sessionOf } from '../../../../test/worker/accounts.ts'

async function memorialWith(privacy: Privacy, fixtureName: string, name: string, type: 'IMAGE' | 'VIDEO') {
  const made = await memorialOf({ privacy })
  const bytes = await fixture(fixtureName)
  const { body } = await upload<MediaUploaded>(made.owner, made.memorial.id, { bytes, name, type })
  return { ...made, bytes, path: `/media/stream/${body.id}` }
}
/** This file has no metadata to strip, so it is served unchanged. */
const withVideo = () => memorialWith('PRIVATE', 'video-too-long.mp4', 'Gogo’s song.mp4', 'VIDEO')
const withPhoto = (privacy: Privacy) =>
  memorialWith(privacy, 'photo-gps.jpg', 'Harare 2025-05-04.jpg', 'IMAGE')

test('a video is served with the headers for players and against scripts', async () => {
  const { owner, bytes, path } = await withVideo()
  const response = await owner.fetch(path)
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-store',
    'content-disposition': `inline; filename="Gogo_s song.mp4"; filename*=UTF-8''Gogo%E2%80%99s%20song.mp4`,
    'content-length': String(bytes.byteLength),
    'content-security-policy': "sandbox; default-src 'none'",
    'content-type': 'video/mp4',
    'cross-origin-resource-policy': 'same-origin',
    etag: expect.stringMatching(/^"[^"]+"$/u),
    'x-content-type-options': 'nosniff',
  })
  expect(response.headers.has('Cache-Tag')).toBe(false)
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
})

test('visitors get a photo in four widths; only the owner gets the original', async () => {
  const { owner, memorial, path, bytes } = await withPhoto('INVITE')
  const relative = await contributorOf(owner, memorial.id)
  const admin = await signedIn({ admin: true })
  const tags = new Set<string | null>()
  for (const query of ['', '?w=320', '?w=640', '?w=1280', '?w=1920', '?thumbnail=1', '?thumbnail=0']) {
    const response = await relative.fetch(path + query)
    expect([query, response.status, response.headers.get('Content-Type')]).toEqual([query, 200, 'image/webp'])
    expect(response.headers.get('Content-Disposition')).toMatch(
      /^inline; filename="photo-[a-z0-9]{6}\.webp";/u,
    )
    tags.add(response.headers.get('ETag'))
    await response.arrayBuffer()
  }
  expect(tags.size).toBeGreaterThanOrEqual(2)
  expect((await relative.fetch(`${path}?w=333`)).status).toBe(400)
  expect((await relative.fetch(`${path}?original=1`)).status).toBe(403)
  expect((await admin.fetch(`${path}?original=1`)).status).toBe(403)
  const original = await owner.fetch(`${path}?original=1`)
  expect([original.headers.get('Content-Type'), original.headers.get('Cache-Control')]).toEqual([
    'image/jpeg',
    'private, no-store',
  ])
  expect(new Uint8Array(await original.arrayBuffer())).toEqual(bytes)
})

test.for(['video-2s.mp4', 'video-2s.mov'])('%s is served without location and camera data', async (name) => {
  const { owner, memorial, relative } = await invited()
  const bytes = await fixture(name)
  const { body } = await upload<MediaUploaded>(relative, memorial.id, { bytes, name, type: 'VIDEO' })
  expect([body.media.durationSec, body.media.size]).toEqual([expect.closeTo(2, 1), bytes.byteLength])
  for (const client of [owner, relative]) {
    const response = await client.fetch(`/media/stream/${body.id}`)
    expect(response.headers.get('Content-Length')).toBe(String(bytes.byteLength))
    expect(new TextDecoder('latin1').decode(await response.arrayBuffer())).not.toMatch(
      /[+-]\d+\.\d+[+-]\d+\.\d+|©xyz|location|Nhaka Test Camera/u,
    )
  }
})

async function publicPhoto() {
  const { owner, memorial, path } = await withPhoto('PRIVATE')
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
  return { owner, memorial, path }
}

test('a cacheable response never contains the original file name, even for the owner', async () => {
  const { owner, memorial, path } = await publicPhoto()
  const names = async (query: string) => {
    const { headers } = await owner.fetch(path + query, { method: 'HEAD' })
    return [
      headers.get('Cache-Control'),
      headers.get('Cache-Tag'),
      /filename="([^"]*)"/u.exec(headers.get('Content-Disposition') ?? '')?.[1],
    ]
  }
  expect(await names('')).toEqual([
    'public, max-age=300',
    `memorial-${memorial.id}`,
    expect.stringMatching(/^photo-[a-z0-9]{6}\.webp$/u),
  ])
  expect(await names('?original=1')).toEqual(['private, no-store', null, 'Harare 2025-05-04.jpg'])
})

test('a response that renews a session is not cacheable, even for a public photo', async () => {
  const { owner, path } = await publicPhoto()
  await storeSession(owner, { ...(await sessionOf(owner)), renewedAt: Date.now() - 2 * DAY_MS })
  const { headers } = await owner.fetch(path, { method: 'HEAD' })
  expect(headers.getSetCookie()).toHaveLength(2)
  expect([headers.get('Cache-Control'), headers.get('Cache-Tag')]).toEqual(['private, no-store', null])
})

import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { RATE_LIMITS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { MediaUploaded } from '#shared/media/media.ts'
import { fixture } from '../../../../test/worker/fixtures.ts'
import { Client, contributorOf, memorialOf, signedIn, invited } from '../../../../test/worker/harness.ts'
import { beginUpload } from '../../../../test/worker/tus.ts'
import {
  mediaRowsOf,
  objectsOf,
  silence,
  slowUpload,
  upload,
  uploadFixture,
  exhaustRateLimit,
  storedMedia,
  NO_MEDIA,
} from '../../../../test/worker/uploads.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

const MB = 1024 * 1024

test('20 MB are stored in parts and never buffered completely', async () => {
  const { owner, memorial } = await memorialOf()
  const bytes = silence(20 * MB)
  const { status, body } = await upload<MediaUploaded>(owner, memorial.id, {
    bytes,
    name: 'a.wav',
    type: 'AUDIO',
  })
  expect([status, body.media.durationSec]).toEqual([201, expect.closeTo(118.9, 0)])
  const [key = ''] = await objectsOf(memorial.id)
  expect(await env.MEDIA.head(key)).toMatchObject({ size: 20 * MB, etag: expect.stringMatching(/-4$/u) })
})

test('a contributor token after the file admits a file of up to 16 MiB', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const { session } = await contributorOf(owner, memorial.id, 'Tariro Moyo')
  const stranger = new Client()
  const send = (more: Parameters<typeof uploadFixture>[3]) =>
    uploadFixture(stranger, memorial.id, 'photo.webp', { typeFirst: false, ...more })
  const let_in = await send({ contributorToken: session.authToken })
  expect([let_in.status, let_in.body.media.contributorName]).toEqual([201, 'Tariro Moyo'])
  const header = await send({ headers: { 'X-Contributor-Token': session.authToken } })
  expect(header.status).toBe(201)
  const wrong = await send({ contributorToken: 'not-a-token' })
  expect([wrong.status, wrong.body.code]).toEqual([403, 'invitation_needed'])
  const large = await upload(stranger, memorial.id, {
    bytes: silence(17 * MB),
    name: 'a.wav',
    type: 'AUDIO',
    typeFirst: false,
    contributorToken: session.authToken,
  })
  expect([large.status, large.body.code]).toEqual([403, 'invitation_needed'])
  expect(await mediaRowsOf(memorial.id)).toHaveLength(2)
})

test('a visitor, another owner, an admin and a token of another memorial are refused', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const other = await memorialOf({ privacy: 'INVITE' })
  const foreign = await contributorOf(other.owner, other.memorial.id)
  const guest = await contributorOf(owner, memorial.id, 'Guest Visitor')
  const tried = async (client: Client, more = {}) =>
    (await uploadFixture(client, memorial.id, 'photo.webp', more)).body.code
  expect(await tried(new Client())).toBe('invitation_needed')
  expect(await tried(guest)).toBe('name_required')
  expect(await tried(other.owner)).toBe('invitation_needed')
  expect(await tried(await signedIn({ admin: true }))).toBe('forbidden')
  expect(await tried(new Client(), { contributorToken: foreign.session.authToken })).toBe('invitation_needed')
  expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
})

test.for(['owner', 'contributor'] as const)(
  'a file from the %s is not stored if the memorial is locked meanwhile',
  async (who) => {
    const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
    const sender = who === 'owner' ? owner : await contributorOf(owner, memorial.id)
    const file = { bytes: await fixture('photo-gps.jpg'), name: 'a.jpg', type: 'IMAGE' } as const
    const slow = slowUpload(sender, memorial.id, file, 5000)
    await slow.started
    expect((await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })).status).toBe(
      200,
    )
    const answer = await slow.finish()
    expect([answer.status, await answer.json()]).toEqual([
      409,
      { code: 'memorial_locked', message: messages.memorial.locked },
    ])
    expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
    const after = await upload(sender, memorial.id, file)
    expect([after.status, after.body.code]).toEqual([409, 'memorial_locked'])
  },
)

test(
  'a file is not stored if the contributor’s invitation is revoked meanwhile',
  { tags: ['write-needs-live-link'] },
  async () => {
    const { owner, memorial, relative } = await invited()
    const file = { bytes: await fixture('photo-gps.jpg'), name: 'a.jpg', type: 'IMAGE' } as const
    const slow = slowUpload(relative, memorial.id, file, 5000)
    await slow.started
    expect((await owner.post(`/api/memorials/${memorial.id}/invite-link/rotate`)).status).toBe(200)
    const answer = await slow.finish()
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { code: 'invitation_needed', message: serverMessages.memorial.invitationNeeded },
    ])
    expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
  },
)

test('an interrupted file leaves nothing behind, whether small or in parts', async () => {
  const { owner, memorial } = await memorialOf()
  for (const bytes of [await fixture('photo-gps.jpg'), silence(12 * MB)]) {
    const type = bytes.length > MB ? 'AUDIO' : 'IMAGE'
    const slow = slowUpload(owner, memorial.id, { bytes, name: 'a', type }, Math.floor(bytes.length * 0.9))
    await slow.started
    const answer = await slow.breakOff()
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { code: 'bad_input', message: messages.media.interrupted },
    ])
  }
  expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
})

test('file size limits depend on sender and type and count the actual bytes', async () => {
  const { owner, memorial, relative } = await invited()
  const photo = new Uint8Array(16 * MB)
  photo.set(await fixture('photo-gps.jpg'))
  const announced = await upload(relative, memorial.id, { bytes: photo, name: 'a.jpg', type: 'IMAGE' })
  expect([announced.status, announced.body.message]).toEqual([
    413,
    'File size (16 MB) exceeds the maximum allowed size (15 MB)',
  ])
  const slow = slowUpload(relative, memorial.id, { bytes: photo, name: 'a.jpg', type: 'IMAGE' }, 100)
  await slow.started
  const counted = await slow.finish()
  expect([counted.status, (await counted.json<{ code: string }>()).code]).toEqual([413, 'too_large'])
  expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
  expect((await upload(owner, memorial.id, { bytes: photo, name: 'a.jpg', type: 'IMAGE' })).status).toBe(201)
})

test.for([
  ['video-too-long.mp4', messages.media.videoTooLong],
  ['audio-too-long.mp3', messages.media.audioTooLong],
] as const)('%s is too long for a contributor, not for the owner', async ([name, message]) => {
  const { owner, memorial, relative } = await invited()
  const refused = await uploadFixture(relative, memorial.id, name)
  expect([refused.status, refused.body.code, refused.body.message]).toEqual([409, 'too_long', message])
  expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
  expect((await uploadFixture(owner, memorial.id, name)).status).toBe(201)
})

test('a contributor may send 60 files an hour', async () => {
  const { memorial, relative } = await invited()
  const file = { bytes: await fixture('not-a-pdf.pdf'), name: 'a.jpg', type: 'IMAGE' }
  for (let sent = 0; sent < 60; sent++) await upload(relative, memorial.id, file)
  const { status, headers } = await upload(relative, memorial.id, file)
  expect([status, Number(headers.get('Retry-After'))]).toEqual([429, expect.closeTo(3600, -2)])
})

test('an owner may send 2,000 files a day to all their memorials together', async () => {
  const { owner, memorial } = await memorialOf()
  await exhaustRateLimit('ownerUploads', owner.user.id, RATE_LIMITS.ownerUploads.limit - 1)
  expect((await uploadFixture(owner, memorial.id, 'photo.webp')).status).toBe(201)
  const { status, body } = await uploadFixture(owner, memorial.id, 'photo.webp')
  expect([status, body.code]).toEqual([429, 'too_many_requests'])
  expect((await beginUpload(owner, memorial.id, { length: 1000, type: 'IMAGE' })).status).toBe(429)
})

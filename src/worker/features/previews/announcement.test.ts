import { env } from 'cloudflare:test'
import { imageSize } from 'image-size'
import { beforeEach, expect, test } from 'vitest'
import { ANNOUNCEMENT_CARD, ANNOUNCEMENT_CARD_MAX_BYTES, HOUR_MS } from '#shared/limits.ts'
import type { MediaUploaded } from '#shared/media/media.ts'
import { drainObjectDeletions } from '#worker/features/media/media.jobs.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { brokenBinding } from '../../../../test/worker/faults/faults.ts'
import {
  Client,
  contributorOf,
  dropQueueMessages,
  inviteTokenOf,
  memorialOf,
  testCtx,
} from '../../../../test/worker/harness.ts'
import { noisePng } from '../../../../test/worker/pixels.ts'
import { objectsOf, sendPortrait } from '../../../../test/worker/uploads.ts'

// Variants of the photos would take twice as long as the tests.
beforeEach(dropQueueMessages)

const BURIAL = { kind: 'BURIAL', dateTime: '2031-06-06T10:00', venueName: 'Yeovil Cemetery', city: 'Mutare' }

async function announced(privacy: 'PRIVATE' | 'INVITE' | 'LOCKED' = 'LOCKED') {
  const { owner, memorial, path } = await memorialOf({ privacy })
  const { body } = await owner.post(`${path}/funeral-events`, BURIAL)
  const eventId = String(body.id)
  return { owner, memorial, path, eventId, card: `${path}/announcement-card` }
}

type Seen = { status: number; etag: string | null; bytes: Uint8Array<ArrayBuffer> }

async function see(client: Client, path: string, headers: Record<string, string> = {}): Promise<Seen> {
  const answer = await client.fetch(path, { headers })
  const bytes = new Uint8Array(await answer.arrayBuffer())
  return { status: answer.status, etag: answer.headers.get('ETag'), bytes }
}

const statusOf = async (client: Client, path: string) => (await see(client, path)).status

test.each(['portrait', 'story'] as const)('the %s of an announcement is a light JPEG', async (shape) => {
  const { owner, memorial, card } = await announced('INVITE')
  await (await sendPortrait(owner, memorial.id, noisePng(900, 1100))).json<MediaUploaded>()
  const answer = await owner.fetch(`${card}?shape=${shape}`)
  const bytes = new Uint8Array(await answer.arrayBuffer())
  expect([
    answer.status,
    imageSize(bytes),
    answer.headers.get('Content-Type'),
    answer.headers.get('Cache-Control'),
    answer.headers.get('Content-Disposition'),
  ]).toEqual([
    200,
    { ...ANNOUNCEMENT_CARD[shape], type: 'jpg' },
    'image/jpeg',
    'private, no-cache',
    `inline; filename="${memorial.slug}.jpg"; filename*=UTF-8''${memorial.slug}.jpg`,
  ])
  expect(bytes.byteLength).toBeLessThanOrEqual(ANNOUNCEMENT_CARD_MAX_BYTES)
})

test('a card changes with its gathering and replaces the old one', async () => {
  const { owner, memorial, path, eventId, card } = await announced()
  const event = `${path}/funeral-events/${eventId}`
  const one = `${card}?event=${eventId}`
  const seen: Seen[] = []
  for (const change of [{}, { dateTime: '2031-06-06T11:00' }, { city: 'Harare' }, { isCancelled: true }]) {
    await owner.patch(event, change)
    seen.push(await see(new Client(), card), await see(new Client(), one))
  }
  expect(seen.map(({ status }) => status)).toEqual(Array(8).fill(200))
  // With one gathering, its card is that of the announcement.
  expect(new Set(seen.map(({ etag }) => etag)).size).toBe(4)
  expect(await objectsOf(memorial.id)).toEqual(
    ['1', 'all'].map((which) => `m/${memorial.id}/announcement-${which}-portrait.jpg`),
  )
})

test('a browser that has the newest card gets 304, and an old one is replaced', async () => {
  const { owner, path, eventId, card } = await announced()
  const first = await see(owner, card)
  const headers = { 'If-None-Match': first.etag ?? '' }
  const again = await see(owner, `${card}?version=other`, headers)
  await owner.patch(`${path}/funeral-events/${eventId}`, { dateTime: '2031-06-06T11:00' })
  const changed = await see(owner, card, headers)
  expect([first.status, again.status, again.bytes.byteLength, changed.status]).toEqual([200, 304, 0, 200])
})

test('a card is made once for all who ask for it', async () => {
  const { owner, memorial, card } = await announced('INVITE')
  const token = await inviteTokenOf(owner, memorial.id)
  const { etag } = await see(owner, card)
  owner.bindings = { ...env, IMAGES: brokenBinding(env.IMAGES, 'Images is down') }
  const relative = await contributorOf(owner, memorial.id)
  const seen = [
    await see(owner, card),
    await see(relative, card),
    await see(new Client(), `${card}?invite=${token}`),
  ]
  expect(seen.map((one) => `${one.status} ${one.etag}`)).toEqual(Array(3).fill(`200 ${etag}`))
})

test('no card shows a gathering for invited people, or whom to ask', async () => {
  const { owner, path, eventId, card } = await announced('INVITE')
  const before = (await see(owner, card)).etag
  const secret = { ...BURIAL, kind: 'WAKE', audience: 'INVITED' }
  const { body: invited } = await owner.post(`${path}/funeral-events`, secret)
  await owner.patch(`${path}/funeral-events/${eventId}`, {
    contact: 'Tariro, 0772 000 000',
    contactFor: 'FAMILY',
  })
  expect((await see(owner, card)).etag).toBe(before)
  expect(await statusOf(owner, `${card}?event=${invited.id}`)).toBe(404)
})

test('a gathering that is over, deleted or of another memorial has no card', async () => {
  const { owner, path, eventId, card } = await announced()
  const other = await announced()
  const { body: past } = await owner.post(`${path}/funeral-events`, {
    ...BURIAL,
    dateTime: '2020-06-06T10:00',
  })
  await owner.delete(`${path}/funeral-events/${eventId}`)
  const ids = [past.id, eventId, other.eventId, 'fun_nothing']
  const statuses: number[] = []
  for (const id of ids) statuses.push(await statusOf(owner, `${card}?event=${id}`))
  expect([...statuses, await statusOf(owner, card)]).toEqual([404, 404, 404, 404, 200])
})

test('while pictures cannot be made, it is said, and tried three times an hour', async () => {
  const { owner, card } = await announced()
  owner.bindings = { ...env, IMAGES: brokenBinding(env.IMAGES, 'Images is down') }
  const statuses: number[] = []
  for (let n = 0; n < 4; n++) statuses.push(await statusOf(owner, card))
  expect(statuses).toEqual([503, 503, 503, 429])
  expect(takeErrorLines().join()).toContain('card_failed')
})

test('a card is stored beside its portrait and deleted with it', async () => {
  const { owner, memorial, card } = await announced('PRIVATE')
  const { id } = await (await sendPortrait(owner, memorial.id, 'photo.png')).json<MediaUploaded>()
  await see(owner, card)
  const key = `m/${memorial.id}/${id}/announcement-all-portrait.jpg`
  expect(await objectsOf(memorial.id)).toContain(key)
  await owner.delete(`/api/media/${id}?forever=1`)
  await drainObjectDeletions(testCtx(() => Date.now() + HOUR_MS))
  expect(await objectsOf(memorial.id)).toEqual([])
})

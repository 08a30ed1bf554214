import { createExecutionContext, env } from 'cloudflare:test'
import { imageSize } from 'image-size'
import { beforeEach, expect, test } from 'vitest'
import { HOUR_MS, LINK_CARD } from '#shared/limits.ts'
import type { MediaUploaded } from '#shared/media/media.ts'
import type { Env } from '#worker/platform/env.ts'
import {
  drainObjectDeletions,
  sweepOrphanObjects,
  writeRestoreMarker,
} from '#worker/features/media/media.jobs.ts'
import { purgeDeleted } from '#worker/features/removal/removal.jobs.ts'
import { PublicPages } from '#worker/public-pages.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { brokenBinding } from '../../../../test/worker/faults/faults.ts'
import {
  Client,
  dropQueueMessages,
  memorialOf,
  ORIGIN,
  signedIn,
  testCtx,
} from '../../../../test/worker/harness.ts'
import { objectsOf, sendPortrait } from '../../../../test/worker/uploads.ts'
import { setDeleted } from '../../../../test/worker/whole-memorial.ts'
import { headerProblems } from '../../../../test/expected-headers.ts'
import { noisePng } from '../../../../test/worker/pixels.ts'
import { inTurn } from '../../../../test/worker/repeat.ts'

// Variants of the photos would take twice as long as the tests.
beforeEach(dropQueueMessages)

const PORTRAIT = 'photo-rotated-6.jpg'

/** A public memorial with this photo, given as bytes or as a name in test/fixtures, as its portrait. */
async function publicMemorial(portrait: string | Uint8Array<ArrayBuffer> | null = null) {
  const { owner, memorial, path } = await memorialOf({ privacy: 'PRIVATE' })
  await owner.patch(path, { dateOfBirth: '1948-03-14', dateOfDeath: '2026-06-02' })
  const mediaId =
    portrait && (await (await sendPortrait(owner, memorial.id, portrait)).json<MediaUploaded>()).id
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  return { owner, memorial, path, mediaId, card: `/m/${memorial.slug}/card.jpg` }
}

type Shown = Awaited<ReturnType<typeof publicMemorial>>
type Seen = { status: number; headers: Headers; bytes: Uint8Array<ArrayBuffer> }

const see = (path: string, headers = {}) => answered(new Client().fetch(path, { headers }))

/** Like {@link see}, but with some bindings replaced. */
async function seeWith(path: string, bindings: Partial<Env>): Promise<Seen> {
  const pages = new PublicPages(createExecutionContext(), { ...env, ...bindings })
  return answered(pages.fetch(new Request(ORIGIN + path)))
}

async function answered(promise: Promise<Response>): Promise<Seen> {
  const answer = await promise
  return { status: answer.status, headers: answer.headers, bytes: new Uint8Array(await answer.arrayBuffer()) }
}

async function hashOf({ bytes }: Seen): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')
}

const EDGE_CACHE = 'public, max-age=60, stale-while-revalidate=600'
const edgeCache = (headers: Headers) =>
  ['Cache-Tag', 'Cloudflare-CDN-Cache-Control'].map((name) => headers.get(name))

/** An Images binding that counts its calls. */
function countingImages(fails = false): { IMAGES: ImagesBinding; calls: () => number } {
  let calls = 0
  const IMAGES = new Proxy(env.IMAGES, {
    get(target, name) {
      if (name !== 'input') return Reflect.get(target, name)
      return (stream: ReadableStream<Uint8Array>) => {
        calls++
        if (fails) throw new Error('Images is down')
        return target.input(stream)
      }
    },
  })
  return { IMAGES, calls: () => calls }
}

test("a public memorial's card is a shareable 1200 by 630 JPEG under 200 kB", async () => {
  const { memorial, card } = await publicMemorial(PORTRAIT)
  const { status, headers, bytes } = await see(`${card}?v=anything`)
  expect([status, headers.get('Content-Type'), imageSize(bytes)]).toEqual([
    200,
    'image/jpeg',
    { width: 1200, height: 630, type: 'jpg' },
  ])
  expect(bytes.byteLength).toBeLessThan(LINK_CARD.maxBytes)
  expect(headerProblems({ status, headers }, 'card')).toEqual([])
  expect(headers.get('ETag')).toMatch(/^".+"$/u)
  expect(edgeCache(headers)).toEqual([`memorial-${memorial.id}`, EDGE_CACHE])
})

test('even the heaviest portrait gives a card below the size limit', async () => {
  const { card } = await publicMemorial(noisePng(900, 1100))
  expect((await see(card)).bytes.byteLength).toBeLessThan(LINK_CARD.maxBytes)
})

test('a card is made once, and again when name, dates or portrait change', async () => {
  const { owner, path, card } = await publicMemorial(PORTRAIT)
  const { IMAGES, calls } = countingImages()
  const [first, again] = [await seeWith(card, { IMAGES }), await seeWith(card, { IMAGES })]
  expect([calls(), await hashOf(again)]).toEqual([2, await hashOf(first)])
  await owner.patch(path, { lifeStory: '<p>Another story</p>', title: 'Another sentence' })
  await seeWith(card, { IMAGES })
  expect(calls()).toBe(2)
  const hashes = [await hashOf(first)]
  for (const change of [{ honoureeFullName: 'Rudo Moyo' }, { dateOfBirth: null }, { profileMediaId: null }]) {
    await owner.patch(path, change)
    hashes.push(await hashOf(await seeWith(card, { IMAGES })))
  }
  expect(new Set(hashes).size).toBe(4)
})

test('a card tells of the next gathering while the memorial is public', async () => {
  const { owner, memorial, path, card, mediaId } = await publicMemorial(PORTRAIT)
  const burial = { kind: 'BURIAL', dateTime: '2031-06-06T10:00', city: 'Mutare' }
  const without = await hashOf(await see(card))
  const { body } = await owner.post(`${path}/funeral-events`, { ...burial, audience: 'INVITED' })
  const invitedOnly = await hashOf(await see(card))
  const event = `${path}/funeral-events/${body.id}`
  const shown: string[] = []
  for (const change of [{ audience: 'EVERYBODY' }, { city: 'Harare' }, { isCancelled: true }]) {
    await owner.patch(event, change)
    shown.push(await hashOf(await see(card)))
  }
  await owner.delete(event)
  expect([invitedOnly, await hashOf(await see(card))]).toEqual([without, without])
  expect(new Set([without, ...shown]).size).toBe(4)
  const objects = await objectsOf(memorial.id)
  expect(objects.filter((key) => key.endsWith('card.jpg'))).toEqual([`m/${memorial.id}/${mediaId}/card.jpg`])
})

test('a matching ETag gets 304', async () => {
  const { card } = await publicMemorial()
  const etag = (await see(card)).headers.get('ETag') ?? ''
  const { status, headers, bytes } = await see(card, { 'If-None-Match': etag })
  expect([status, headers.get('ETag'), bytes.byteLength]).toEqual([304, etag, 0])
})

test('every path without a public memorial gets the same service card', async () => {
  const admin = await signedIn({ admin: true })
  const all = await inTurn(4, () => publicMemorial(PORTRAIT))
  const [priv, invite, deleted, removed] = all as [Shown, Shown, Shown, Shown]
  const shown = new Set(await Promise.all(all.map(async ({ card }) => hashOf(await see(card)))))
  await priv.owner.patch(`${priv.path}/privacy`, { privacy: 'PRIVATE' })
  await invite.owner.patch(`${invite.path}/privacy`, { privacy: 'INVITE' })
  await deleted.owner.delete(deleted.path, { confirmName: deleted.memorial.honoureeFullName })
  await admin.post(`/api/admin/memorials/${removed.memorial.id}/remove`)
  const unknown = await see('/m/nobody-aaaaaa/card.jpg')
  for (const { card } of all) {
    const seen = await see(card)
    expect([seen.status, [...seen.headers], await hashOf(seen)]).toEqual([
      unknown.status,
      [...unknown.headers],
      await hashOf(unknown),
    ])
  }
  expect([unknown.status, edgeCache(unknown.headers)]).toEqual([200, [null, 'no-store']])
  const service = await see('/card.jpg')
  expect([await hashOf(unknown), imageSize(service.bytes), shown.has(await hashOf(unknown))]).toEqual([
    await hashOf(service),
    { width: 1200, height: 630, type: 'jpg' },
    false,
  ])
  expect(headerProblems(service, 'card')).toEqual([])
})

test.each([
  ['the database', { DB: brokenBinding(env.DB, 'the database is down') }],
  ['the storage', { MEDIA: brokenBinding(env.MEDIA, 'the storage is down') }],
  ['Images', { IMAGES: countingImages(true).IMAGES }],
] as [string, Partial<Env>][])(
  'a chat gets the service card, uncached at the edge, while %s is down',
  async (_, bindings) => {
    const { card } = await publicMemorial(PORTRAIT)
    const seen = await seeWith(card, bindings)
    expect([seen.status, seen.headers.get('Cloudflare-CDN-Cache-Control'), await hashOf(seen)]).toEqual([
      200,
      'no-store',
      await hashOf(await see('/card.jpg')),
    ])
    expect(takeErrorLines().join()).toContain('card_failed')
    expect(await hashOf(await see(card))).not.toBe(await hashOf(seen))
  },
)

test('a public memorial with nothing to render gets the cached service card', async () => {
  const { owner, memorial, path, card } = await publicMemorial()
  await owner.patch(path, { honoureeFullName: 'Александр Пушкин' })
  const { IMAGES, calls } = countingImages()
  const seen = await seeWith(card, { IMAGES })
  expect([calls(), await hashOf(seen), await objectsOf(memorial.id)]).toEqual([
    0,
    await hashOf(await see('/card.jpg')),
    [],
  ])
  expect(edgeCache(seen.headers)).toEqual([`memorial-${memorial.id}`, EDGE_CACHE])
})

test('a failing card is tried three times an hour, regardless of requests', async () => {
  const { card } = await publicMemorial(PORTRAIT)
  const { IMAGES, calls } = countingImages(true)
  for (let n = 0; n < 6; n++) expect((await seeWith(card, { IMAGES })).status).toBe(200)
  expect(calls()).toBe(3)
  takeErrorLines()
})

test('a card is stored beside its portrait, deleted with it, and made without it', async () => {
  const { owner, memorial, card, mediaId } = await publicMemorial(PORTRAIT)
  const withPortrait = await see(card)
  expect(await objectsOf(memorial.id)).toContain(`m/${memorial.id}/${mediaId}/card.jpg`)
  await owner.delete(`/api/media/${mediaId}?forever=1`)
  await drainObjectDeletions(testCtx(() => Date.now() + HOUR_MS))
  expect(await objectsOf(memorial.id)).toEqual([])
  expect(await hashOf(await see(card))).not.toBe(await hashOf(withPortrait))
  expect(await objectsOf(memorial.id)).toEqual([`m/${memorial.id}/card.jpg`])
})

test('the orphan sweep leaves the cards', async () => {
  const memorials = [await publicMemorial(PORTRAIT), await publicMemorial()]
  for (const { card } of memorials) await see(card)
  const keysOf = async () => Promise.all(memorials.map(({ memorial }) => objectsOf(memorial.id)))
  const before = await keysOf()
  const later = testCtx(() => Date.now() + 2 * HOUR_MS)
  await writeRestoreMarker(later)
  await sweepOrphanObjects(later)
  expect(await keysOf()).toEqual(before)
  expect(before.flat().filter((key) => key.endsWith('/card.jpg'))).toHaveLength(2)
})

test('purging a memorial deletes its card', async () => {
  const memorials = [await publicMemorial(PORTRAIT), await publicMemorial()]
  for (const { card, memorial } of memorials) {
    await see(card)
    await setDeleted(memorial.id, 31)
  }
  await purgeDeleted(testCtx())
  expect(await Promise.all(memorials.map(({ memorial }) => objectsOf(memorial.id)))).toEqual([[], []])
})

import { expect, test } from 'vitest'
import { MEDIA_PAGE } from '#shared/limits.ts'
import type { Media, MediaPage } from '#shared/media/media.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { newId } from '#worker/platform/random.ts'
import {
  Client,
  contributorOf,
  inviteTokenOf,
  memorialOf,
  signedIn,
  testCtx,
} from '../../../../test/worker/harness.ts'
import { changeRows } from '../../../../test/worker/rows.ts'

type Kind = Media['type']

/** Inserts rows without files, one per second. Returns their ids, newest first. */
async function rowsIn(
  memorialId: string,
  types: Kind[],
  contributorId: string | null = null,
): Promise<string[]> {
  const { db } = testCtx()
  const ids: string[] = []
  for (const [at, type] of types.entries()) {
    const id = newId('media')
    ids.unshift(id)
    await db.insert(media).values({
      id,
      memorialId,
      contributorId,
      type,
      mimeType: { IMAGE: 'image/jpeg', VIDEO: 'video/mp4', AUDIO: 'audio/ogg' }[type],
      size: 1000,
      originalFileName: 'a',
      objectKey: id,
      createdAt: 1_000_000 + at * 1000,
    })
  }
  return ids
}

async function list(client: Client, memorialId: string, query: Record<string, string>): Promise<MediaPage> {
  const answer = await client.get<MediaPage>(
    `/api/memorials/${memorialId}/media?${new URLSearchParams(query).toString()}`,
  )
  expect(answer.status).toBe(200)
  return answer.body
}
const idsOf = (page: MediaPage) => page.media.map(({ id }) => id)

test('only the first page has counts per type', async () => {
  const { owner, memorial } = await memorialOf()
  await rowsIn(memorial.id, [
    'VIDEO',
    'AUDIO',
    'AUDIO',
    ...Array.from({ length: MEDIA_PAGE }, () => 'IMAGE' as const),
  ])
  const first = await list(owner, memorial.id, {})
  expect(first.counts).toEqual({ IMAGE: MEDIA_PAGE, VIDEO: 1, AUDIO: 2 })
  const second = await list(owner, memorial.id, { cursor: first.nextCursor! })
  expect([second.counts, second.media.length]).toEqual([null, 3])
})

test('the list can be filtered by type; an unknown type is refused', async () => {
  const { owner, memorial } = await memorialOf()
  const types = Array.from({ length: 70 }, (_, at): Kind => (at % 35 === 0 ? 'VIDEO' : 'IMAGE'))
  const ids = await rowsIn(memorial.id, types)
  const videos = await list(owner, memorial.id, { type: 'VIDEO' })
  expect([idsOf(videos), videos.nextCursor]).toEqual([[ids[34], ids[69]], null])
  const photos = await list(owner, memorial.id, { type: 'IMAGE' })
  const rest = await list(owner, memorial.id, { type: 'IMAGE', cursor: photos.nextCursor! })
  expect([...idsOf(photos), ...idsOf(rest)]).toEqual(ids.filter((_, at) => at !== 34 && at !== 69))
  const wrong = await owner.get(`/api/memorials/${memorial.id}/media?type=PDF`)
  expect([wrong.status, wrong.body.code]).toEqual([400, 'bad_input'])
})

test('the list can be filtered by the name of who added it, with its counts', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const farai = await contributorOf(owner, memorial.id, 'Farai Chikomo')
  const again = await contributorOf(owner, memorial.id, 'Farai Chikomo')
  const elsewhere = await memorialOf({ privacy: 'INVITE' })
  const namesake = await contributorOf(elsewhere.owner, elsewhere.memorial.id, 'Farai Chikomo')
  await rowsIn(elsewhere.memorial.id, ['IMAGE'], namesake.session.contributorId)
  const own = await rowsIn(memorial.id, ['IMAGE', 'VIDEO'])
  const first = await rowsIn(memorial.id, ['IMAGE', 'AUDIO'], farai.session.contributorId)
  const second = await rowsIn(memorial.id, ['IMAGE'], again.session.contributorId)

  const theirs = await list(owner, memorial.id, { person: 'Farai Chikomo' })
  expect(new Set(idsOf(theirs))).toEqual(new Set([...first, ...second]))
  expect(theirs.counts).toEqual({ IMAGE: 2, VIDEO: 0, AUDIO: 1 })
  expect(idsOf(await list(farai, memorial.id, { owner: '1' }))).toEqual(own)
  const photos = await list(owner, memorial.id, { person: 'Farai Chikomo', type: 'IMAGE' })
  expect(photos.media).toHaveLength(2)
  expect(idsOf(await list(owner, memorial.id, { person: 'Nobody' }))).toEqual([])
})

test('only the owner, admins and contributors get the names to choose from', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const farai = await contributorOf(owner, memorial.id, 'Farai Chikomo')
  await contributorOf(owner, memorial.id, 'Added Nothing')
  await rowsIn(memorial.id, ['IMAGE'])
  await rowsIn(memorial.id, ['IMAGE', 'IMAGE'], farai.session.contributorId)
  const admin = await signedIn({ admin: true })
  for (const client of [owner, farai, admin]) {
    const { people } = await list(client, memorial.id, {})
    expect(people?.toSorted()).toEqual(['', 'Farai Chikomo'])
  }
  const invite = await inviteTokenOf(owner, memorial.id)
  expect((await list(new Client(), memorial.id, { invite })).people).toBeNull()
})

test('a page can start at a photo, counts the newer ones and links both directions', async () => {
  const { owner, memorial } = await memorialOf()
  const ids = await rowsIn(memorial.id, [
    ...Array.from({ length: 130 }, () => 'IMAGE' as const),
    'VIDEO',
    'IMAGE',
  ])
  const photos = ids.filter((_, at) => at !== 1)
  const here = await list(owner, memorial.id, { from: photos[100]!, type: 'IMAGE' })
  expect([idsOf(here), here.newerCount, here.nextCursor]).toEqual([photos.slice(100), 100, null])
  const before = await list(owner, memorial.id, { newer: here.newerCursor!, type: 'IMAGE' })
  expect([idsOf(before), before.nextCursor]).toEqual([photos.slice(40, 100), null])
  const first = await list(owner, memorial.id, { newer: before.newerCursor!, type: 'IMAGE' })
  expect([idsOf(first), first.newerCursor]).toEqual([photos.slice(0, 40), null])
  const newest = await list(owner, memorial.id, { from: photos[0]!, type: 'IMAGE' })
  expect([newest.newerCount, newest.newerCursor, newest.media.length]).toEqual([0, null, MEDIA_PAGE])
  const onwards = await list(owner, memorial.id, { cursor: newest.nextCursor!, type: 'IMAGE' })
  expect(idsOf(onwards)).toEqual(photos.slice(60, 120))
})

test('the portrait is not counted among the items newer than a photo', async () => {
  const { owner, memorial } = await memorialOf()
  const ids = await rowsIn(memorial.id, ['IMAGE', 'IMAGE', 'IMAGE'])
  await changeRows(memorials, { id: memorial.id }, { profileMediaId: ids[1]! })
  expect((await list(owner, memorial.id, { from: ids[2]!, type: 'IMAGE' })).newerCount).toBe(1)
})

test('a page from a foreign, deleted or differently typed item is not found', async () => {
  const { owner, memorial } = await memorialOf()
  const [video] = await rowsIn(memorial.id, ['IMAGE', 'VIDEO'])
  const elsewhere = await memorialOf()
  const [foreign] = await rowsIn(elsewhere.memorial.id, ['IMAGE'])
  for (const from of [video!, foreign!, newId('media'), '', '%']) {
    const query = new URLSearchParams({ from, type: 'IMAGE' })
    const answer = await owner.get(`/api/memorials/${memorial.id}/media?${query.toString()}`)
    expect([from, answer.status, answer.body.code]).toEqual([from, 404, 'not_found'])
  }
  const stranger = await signedIn()
  const asked = await stranger.get(`/api/memorials/${memorial.id}/media?from=${video}`)
  expect(asked.status).toBe(403)
})

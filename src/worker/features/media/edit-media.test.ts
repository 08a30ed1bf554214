import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { HOUR_MS, MEDIA_PAGE, MINUTE_MS } from '#shared/limits.ts'
import type { Media, MediaPage, MediaUploaded } from '#shared/media/media.ts'
import {
  drainObjectDeletions,
  sweepOrphanObjects,
  writeRestoreMarker,
} from '#worker/features/media/media.jobs.ts'
import { media, objectDeletions } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { newId } from '#worker/platform/random.ts'
import {
  Client,
  contributorOf,
  memorialOf,
  signedIn,
  testCtx,
  invited,
} from '../../../../test/worker/harness.ts'
import { mediaRowsOf, objectsOf, sendPortrait, uploadFixture } from '../../../../test/worker/uploads.ts'
import { changeRows } from '../../../../test/worker/rows.ts'

async function photoBy(client: Client, memorialId: string): Promise<Media> {
  return (await uploadFixture(client, memorialId, 'polyglot.jpg', { name: 'IMG_2041.jpg' })).body.media
}

test('the portrait is the main photo, unless the owner chose another', async () => {
  const { owner, memorial, path } = await memorialOf()
  const photosOf = async () => {
    const { profileMediaId, coverMediaId } = (await owner.get(path)).body.memorial
    return [profileMediaId, coverMediaId]
  }
  const portrait = async () => {
    const sent = await sendPortrait(owner, memorial.id, 'polyglot.jpg')
    return (await sent.json<MediaUploaded>()).id
  }
  const first = await portrait()
  expect(await photosOf()).toEqual([first, first])
  const second = await portrait()
  expect(await photosOf()).toEqual([second, second])
  const { id: chosen } = await photoBy(owner, memorial.id)
  await owner.patch(path, { coverMediaId: chosen })
  const third = await portrait()
  expect(await photosOf()).toEqual([third, chosen])
  await owner.delete(`/api/media/${chosen}`)
  expect(await photosOf()).toEqual([third, third])
  await owner.patch(path, { profileMediaId: first })
  expect(await photosOf()).toEqual([first, first])
  await owner.delete(`/api/media/${first}`)
  expect(await photosOf()).toEqual([null, null])
})

test(
  'contributors edit only their own media in INVITE, and remove it in LOCKED, too',
  { tags: ['media-change-allowed', 'media-removal-allowed'] },
  async () => {
    const { owner, memorial, relative } = await invited()
    const cousin = await contributorOf(owner, memorial.id, 'Rumbidzai')
    const own = await photoBy(relative, memorial.id)
    const owners = await photoBy(owner, memorial.id)
    const status = async (client: Client, id: string) => [
      (await client.patch(`/api/media/${id}`, { caption: 'x' })).status,
      (await client.delete(`/api/media/${id}`)).status,
    ]
    expect(await status(cousin, own.id)).toEqual([403, 403])
    expect(await status(relative, owners.id)).toEqual([403, 403])
    expect(await status(new Client(), own.id)).toEqual([403, 403])
    await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
    expect((await relative.patch(`/api/media/${own.id}`, { caption: 'x' })).status).toBe(409)
    expect(await status(cousin, own.id)).toEqual([403, 403])
    expect(await status(new Client(), own.id)).toEqual([401, 401])
    await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'INVITE' })
    const caption = 'At the river, 1974'
    const changed = await relative.patch<Media>(`/api/media/${own.id}`, { caption: ` ${caption} ` })
    expect([changed.status, changed.body]).toEqual([200, { ...own, caption }])
    expect((await relative.patch<Media>(`/api/media/${own.id}`, { caption: '' })).body.caption).toBeNull()
    await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
    expect((await relative.get(`/api/memorials/${memorial.id}/media`)).body.media).toMatchObject([
      { id: owners.id, canDelete: false },
      { id: own.id, canDelete: true },
    ])
    expect((await relative.delete(`/api/media/${own.id}`)).status).toBe(204)
    expect((await new Client().fetch(`/media/stream/${own.id}`)).status).toBe(404)
    const admin = await signedIn({ admin: true })
    expect((await admin.delete(`/api/media/${owners.id}`)).status).toBe(204)
    expect(await mediaRowsOf(memorial.id)).toEqual([])
  },
)

test('caption and alternative text change together or alone; an empty edit is refused', async () => {
  const { owner, memorial } = await memorialOf()
  const photo = await photoBy(owner, memorial.id)
  const change = async (body: object) => {
    const answer = await owner.patch<Media>(`/api/media/${photo.id}`, body)
    return [answer.status, answer.body.caption, answer.body.alt]
  }
  const alt = 'Three people laugh in a boat'
  expect([photo.caption, photo.alt]).toEqual([null, null])
  expect(await change({ caption: 'The river', alt: ` ${alt} ` })).toEqual([200, 'The river', alt])
  expect(await change({ caption: null })).toEqual([200, null, alt])
  expect(await change({ alt: '' })).toEqual([200, null, null])
  expect(await change({ alt: 'é'.repeat(300) })).toEqual([200, null, 'é'.repeat(300)])
  for (const body of [{}, { alt: 'é'.repeat(301) }, { alt: 'two\nlines' }]) {
    expect((await change(body))[0]).toBe(400)
  }
})

test('the list has 60 items per page, newest first, and fits the viewer', async () => {
  const { memorial, relative } = await invited()
  const own = await photoBy(relative, memorial.id)
  const [row] = await mediaRowsOf(memorial.id)
  const { db } = testCtx()
  const ids = Array.from({ length: MEDIA_PAGE + 5 }, () => newId('media'))
  for (const [at, id] of ids.entries()) {
    // Two items share each timestamp, so paging must also use the id.
    await db
      .insert(media)
      .values({ ...row!, id, contributorId: null, objectKey: id, createdAt: 1000 + Math.floor(at / 2) })
  }
  const first = await relative.get<MediaPage>(`/api/memorials/${memorial.id}/media`)
  const second = await relative.get<MediaPage>(
    `/api/memorials/${memorial.id}/media?cursor=${first.body.nextCursor}`,
  )
  expect([first.body.media.length, second.body.media.length, second.body.nextCursor]).toEqual([60, 6, null])
  const all = [...first.body.media, ...second.body.media]
  expect(new Set(all.map(({ id }) => id))).toEqual(new Set([own.id, ...ids]))
  const times = all.map(({ createdAt }) => createdAt)
  expect(times).toEqual(times.toSorted().toReversed())
  expect(all[0]).toEqual({ ...own, canDelete: true, originalFileName: 'IMG_2041.jpg' })
  expect(all[1]).toMatchObject({
    canDelete: false,
    originalFileName: expect.stringMatching(/^photo-\w{6}\.jpg$/u),
  })
  expect((await new Client().get(`/api/memorials/${memorial.id}/media`)).status).toBe(403)
})

test('objects whose queue message was lost are deleted after a minute', async () => {
  const ctx = testCtx(() => Date.now() + 2 * MINUTE_MS)
  const prefix = `m/mem_${'a'.repeat(20)}/med_${'b'.repeat(20)}`
  await env.MEDIA.put(prefix, 'x')
  await env.MEDIA.put(`${prefix}/w320.webp`, 'x')
  await ctx.db.insert(objectDeletions).values({ prefix, createdAt: Date.now() })
  await drainObjectDeletions(testCtx())
  expect(await env.MEDIA.head(prefix)).not.toBeNull()
  await drainObjectDeletions(ctx)
  expect([await env.MEDIA.head(prefix), await env.MEDIA.head(`${prefix}/w320.webp`)]).toEqual([null, null])
  expect(await ctx.db.select().from(objectDeletions)).toEqual([])
})

test('the sweep deletes only objects without a row that are older than an hour', async () => {
  const { owner, memorial } = await memorialOf()
  await photoBy(owner, memorial.id)
  const stored = await objectsOf(memorial.id)
  const orphan = `m/${memorial.id}/${newId('media')}`
  const programme = `m/${memorial.id}/programmes/a.pdf`
  for (const key of [orphan, `${orphan}/w1920.webp`, programme]) await env.MEDIA.put(key, 'x')
  await sweepOrphanObjects(testCtx())
  expect(await env.MEDIA.head(orphan)).not.toBeNull()
  await writeRestoreMarker(testCtx(() => Date.now() + HOUR_MS))
  await sweepOrphanObjects(testCtx(() => Date.now() + HOUR_MS + MINUTE_MS))
  expect(await objectsOf(memorial.id)).toEqual([...stored, programme].toSorted())
})

test('deleting a photo or changing the portrait increases updatedAt despite clock skew', async () => {
  const { owner, memorial, path } = await memorialOf()
  const { id } = await photoBy(owner, memorial.id)
  await owner.patch(path, { coverMediaId: id })
  const ahead = Date.now() + HOUR_MS
  await changeRows(memorials, { id: memorial.id }, { updatedAt: ahead })
  await owner.delete(`/api/media/${id}`)
  const afterDelete = Date.parse((await owner.get(path)).body.memorial.updatedAt)
  await sendPortrait(owner, memorial.id, 'polyglot.jpg')
  const afterPortrait = Date.parse((await owner.get(path)).body.memorial.updatedAt)
  expect([afterDelete, afterPortrait]).toEqual([ahead + 1, ahead + 2])
})

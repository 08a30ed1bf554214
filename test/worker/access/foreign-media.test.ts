import { expect, test } from 'vitest'
import type { MediaUploaded } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import { fixture } from '../fixtures.ts'
import { Client, memorialOf, type SignedIn } from '../harness.ts'
import { quotaItemsOf, silence, slowUpload, upload } from '../uploads.ts'

async function photo(owner: SignedIn, memorialId: string): Promise<string> {
  const bytes = await fixture('polyglot.jpg')
  return (await upload<MediaUploaded>(owner, memorialId, { bytes, name: 'a.jpg', type: 'IMAGE' })).body.id
}

test('cover and portrait must be complete photos of the same memorial', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  const path = `/api/memorials/${memorial.id}`
  const { memorial: own } = await memorialOf({ owner })
  const stranger = await memorialOf()
  await owner.patch(`${path}/privacy`, { privacy: 'PRIVATE' })
  const sound = { bytes: silence(9000), name: 'v.wav', type: 'AUDIO' }
  const arriving = slowUpload(owner, memorial.id, { ...sound, name: 'w.wav' }, 5000)
  await arriving.started
  const [reserved = ''] = await quotaItemsOf(memorial.id)
  const recording = await upload<MediaUploaded>(owner, memorial.id, sound)
  const gone = await photo(owner, memorial.id)
  await owner.delete(`/api/media/${gone}`)
  const foreign = {
    'of another memorial of the owner': await photo(owner, own.id),
    'of a stranger': await photo(stranger.owner, stranger.memorial.id),
    'a recording': recording.body.id,
    'still uploading': reserved,
    deleted: gone,
    unknown: 'med_nothing',
    'no id': "' or 1=1 --",
  }
  const mine = await photo(owner, memorial.id)
  expect((await owner.patch(path, { coverMediaId: mine, profileMediaId: mine })).status).toBe(200)
  for (const [kind, id] of Object.entries(foreign)) {
    for (const name of ['coverMediaId', 'profileMediaId']) {
      const { status, body } = await owner.patch(path, { [name]: id })
      expect([kind, name, status, body.fields]).toEqual([
        kind,
        name,
        400,
        { [name]: messages.memorial.mediaNotHere },
      ])
    }
    const both = await owner.patch(path, { coverMediaId: mine, profileMediaId: id, title: 'x' })
    expect([kind, both.status]).toEqual([kind, 400])
  }
  expect((await arriving.finish()).status).toBe(201)
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  const { body } = await new Client().get(`/api/memorial/${memorial.slug}`)
  expect([body.memorial.coverMediaId, body.memorial.profileMediaId, body.memorial.title]).toEqual([
    mine,
    mine,
    null,
  ])
})

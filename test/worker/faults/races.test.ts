import { expect, test } from 'vitest'
import { messages } from '#shared/messages.ts'
import type { MediaUploaded } from '#shared/media/media.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { funeralEvents } from '#worker/schema/funeral.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'
import { fixture } from '../fixtures.ts'
import { type Client, contributorOf, invited, memorialOf } from '../harness.ts'
import { keeperIdOf, keeperOf } from '../keepers.ts'
import { rowsOf } from '../rows.ts'
import { giveReceipts, stateErrors } from '../state.ts'
import { mediaRowsOf, objectsOf, quotaItemsOf, slowUpload, SOUND, upload } from '../uploads.ts'
import { setDeleted } from '../whole-memorial.ts'
import { meanwhileEnv } from './faults.ts'

test('of 20 concurrent photos for one remaining place exactly one is stored', async () => {
  const { memorial, relative } = await invited()
  const photo = { bytes: await fixture('photo.png'), name: 'a.png', type: 'IMAGE' }
  for (let at = 0; at < 9; at++) await upload(relative, memorial.id, photo)
  const answers = await Promise.all(Array.from({ length: 20 }, () => upload(relative, memorial.id, photo)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ body }) => body.code === 'quota_exceeded')).toHaveLength(19)
  expect(await mediaRowsOf(memorial.id)).toHaveLength(10)
  expect(await quotaItemsOf(memorial.id)).toHaveLength(10)
  expect(await objectsOf(memorial.id)).toHaveLength(30)
  await giveReceipts()
  expect(await stateErrors([memorial.id])).toEqual([])
})

test(
  'an upload while its memorial is deleted is not stored, even after a restore',
  { tags: ['write-needs-existing-memorial'] },
  async () => {
    const { owner, memorial, relative } = await invited()
    const photo = { bytes: await fixture('photo-gps.jpg'), name: 'a.jpg', type: 'IMAGE' }
    const sending = [owner, relative].map((sender) => slowUpload(sender, memorial.id, photo, 5000))
    for (const { started } of sending) await started
    const confirmName = memorial.honoureeFullName
    expect((await owner.delete(`/api/memorials/${memorial.id}`, { confirmName })).status).toBe(200)
    for (const slow of sending) expect((await slow.finish()).status).toBe(404)
    const message = await relative.post(`/api/memorials/${memorial.id}/comments`, { body: 'She sang.' })
    expect(message.status).toBe(404)
    await owner.post(`/api/memorials/${memorial.id}/restore`)
    await giveReceipts()
    expect(await stateErrors([memorial.id])).toEqual([])
    expect([await mediaRowsOf(memorial.id), await objectsOf(memorial.id)]).toEqual([[], []])
    expect(await quotaItemsOf(memorial.id)).toEqual([])
  },
)

test('making a memorial public amid 25 writes accepts each whole or not at all', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  const relatives = await Promise.all([1, 2, 3].map(() => contributorOf(owner, memorial.id)))
  const photo = { bytes: await fixture('photo.png'), name: 'a.png', type: 'IMAGE' }
  const writes = Array.from({ length: 20 }, (_, at) =>
    relatives[at % 3]?.post(`${path}/comments`, { body: `Message ${at}` }),
  )
  const photos = Array.from({ length: 5 }, (_, at) => upload(relatives[at % 3] ?? owner, memorial.id, photo))
  const lock = owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  const answers = await Promise.all([...writes, ...photos])
  expect((await lock).status).toBe(200)
  const refused = answers.filter((answer) => answer?.status !== 201)
  expect(refused.every((answer) => answer?.body.code === 'memorial_locked')).toBe(true)
  const late = await relatives[0]?.post(`${path}/comments`, { body: 'Late' })
  expect([late?.status, late?.body.message]).toEqual([409, messages.memorial.locked])
  expect((await writtenIn(memorial.id)).flat()).toHaveLength(answers.length - refused.length)
  await giveReceipts()
  expect(await stateErrors([memorial.id])).toEqual([])
})

/** What the owner does between the reads and the write of a contributor's call, and the status of a new message then. */
const MEANWHILE: [string, number, (owner: Client, id: string) => Promise<unknown>][] = [
  ['replaces the link', 403, (owner, id) => owner.post(`/api/memorials/${id}/invite-link/rotate`)],
  ['makes it public', 409, (owner, id) => owner.patch(`/api/memorials/${id}/privacy`, { privacy: 'LOCKED' })],
  [
    'makes it private',
    403,
    (owner, id) => owner.patch(`/api/memorials/${id}/privacy`, { privacy: 'PRIVATE' }),
  ],
  ['deletes it', 404, (_, id) => setDeleted(id, 0)],
]

type Own = { path: string; mediaId: string; commentId: string; removedId: string }
const CHANGES: [string, (relative: Client, own: Own) => Promise<{ status: number }>][] = [
  ['a caption', (relative, { mediaId }) => relative.patch(`/api/media/${mediaId}`, { caption: 'Mine' })],
  ['a deleted medium', (relative, { mediaId }) => relative.delete(`/api/media/${mediaId}`)],
  ['a deleted message', (relative, { commentId }) => relative.delete(`/api/comments/${commentId}`)],
  ['a restored message', (relative, { removedId }) => relative.post(`/api/comments/${removedId}/restore`)],
  [
    'a message deleted for good',
    (relative, { removedId }) => relative.delete(`/api/comments/${removedId}?forever=1`),
  ],
  ['a message', (relative, { path }) => relative.post(`${path}/comments`, { body: 'And this' })],
]

async function writtenIn(memorialId: string) {
  return [
    await mediaRowsOf(memorialId),
    await rowsOf(comments, { memorialId }),
    await rowsOf(removedItems, { memorialId }),
  ]
}

test.each(MEANWHILE)(
  'a contributor’s write is refused if the owner %s just before it',
  {
    tags: [
      'write-needs-open-memorial',
      'restore-still-allowed',
      'removal-needs-shown-memorial',
      'removal-needs-live-link',
    ],
  },
  async (meanwhile, ofMessage, action) => {
    // From a public memorial, contributors may still remove what they added.
    const refused = CHANGES.filter(([name]) => meanwhile !== 'makes it public' || !name.includes('deleted'))
    for (const [name, change] of refused) {
      const { owner, memorial, path, relative } = await invited()
      const sound = await upload<MediaUploaded>(relative, memorial.id, SOUND)
      const post = async () =>
        (await relative.post(`${path}/comments`, { body: 'Rest well' })).body.comment.id
      const own = { path, mediaId: sound.body.id, commentId: await post(), removedId: await post() }
      await relative.delete(`/api/comments/${own.removedId}`)
      const before = await writtenIn(memorial.id)
      relative.bindings = meanwhileEnv(() => action(owner, memorial.id))
      const status = name === 'a message' ? ofMessage : 409
      expect([name, (await change(relative, own)).status]).toEqual([name, status])
      expect(await writtenIn(memorial.id)).toEqual(before)
    }
  },
)

test.each(['KEEPER', 'HELPER'] as const)(
  'a %s’s write is refused if the owner removes them just before it',
  { tags: ['write-needs-keeper', 'adding-needs-keeper'] },
  async (role) => {
    for (const [name, change] of CHANGES) {
      const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
      const keeper = await keeperOf(owner, memorial.id, role)
      const sound = await upload<MediaUploaded>(keeper, memorial.id, SOUND)
      const post = async () => (await keeper.post(`${path}/comments`, { body: 'Rest well' })).body.comment.id
      const own = { path, mediaId: sound.body.id, commentId: await post(), removedId: await post() }
      await keeper.delete(`/api/comments/${own.removedId}`)
      const before = await writtenIn(memorial.id)
      const [{ id }] = (await owner.get(`${path}/keepers`)).body.keepers
      keeper.bindings = meanwhileEnv(() => owner.delete(`${path}/keepers/${id}`))
      const status = name === 'a message' ? 403 : 409
      expect([name, (await change(keeper, own)).status]).toEqual([name, status])
      expect(await writtenIn(memorial.id)).toEqual(before)
    }
  },
)

type Kept = { path: string; eventId: string; personId: string; blockedId: string }
const WHEN = { dateTime: '2031-06-06T10:00' }
/** What only owner, keepers and admins do, and the answer to a keeper who was removed just before the write. */
const EDITS: [string, number, (keeper: Client, kept: Kept) => Promise<{ status: number }>][] = [
  ['a title', 409, (keeper, { path }) => keeper.patch(path, { title: 'Our mother' })],
  ['another gathering', 409, (keeper, { path }) => keeper.post(`${path}/funeral-events`, WHEN)],
  ['the first gathering', 409, (keeper, { path }) => keeper.put(`${path}/funeral`, WHEN)],
  [
    'a changed gathering',
    409,
    (keeper, { path, eventId }) => keeper.patch(`${path}/funeral-events/${eventId}`, WHEN),
  ],
  [
    'a deleted gathering',
    404,
    (keeper, { path, eventId }) => keeper.delete(`${path}/funeral-events/${eventId}`),
  ],
  [
    'the removal of all by one person',
    200,
    (keeper, { path, personId }) => keeper.post(`${path}/removals`, { contributorId: personId }),
  ],
  ['a block', 404, (keeper, { path, personId }) => keeper.post(`${path}/contributors/${personId}/block`)],
  [
    'the end of a block',
    404,
    (keeper, { path, blockedId }) => keeper.delete(`${path}/contributors/${blockedId}/block`),
  ],
]

test(
  'what only editors do is refused if the owner removes the keeper just before it',
  { tags: ['write-needs-keeper'] },
  async () => {
    const { owner, memorial, path, relative } = await invited()
    const blocked = await contributorOf(owner, memorial.id, 'Rumbidzai')
    for (const person of [relative, blocked]) await person.post(`${path}/comments`, { body: 'Rest well' })
    const [personId, blockedId] = [relative.session.contributorId, blocked.session.contributorId]
    expect((await owner.post(`${path}/contributors/${blockedId}/block`)).status).toBe(204)
    const eventId = (await owner.put(`${path}/funeral`, { dateTime: '2031-06-07T10:00' })).body.id
    const state = async () => [
      await rowsOf(memorials, { id: memorial.id }),
      await rowsOf(funeralEvents, { memorialId: memorial.id }),
      await rowsOf(contributors, { id: personId }),
      await rowsOf(contributors, { id: blockedId }),
      await writtenIn(memorial.id),
    ]
    const before = await state()
    for (const [name, status, edit] of EDITS) {
      const keeper = await keeperOf(owner, memorial.id, 'KEEPER')
      const id = await keeperIdOf(owner, memorial.id)
      keeper.bindings = meanwhileEnv(() => owner.delete(`${path}/keepers/${id}`))
      const answer = await edit(keeper, { path, eventId, personId, blockedId })
      expect([name, answer.status, await state()]).toEqual([name, status, before])
    }
  },
)

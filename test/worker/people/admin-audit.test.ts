import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { HOUR_MS } from '#shared/limits.ts'
import { auditLog } from '#worker/schema/admin.table.ts'
import { locations } from '#worker/schema/memorials.table.ts'
import { auditedByCall } from '../access/access-table.ts'
import { takeErrorLines } from '../runtime/error-lines.ts'
import { failingEnv } from '../faults/faults.ts'
import { fixture } from '../fixtures.ts'
import { inviteTokenOf, memorialOf, signedIn, testCtx } from '../harness.ts'
import { auditOf, changeRows, rowsOf } from '../rows.ts'
import { sendFixture, sendProgramme } from '../uploads.ts'

/** The actions recorded for a memorial, in order. */
async function actionsIn(memorialId: string): Promise<string[]> {
  const rows = await auditOf({ memorialId }, 'action', 'targetId')
  return rows.map(({ action, targetId }) => (targetId === memorialId ? action : `${action} ${targetId}`))
}

/** A public memorial, for which admin visits are not recorded. */
async function publicStage() {
  const admin = await signedIn({ admin: true })
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  return { admin, owner, memorial, path: `/api/memorials/${memorial.id}` }
}

test('a refused change leaves no row in the audit log', async () => {
  const { admin, memorial, path } = await publicStage()
  const stale = { title: 'x', updatedAt: '2020-01-01T00:00:00.000Z' }
  const refused = [
    [400, await admin.patch(path, { dateOfBirth: 'long ago' })],
    [400, await admin.patch(path, { coverMediaId: 'med_nothing' })],
    [409, await admin.patch(path, stale)],
    [400, await admin.patch(`${path}/privacy`, { privacy: 'PUBLIC' })],
    [400, await admin.put(`${path}/funeral`, {})],
    [404, await admin.patch(`${path}/funeral-events/evt_nothing`, { title: 'x' })],
    [404, await admin.delete(`${path}/funeral-events/evt_nothing`)],
    [400, await admin.put(`${path}/location`, { latitude: 91, longitude: 0 })],
    [409, await admin.post(`${path}/restore`)],
    [403, await admin.delete(path, { confirmName: memorial.honoureeFullName })],
    [403, await (await signedIn()).patch(path, { title: 'x' })],
  ] as const
  expect(refused.map(([, { status }]) => status)).toEqual(refused.map(([status]) => status))
  expect(await actionsIn(memorial.id)).toEqual([])
})

test.each(['before', 'after'] as const)(
  'a change and its record are atomic, whichever call fails %s its work',
  async (mode) => {
    const { admin, memorial, path } = await publicStage()
    const different: unknown[] = []
    let isDone = false
    for (let failAt = 1; !isDone; failAt++) {
      const { env, calls } = failingEnv(failAt, mode)
      admin.bindings = env
      await testCtx().db.delete(auditLog).where(eq(auditLog.memorialId, memorial.id))
      await admin.put(`${path}/location`, { latitude: failAt, longitude: 1 })
      takeErrorLines()
      const [place] = await rowsOf(locations, { memorialId: memorial.id })
      const wanted = place?.latitude === failAt ? ['edit_location'] : []
      const actions = await actionsIn(memorial.id)
      if (actions.join() !== wanted.join()) different.push([failAt, wanted, actions])
      isDone = calls() < failAt
    }
    expect(different).toEqual([])
    expect(await actionsIn(memorial.id)).toEqual(['edit_location'])
  },
)

/** The action recorded for each call that changes something, whether the memorial is public or not. */
const CHANGES = {
  updateMemorial: ['edit_memorial'],
  updatePrivacy: ['change_privacy'],
  saveFuneral: ['edit_funeral'],
  addFuneralEvent: ['edit_funeral'],
  updateFuneralEvent: ['edit_funeral'],
  deleteFuneralEvent: ['edit_funeral'],
  saveLocation: ['edit_location'],
  locationQr: ['make_qr_code'],
  updateMedia: ['edit_media'],
  deleteMedia: ['delete_media'],
  deleteComment: ['delete_comment'],
  restoreMedia: ['restore_removed'],
  restoreComment: ['restore_removed'],
  listRemoved: ['see_memorial'],
  listContributors: ['see_memorial'],
  listHeld: ['see_memorial'],
  listDecided: ['see_memorial'],
  listReported: ['see_memorial'],
  followers: ['see_memorial'],
  listKeepers: ['see_memorial'],
  listFamilyActions: ['see_memorial'],
  listSuccessors: ['see_memorial'],
  listReplies: ['see_memorial'],
  replyCounts: ['see_memorial'],
  repliesFile: ['see_memorial'],
  showHeld: ['show_held'],
  removedThumbnail: ['see_memorial'],
  inviteLink: ['see_invite_link'],
  rotateInviteLink: ['rotate_invite_link'],
  listInvitations: ['see_invite_link'],
  addInvitation: ['add_invitation'],
}
/** The calls that read, and need the right to see the memorial. */
const READS = [
  'memorial',
  'memorialBySlug',
  'funeralEvents',
  'programme',
  'calendar',
  'announcementCard',
  'listMedia',
  'mediaStream',
  'listComments',
  'contributorSession',
  'visitorWords',
  'ownReplies',
  'locationMap',
  'plaque',
]

test.each([
  ['LOCKED', CHANGES],
  ['PRIVATE', { ...CHANGES, ...Object.fromEntries(READS.map((name) => [name, ['see_memorial']])) }],
] as const)('every call that an admin makes to a %s memorial is recorded', async (privacy, expected) => {
  expect(await auditedByCall(privacy)).toEqual(expected)
})

test('a programme and a poster that an admin uploads are recorded', async () => {
  const { admin, owner, memorial, path } = await publicStage()
  await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
  const mediaId = await sendFixture(owner, memorial.id, 'video-2s.mp4')
  await owner.put(`${path}/funeral`, { dateTime: '2026-06-06T10:00' })
  const uploads = [
    await sendProgramme(admin, memorial.id),
    await admin.fetch(`/api/media/${mediaId}/poster`, { method: 'PUT', body: await fixture('photo.png') }),
  ]
  expect(uploads.map(({ status }) => status)).toEqual([201, 200])
  for (const { body } of uploads) await body?.cancel()
  expect(await actionsIn(memorial.id)).toEqual(['edit_funeral', `edit_media ${mediaId}`])
})

test('a change is recorded as its own action however the address is written', async () => {
  const { admin, owner, memorial, path } = await publicStage()
  await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
  const mediaId = await sendFixture(owner, memorial.id, 'voice-note-2s.ogg')
  const encoded = (text: string) => `%${text.charCodeAt(0).toString(16)}${text.slice(1)}`
  const written = [
    await admin.post(`${path}/${encoded('invite-link')}/${encoded('rotate')}`),
    await admin.put(`${path}/${encoded('location')}`, { latitude: 1, longitude: 1 }),
    await admin.patch(`/api/${encoded('media')}/${encoded(mediaId)}`, { caption: 'x' }),
    await admin.patch(`/api/memorials/${encoded(memorial.id)}/privacy`, { privacy: 'LOCKED' }),
    await admin.fetch(`${path}/invite-link`, { method: 'HEAD' }),
    await admin.fetch(`${path}/${encoded('invite-link')}`, { method: 'HEAD' }),
  ]
  expect(written.map(({ status }) => status)).toEqual(written.map(() => 200))
  expect(await actionsIn(memorial.id)).toEqual([
    'rotate_invite_link',
    'edit_location',
    `edit_media ${mediaId}`,
    'change_privacy',
    'see_invite_link',
    'see_invite_link',
  ])
})

test.each([
  ['a gathering for invited people', { audience: 'INVITED' }],
  ['a contact for the family', { contact: '0772', contactFor: 'FAMILY' }],
])('an admin’s visit to a public memorial is recorded if it has %s', async (_, fields) => {
  const { admin, owner, memorial, path } = await publicStage()
  const gathering = { kind: 'BURIAL', dateTime: '2031-06-06T10:00', ...fields }
  expect((await owner.post(`${path}/funeral-events`, gathering)).status).toBe(201)
  for (const read of [path, `${path}/funeral-events`]) expect((await admin.get(read)).status).toBe(200)
  expect(await actionsIn(memorial.id)).toEqual(['see_memorial'])
})

test('an admin’s visit is recorded once an hour, unless the memorial is public', async () => {
  const { admin, owner, memorial, path } = await publicStage()
  const token = await inviteTokenOf(owner, memorial.id)
  const reads = [
    path,
    `/api/memorial/${memorial.slug}`,
    `${path}/media`,
    `${path}/comments`,
    `${path}/funeral-events`,
    `${path}/plaque`,
    `${path}?invite=${token}`,
  ]
  for (const read of reads) expect((await admin.get(read)).status).toBe(200)
  expect(await actionsIn(memorial.id)).toEqual([])
  await owner.patch(`${path}/privacy`, { privacy: 'PRIVATE' })
  for (const read of reads) {
    await testCtx().db.delete(auditLog).where(eq(auditLog.memorialId, memorial.id))
    await Promise.all([admin.get(read), admin.get(read)])
    expect([read, await actionsIn(memorial.id)]).toEqual([read, ['see_memorial']])
  }
  await (await signedIn({ admin: true })).get(path)
  expect(await actionsIn(memorial.id)).toEqual(['see_memorial', 'see_memorial'])
  await changeRows(auditLog, { memorialId: memorial.id }, { createdAt: Date.now() - HOUR_MS - 1 })
  await admin.get(path)
  await owner.get(path)
  expect(await actionsIn(memorial.id)).toHaveLength(3)
})

import { createExecutionContext } from 'cloudflare:test'
import { asc, eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { HOUR_MS } from '#shared/limits.ts'
import { handleApi } from '#worker/api.ts'
import { auditLog } from '#worker/features/admin/admin.table.ts'
import { locations } from '#worker/features/location/location.table.ts'
import { takeErrorLines } from './error-lines.ts'
import { failingEnv } from './failing-env.ts'
import { inviteTokenOf, memorialOf, signedIn, testCtx } from './harness.ts'
import { silence, upload } from './uploads.ts'

/** What the log says was done in a memorial, in order. */
async function deedsIn(memorialId: string): Promise<string[]> {
  const rows = await testCtx()
    .db.select({ action: auditLog.action, targetId: auditLog.targetId })
    .from(auditLog)
    .where(eq(auditLog.memorialId, memorialId))
    .orderBy(asc(auditLog.createdAt), asc(auditLog.id))
  return rows.map(({ action, targetId }) => (targetId === memorialId ? action : `${action} ${targetId}`))
}

/** Public, so that looking leaves no line of its own. */
async function publicStage() {
  const admin = await signedIn({ admin: true })
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  return { admin, owner, memorial, path: `/api/memorials/${memorial.id}` }
}

test('M18: a deed that is refused leaves no line in the log, whatever refused it', async () => {
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
  expect(await deedsIn(memorial.id)).toEqual([])
})

test.each(['before', 'after'] as const)(
  'M18: nothing that an admin did is missing in the log, whatever call failed %s it was done',
  async (mode) => {
    const { admin, memorial, path } = await publicStage()
    const unrecorded: number[] = []
    let isDone = false
    for (let failAt = 1; !isDone; failAt++) {
      const { env, calls } = failingEnv(failAt, mode)
      admin.send = (url, init) => handleApi(new Request(url, init), env, createExecutionContext())
      await testCtx().db.delete(auditLog).where(eq(auditLog.memorialId, memorial.id))
      await admin.put(`${path}/location`, { latitude: failAt, longitude: 1 })
      takeErrorLines()
      const [place] = await testCtx().db.select().from(locations).where(eq(locations.memorialId, memorial.id))
      const isRecorded = (await deedsIn(memorial.id)).join() === 'edit_location'
      if (place?.latitude === failAt && !isRecorded) unrecorded.push(failAt)
      isDone = calls() < failAt
    }
    expect(unrecorded).toEqual([])
    expect(await deedsIn(memorial.id)).toEqual(['edit_location'])
  },
)

test('M18: an admin’s deed is recorded as what it was, however the address was written, by HEAD too', async () => {
  const { admin, owner, memorial, path } = await publicStage()
  await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
  const sound = await upload(owner, memorial.id, { bytes: silence(9000), name: 'v.wav', type: 'AUDIO' })
  const mediaId: string = sound.body.id
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
  expect(await deedsIn(memorial.id)).toEqual([
    'rotate_invite_link',
    'edit_location',
    `edit_media ${mediaId}`,
    'change_privacy',
    'see_invite_link',
    'see_invite_link',
  ])
})

test('M18: what an admin reads of a memorial that is not public is in the log, once an hour; a public one is not', async () => {
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
  expect(await deedsIn(memorial.id)).toEqual([])
  await owner.patch(`${path}/privacy`, { privacy: 'PRIVATE' })
  for (const read of reads) {
    await testCtx().db.delete(auditLog).where(eq(auditLog.memorialId, memorial.id))
    await Promise.all([admin.get(read), admin.get(read)])
    expect([read, await deedsIn(memorial.id)]).toEqual([read, ['see_memorial']])
  }
  await (await signedIn({ admin: true })).get(path)
  expect(await deedsIn(memorial.id)).toEqual(['see_memorial', 'see_memorial'])
  await testCtx()
    .db.update(auditLog)
    .set({ createdAt: Date.now() - HOUR_MS - 1 })
    .where(eq(auditLog.memorialId, memorial.id))
  await admin.get(path)
  await owner.get(path)
  expect(await deedsIn(memorial.id)).toHaveLength(3)
})

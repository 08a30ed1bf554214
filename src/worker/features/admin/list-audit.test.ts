import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import type { AuditEntry, AuditPage } from '#shared/admin/admin.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { auditLog } from '#worker/schema/admin.table.ts'
import { purgeMemorial } from '#worker/features/removal/removal.jobs.ts'
import { newId } from '#worker/platform/random.ts'
import { Client, contributorOf, memorialOf, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { upload, SOUND } from '../../../../test/worker/uploads.ts'

type OwnerPage = {
  entries: Pick<AuditEntry, 'id' | 'action' | 'targetKind' | 'createdAt'>[]
  nextCursor: string | null
}

test('each ordinary call that an admin makes is in the log that the owner sees', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  const relative = await contributorOf(owner, memorial.id)
  const recording = await upload(relative, memorial.id, SOUND)
  const posted = await relative.post(`${path}/comments`, { body: 'Rest well' })
  const mediaId: string = recording.body.id
  const commentId: string = posted.body.comment.id

  const done = [
    await admin.get(`${path}/invite-link`),
    await admin.post(`${path}/invite-link/rotate`),
    await admin.patch(path, { title: 'Beloved' }),
    await admin.put(`${path}/funeral`, { dateTime: '2026-06-06T10:00' }),
    await admin.put(`${path}/location`, { latitude: -17.8, longitude: 31 }),
    await admin.post(`${path}/location/qr`),
    await admin.patch(`/api/media/${mediaId}`, { caption: 'Her voice' }),
    await admin.delete(`/api/media/${mediaId}`),
    await admin.delete(`/api/comments/${commentId}`),
    await admin.patch(`${path}/privacy`, { privacy: 'PRIVATE' }),
  ]
  expect(done.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200, 204, 204, 200])
  // Reading a memorial that isn't public is recorded too; a call that admins are refused leaves no entry.
  await admin.get(path)
  await admin.get(`${path}/audit`)
  expect((await admin.post(`${path}/comments`, { body: 'x' })).status).toBe(403)
  expect((await admin.fetch(`${path}/profile-image`, { method: 'POST', body: new FormData() })).status).toBe(
    403,
  )

  const { body } = await admin.get<AuditPage>('/api/admin/audit')
  const mine = body.entries.filter(({ memorialId }) => memorialId === memorial.id).toReversed()
  const entry = (action: string, targetKind: string, targetId: string, detail: object | null = null) => ({
    id: expect.stringMatching(/^aud_/u),
    actorEmail: admin.user.email,
    action,
    targetKind,
    targetId,
    targetEmail: null,
    memorialId: memorial.id,
    memorialName: memorial.honoureeFullName,
    detail,
    createdAt: expect.stringMatching(/Z$/u),
  })
  const onMemorial = (action: string, detail: object | null = null) =>
    entry(action, 'memorial', memorial.id, detail)
  expect(mine).toEqual([
    onMemorial('see_invite_link'),
    onMemorial('rotate_invite_link'),
    onMemorial('edit_memorial'),
    onMemorial('edit_funeral'),
    onMemorial('edit_location'),
    onMemorial('make_qr_code'),
    entry('edit_media', 'media', mediaId),
    entry('delete_media', 'media', mediaId),
    entry('delete_comment', 'comment', commentId),
    onMemorial('change_privacy', { before: 'INVITE', after: 'PRIVATE' }),
    onMemorial('see_memorial'),
  ])

  const seen = (await owner.get<OwnerPage>(`${path}/audit`)).body
  expect(seen).toEqual({
    entries: mine
      .toReversed()
      .map(({ id, action, targetKind, createdAt }) => ({ id, action, targetKind, createdAt })),
    nextCursor: null,
  })
  expect((await admin.get(`${path}/audit`)).body).toEqual(seen)
})

test('the log names accounts by their address, and nothing that is purged', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorial } = await memorialOf()
  await admin.post(`/api/admin/users/${owner.user.id}/suspend`)
  await admin.post(`/api/admin/memorials/${memorial.id}/remove`)
  const newest = async () => {
    const { body } = await admin.get<AuditPage>('/api/admin/audit')
    const mine = body.entries.filter(({ targetId }) => [owner.user.id, memorial.id].includes(targetId))
    return mine.map(({ action, targetEmail, memorialName }) => [action, targetEmail, memorialName])
  }
  expect(await newest()).toEqual([
    ['remove_memorial', null, memorial.honoureeFullName],
    ['suspend_account', owner.user.email, null],
  ])
  await purgeMemorial(testCtx(), memorial.id)
  expect(await newest()).toEqual([
    ['purge', null, null],
    ['remove_memorial', null, null],
    ['suspend_account', owner.user.email, null],
  ])
})

test('what an owner does in their own memorial is not logged', async () => {
  const owner = await signedIn({ admin: true })
  const { path } = await memorialOf({ owner, privacy: 'INVITE' })
  await owner.post(`${path}/invite-link/rotate`)
  await owner.patch(path, { title: 'Beloved' })
  expect((await owner.get(`${path}/audit`)).body).toEqual({ entries: [], nextCursor: null })
})

test("only owner and admins read a memorial's log, and not once it is deleted", async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  const path = `/api/memorials/${memorial.id}/audit`
  const [anyone, stranger] = [new Client(), await signedIn()]
  expect([(await anyone.get(path)).status, (await stranger.get(path)).status]).toEqual([401, 403])
  expect((await anyone.get('/api/memorials/mem_nothing/audit')).status).toBe(401)
  expect((await owner.get('/api/memorials/mem_nothing/audit')).status).toBe(404)
  await owner.delete(`/api/memorials/${memorial.id}`, { confirmName: memorial.honoureeFullName })
  expect((await owner.get(path)).status).toBe(404)
})

test('the log is paged and names no actor for the system or a purged account', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorial } = await memorialOf()
  const at = Date.parse('2090-01-01')
  const purged = await signedIn()
  await testCtx().db.delete(users).where(eq(users.id, purged.user.id))
  const rows = Array.from({ length: 42 }, (_, i) => ({
    id: newId('audit'),
    actorId: i === 41 ? null : purged.user.id,
    action: 'edit_memorial' as const,
    targetKind: 'memorial' as const,
    targetId: memorial.id,
    memorialId: memorial.id,
    createdAt: at + i,
  }))
  for (const row of rows) await testCtx().db.insert(auditLog).values(row)
  const newest = rows.toReversed().map(({ id }) => id)
  const pagesOf = async (client: Client, path: string) => {
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null && found.length < 42;) {
      const answer: { body: OwnerPage } = await client.get<OwnerPage>(`${path}?cursor=${cursor}`)
      found.push(...answer.body.entries.map(({ id }) => id))
      cursor = answer.body.nextCursor
    }
    return found
  }
  expect((await pagesOf(admin, '/api/admin/audit')).slice(0, 42)).toEqual(newest)
  // The owner doesn't see what the system did, because no admin did it.
  expect(await pagesOf(owner, `/api/memorials/${memorial.id}/audit`)).toEqual(newest.slice(1))
  const { body } = await admin.get<AuditPage>('/api/admin/audit')
  expect(body.entries.map(({ actorEmail }) => actorEmail)).toEqual(Array(20).fill(null))
})

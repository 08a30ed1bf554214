import { expect, test } from 'vitest'
import type { AdminMemorialPage, AdminOwner } from '#shared/admin/admin.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { NEUTRAL_CARD_PATH } from '#worker/features/previews/page-head.ts'
import { Client, memorialOf, signedIn } from '../../../../test/worker/harness.ts'
import { changeRows, rowsOf, auditOf } from '../../../../test/worker/rows.ts'

test('suspension ends every session at once and keeps the memorials visible', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  const { id, email } = owner.user
  const { status, body } = await admin.post<AdminOwner>(`/api/admin/users/${id}/suspend`)
  expect([status, body]).toEqual([200, { id, email, suspendedAt: expect.stringMatching(/Z$/u) }])
  expect((await owner.get('/api/auth/user')).status).toBe(401)
  expect((await new Client().get(`/api/memorial/${memorial.slug}`)).status).toBe(200)
  const listed = await admin.get<AdminMemorialPage>(`/api/admin/memorials?search=${memorial.slug}`)
  expect(listed.body.memorials.map((one) => one.owner)).toEqual([body])

  const back = await admin.post<AdminOwner>(`/api/admin/users/${id}/reinstate`)
  expect([back.status, back.body]).toEqual([200, { id, email, suspendedAt: null }])
  expect((await owner.get('/api/auth/user')).status).toBe(401)
  expect(await auditOf({ targetId: id }, 'actorId', 'action', 'targetKind')).toEqual([
    { actorId: admin.user.id, action: 'suspend_account', targetKind: 'user' },
    { actorId: admin.user.id, action: 'reinstate_account', targetKind: 'user' },
  ])
})

test("a suspended owner's public memorial stays public until an admin removes it", async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  await owner.patch(`/api/memorials/${memorial.id}`, { allowSearchEngines: true })
  const see = async (path: string) => {
    const answer = await new Client().fetch(path)
    return { status: answer.status, text: await answer.text() }
  }
  const neutral = await see(NEUTRAL_CARD_PATH)
  const forms = async () => {
    const places = [...(await see('/sitemap.xml')).text.matchAll(/\/sitemaps\/\d[^<]+/gu)]
    const maps = await Promise.all(places.map(([path]) => see(path)))
    return {
      page: (await see(`/m/${memorial.slug}`)).text.includes(memorial.honoureeFullName),
      json: (await see(`/api/memorial/${memorial.slug}`)).status,
      card: (await see(`/m/${memorial.slug}/card.jpg`)).text !== neutral.text,
      sitemap: maps.some(({ text }) => text.includes(`/m/${memorial.slug}<`)),
    }
  }
  await admin.post(`/api/admin/users/${owner.user.id}/suspend`)
  expect(await forms()).toEqual({ page: true, json: 200, card: true, sitemap: true })
  await admin.post(`/api/admin/memorials/${memorial.id}/remove`)
  expect(await forms()).toEqual({ page: false, json: 404, card: false, sitemap: false })
})

test('repeated and simultaneous suspensions happen and are logged once', async () => {
  const admin = await signedIn({ admin: true })
  const { user } = await signedIn()
  const call = (verb: string) => admin.post<AdminOwner>(`/api/admin/users/${user.id}/${verb}`)
  const answers = [...(await Promise.all([call('suspend'), call('suspend')])), await call('suspend')]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  const at = answers[0]?.body.suspendedAt
  expect(answers.map(({ body }) => body.suspendedAt)).toEqual([at, at, at])
  const [row] = await rowsOf(users, { id: user.id })
  expect(row?.sessionEpoch).toBe(1)
  expect(await auditOf({ targetId: user.id }, 'action')).toHaveLength(1)
  await Promise.all([call('reinstate'), call('reinstate')])
  expect(await auditOf({ targetId: user.id }, 'action')).toHaveLength(2)
})

test('an admin cannot suspend themselves', async () => {
  const admin = await signedIn({ admin: true })
  const { status, body } = await admin.post(`/api/admin/users/${admin.user.id}/suspend`)
  expect([status, body]).toEqual([
    409,
    {
      code: 'conflict',
      message: 'You cannot suspend your own account. Please ask another admin to do it.',
    },
  ])
  expect((await admin.get('/api/auth/user')).status).toBe(200)
  expect(await auditOf({ targetId: admin.user.id }, 'action')).toEqual([])
})

test('a deleted account cannot be suspended or reinstated', async () => {
  const admin = await signedIn({ admin: true })
  const { user } = await signedIn()
  for (const [verb, suspendedAt] of [
    ['suspend', null],
    ['reinstate', Date.now()],
  ] as const) {
    const change = { deletedAt: Date.now(), suspendedAt }
    await changeRows(users, { id: user.id }, change)
    expect([verb, (await admin.post(`/api/admin/users/${user.id}/${verb}`)).status]).toEqual([verb, 404])
  }
  expect(await auditOf({ targetId: user.id }, 'action')).toEqual([])
})

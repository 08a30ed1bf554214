import { expect, test } from 'vitest'
import { DELETED_RESTORABLE_MS, UNPAID_DELETED_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import {
  Client,
  contributorOf,
  inviteTokenOf,
  memorialOf,
  signedIn,
} from '../../../../test/worker/harness.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'

test('a deleted memorial is hidden from everyone and can be restored intact', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'LOCKED', name: 'Zoë Moyo' })
  const invite = await inviteTokenOf(owner, memorial.id)
  const relative = await contributorOf(owner, memorial.id)
  const wrong = await owner.delete(path, { confirmName: 'Zoe Moyo' })
  expect([wrong.status, wrong.body.code]).toEqual([400, 'name_mismatch'])
  expect((await owner.delete(path, { confirmName: ' Zoe\u0308 Moyo ' })).status).toBe(200)

  const anyone = new Client()
  for (const [client, address] of [
    [owner, path],
    [relative, path],
    [anyone, path],
    [anyone, `/api/memorial/${memorial.slug}`],
    [anyone, `/api/invite/${invite}`],
    [relative, `${path}/comments`],
    [relative, `${path}/media`],
    [owner, `${path}/funeral.ics`],
    [relative, `${path}/contributor-session`],
  ] as const) {
    expect([address, (await client.get(address)).status]).toEqual([address, 404])
  }
  expect((await owner.get('/api/dashboard')).body.memorials).toEqual([])
  expect(await rowsOf(mails, { subjectId: memorial.id })).toMatchObject([
    { kind: 'memorial-deleted', recipient: owner.user.email },
  ])

  expect((await (await signedIn()).post(`${path}/restore`)).status).toBe(404)
  const { status, body } = await owner.post(`${path}/restore`)
  expect(status).toBe(200)
  expect(body).toEqual({ ...memorial, updatedAt: expect.any(String) })
  expect((await relative.get(`${path}/contributor-session`)).status).toBe(200)
  expect((await anyone.get(`/api/memorial/${memorial.slug}`)).status).toBe(200)
})

test('only its owner sees a deleted memorial among the restorable ones', async () => {
  const { owner, memorial } = await memorialOf({ name: 'Tendai Moyo' })
  await owner.delete(`/api/memorials/${memorial.id}`, { confirmName: 'Tendai Moyo' })
  const deletedAt = Date.now() - DELETED_RESTORABLE_MS + 60_000
  const setDeletedAt = (at: number) => changeRows(memorials, { id: memorial.id }, { deletedAt: at })
  await setDeletedAt(deletedAt)
  expect((await owner.get('/api/dashboard/deleted')).body).toEqual({
    memorials: [
      {
        id: memorial.id,
        honoureeFullName: 'Tendai Moyo',
        deletedAt: new Date(deletedAt).toISOString(),
        restorableUntil: new Date(deletedAt + DELETED_RESTORABLE_MS).toISOString(),
      },
    ],
    removed: [],
  })
  expect((await (await signedIn()).get('/api/dashboard/deleted')).body).toEqual({
    memorials: [],
    removed: [],
  })
  expect((await new Client().get('/api/dashboard/deleted')).status).toBe(401)
  await setDeletedAt(deletedAt - 120_000)
  expect((await owner.get('/api/dashboard/deleted')).body).toEqual({ memorials: [], removed: [] })
})

test('a deleted memorial cannot be restored after thirty days', async () => {
  const { owner, memorial, path } = await memorialOf()
  await owner.delete(path, { confirmName: memorial.honoureeFullName })
  const deletedAt = Date.now() - DELETED_RESTORABLE_MS - 1000
  await changeRows(memorials, { id: memorial.id }, { deletedAt })
  expect((await owner.post(`${path}/restore`)).status).toBe(404)
})

test('a deleted draft makes room for another and cannot return as a fourth', async () => {
  const owner = await signedIn()
  const draft = { honoureeFullName: 'Draft' }
  const [first] = [await owner.post('/api/memorials', draft)]
  for (let n = 0; n < 2; n++) expect((await owner.post('/api/memorials', draft)).status).toBe(201)
  expect((await owner.post('/api/memorials', draft)).status).toBe(409)
  await owner.delete(`/api/memorials/${first.body.id}`, { confirmName: 'Draft' })
  expect((await owner.post('/api/memorials', draft)).status).toBe(201)
  const { status, body } = await owner.post(`/api/memorials/${first.body.id}/restore`)
  expect([status, body.code]).toEqual([409, 'too_many_drafts'])
})

test('ten simultaneous deletions delete once and send one mail', async () => {
  const { owner, memorial } = await memorialOf()
  const answers = await atOnce(10, () =>
    owner.delete(`/api/memorials/${memorial.id}`, { confirmName: memorial.honoureeFullName }),
  )
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
  expect(await rowsOf(mails, { subjectId: memorial.id })).toHaveLength(1)
})

test('the number of deleted unpaid memorials per account is limited', async () => {
  const owner = await signedIn()
  const make = () => owner.post('/api/memorials', { honoureeFullName: 'Zoë Moyo' })
  const created: string[] = []
  for (let round = 0; round < UNPAID_DELETED_MAX; round++) {
    const { status, body } = await make()
    expect(status).toBe(201)
    created.push(body.id)
    await owner.delete(`/api/memorials/${body.id}`, { confirmName: 'Zoë Moyo' })
  }
  const { status, body } = await make()
  expect([status, body.code, body.message]).toEqual([
    409,
    'too_many_drafts',
    messages.memorial.tooManyDeleted,
  ])
  expect((await owner.post(`/api/memorials/${created[0]}/restore`)).status).toBe(200)
  expect((await make()).status).toBe(201)
})

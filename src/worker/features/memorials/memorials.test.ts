import { expect, test } from 'vitest'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { memorialOf, paidCredit, signedIn } from '../../../../test/worker/harness.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { atOnce, inTurn } from '../../../../test/worker/repeat.ts'

const name = { honoureeFullName: 'Tendai Rudo Moyo' }

async function paymentsOf(userId: string) {
  return rowsOf(payments, { userId })
}

test('a memorial created with an unused payment is active, paid and private', async () => {
  const owner = await signedIn()
  const paymentId = await paidCredit(owner.user.id)
  const { status, body } = await owner.post('/api/memorials', {
    honoureeFullName: '  Tendai Móyo ',
    title: 'He sang',
    dateOfBirth: '1941-03-09',
    dateOfDeath: '2026-05-30',
    status: 'ACTIVE',
    privacy: 'LOCKED',
    slug: 'mine',
  })
  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.stringMatching(/^mem_/u),
    ownerId: owner.user.id,
    slug: expect.stringMatching(/^tendai-moyo-[a-z0-9]{6}$/u),
    title: 'He sang',
    honoureeFullName: 'Tendai Móyo',
    dateOfBirth: '1941-03-09',
    dateOfBirthPrecision: 'DAY',
    dateOfDeath: '2026-05-30',
    dateOfDeathPrecision: 'DAY',
    coverMediaId: null,
    profileMediaId: null,
    lifeStory: null,
    status: 'ACTIVE',
    privacy: 'PRIVATE',
    lockedAt: null,
    showLocation: false,
    allowSearchEngines: false,
    showInvitePreview: false,
    holdNew: false,
    visitorMessages: 'NOBODY',
    mayAsk: 'INVITE_ONLY',
    tellOwner: 'AT_ONCE',
    isPaid: true,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  })
  expect(await paymentsOf(owner.user.id)).toMatchObject([{ id: paymentId, memorialId: body.id }])
})

test('twenty simultaneous creates with one payment make one active memorial', async () => {
  const owner = await signedIn()
  const paymentId = await paidCredit(owner.user.id)
  const answers = await atOnce(20, () => owner.post('/api/memorials', name))
  const created = answers.filter((answer) => answer.status === 201).map((answer) => answer.body)
  const refused = answers.filter((answer) => answer.status !== 201)
  expect(created.filter((memorial) => memorial.status === 'ACTIVE')).toHaveLength(1)
  expect(created.filter((memorial) => memorial.status === 'DRAFT')).toHaveLength(3)
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
    Array.from({ length: 16 }, () => [409, 'too_many_drafts']),
  )
  const active = created.find((memorial) => memorial.isPaid)
  expect(await paymentsOf(owner.user.id)).toMatchObject([{ id: paymentId, memorialId: active.id }])
})

test('twenty simultaneous creates with five payments use each once', async () => {
  const owner = await signedIn()
  for (let n = 0; n < 5; n++) await paidCredit(owner.user.id)
  const answers = await atOnce(20, () => owner.post('/api/memorials', name))
  const paid = answers.filter(({ body }) => body.isPaid).map(({ body }) => body.id)
  const attached = (await paymentsOf(owner.user.id)).map((payment) => payment.memorialId)
  expect(paid).toHaveLength(5)
  expect(new Set(attached)).toEqual(new Set(paid))
})

test('the oldest usable payment of the same account is attached', async () => {
  const [owner, stranger] = [await signedIn(), await signedIn()]
  await paidCredit(stranger.user.id)
  const [pending, flagged] = [await paidCredit(owner.user.id), await paidCredit(owner.user.id)]
  await changeRows(payments, { id: pending }, { status: 'PENDING', paidAt: null })
  await changeRows(payments, { id: flagged }, { refundReason: 'memorial_already_paid' })
  expect((await owner.post('/api/memorials', name)).body).toMatchObject({ status: 'DRAFT', isPaid: false })

  const [newer, older] = [await paidCredit(owner.user.id), await paidCredit(owner.user.id)]
  await changeRows(payments, { id: older }, { paidAt: 1 })
  const { body } = await owner.post('/api/memorials', name)
  expect(body).toMatchObject({ status: 'ACTIVE', isPaid: true })
  const rows = await paymentsOf(owner.user.id)
  expect(rows.find((row) => row.id === older)?.memorialId).toBe(body.id)
  expect(rows.find((row) => row.id === newer)?.memorialId).toBeNull()
})

test('a name without an ASCII letter gives a slug that starts with memorial', async () => {
  const { memorial } = await memorialOf({ name: '慕容雪' })
  expect(memorial.slug).toMatch(/^memorial-[a-z0-9]{6}$/u)
})

test.each([
  [{ dateOfBirth: '2026-02-30' }, 'dateOfBirth'],
  [{ dateOfBirth: '2000-01-02', dateOfDeath: '2000-01-01' }, 'dateOfDeath'],
  [{ dateOfDeath: '2199-01-01' }, 'dateOfDeath'],
  [{ dateOfBirth: '2199-01-01' }, 'dateOfBirth'],
  [{ dateOfBirth: '1499-12-31' }, 'dateOfBirth'],
])('create and update refuse impossible dates: %j', async (dates, field) => {
  const owner = await signedIn()
  const { owner: other, memorial } = await memorialOf()
  for (const answer of [
    await owner.post('/api/memorials', { ...name, ...dates }),
    await other.patch(`/api/memorials/${memorial.id}`, dates),
  ]) {
    expect([answer.status, answer.body.code, Object.keys(answer.body.fields)]).toEqual([
      400,
      'bad_input',
      [field],
    ])
  }
})

test('a date is checked against the other stored date', async () => {
  const { owner, path } = await memorialOf()
  expect((await owner.patch(path, { dateOfDeath: '2020-05-05' })).status).toBe(200)
  expect((await owner.patch(path, { dateOfBirth: '2020-05-06' })).status).toBe(400)
  expect((await owner.patch(path, { dateOfBirth: '2020-05-05' })).status).toBe(200)
  expect((await owner.patch(path, { dateOfDeath: '2020-05-04' })).status).toBe(400)
})

test('an edit changes neither privacy nor payment', async () => {
  const { owner, memorial, path } = await memorialOf()
  expect((await owner.patch(path, { isPaid: false, privacy: 'LOCKED' })).status).toBe(200)
  const { body } = await owner.get(path)
  expect(body.memorial).toEqual({ ...memorial, updatedAt: expect.any(String) })
})

test('two editors never silently overwrite each other', async () => {
  const { owner, memorial, path } = await memorialOf()
  const writes = await atOnce(8, (n) =>
    owner.patch(path, { title: `Version ${n}`, updatedAt: memorial.updatedAt }),
  )
  const won = writes.filter((answer) => answer.status === 200)
  const lost = writes.filter((answer) => answer.status !== 200)
  expect(won).toHaveLength(1)
  expect(lost.map(({ status, body }) => [status, body.code])).toEqual(
    Array.from({ length: 7 }, () => [409, 'edited_elsewhere']),
  )
  expect((await owner.get(path)).body.memorial.title).toBe(won[0]?.body.title)
  expect((await owner.patch(path, { title: 'x', updatedAt: 'nonsense' })).status).toBe(409)
  const again = await owner.patch(path, { title: 'Last', updatedAt: won[0]?.body.updatedAt })
  expect(again.status).toBe(200)
})

test('each write gets a later time than the one before, even in one millisecond', async () => {
  const { owner, memorial, path } = await memorialOf()
  const later = Date.now() + 3_600_000
  await changeRows(memorials, { id: memorial.id }, { updatedAt: later })
  const stamps = await inTurn(3, async (n) =>
    Date.parse((await owner.patch(path, { title: `${n}` })).body.updatedAt),
  )
  stamps.push(Date.parse((await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })).body.updatedAt))
  expect(stamps).toEqual([later + 1, later + 2, later + 3, later + 4])
})

test('the dashboard shows the owner’s memorials, newest first, with counts', async () => {
  const owner = await signedIn()
  const { memorial: first } = await memorialOf({ owner, name: 'First' })
  const { memorial: second } = await memorialOf({ owner, name: 'Second' })
  await changeRows(memorials, { id: first.id }, { createdAt: 1 })
  await memorialOf()
  await owner.post(`/api/memorials/${second.id}/comments`, { body: 'Rest well' })
  await owner.put(`/api/memorials/${second.id}/location`, { latitude: -18.97, longitude: 32.67 })
  await owner.put(`/api/memorials/${first.id}/funeral`, { dateTime: '2031-06-07T10:00' })
  const { body } = await owner.get('/api/dashboard')
  expect(body).toEqual({
    memorials: [
      {
        ...second,
        mediaCount: 0,
        commentCount: 1,
        serviceCount: 0,
        hasLocation: true,
        news: null,
        removedOn: null,
      },
      {
        ...first,
        createdAt: new Date(1).toISOString(),
        mediaCount: 0,
        commentCount: 0,
        serviceCount: 1,
        hasLocation: false,
        news: null,
        removedOn: null,
      },
    ],
  })
})

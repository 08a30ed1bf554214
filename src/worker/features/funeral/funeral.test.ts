import { expect, test } from 'vitest'
import { aGathering } from '#shared/funeral/a-gathering.ts'
import { funeralEvents } from '#worker/schema/funeral.table.ts'
import { memorialOf } from '../../../../test/worker/harness.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'

const service = { dateTime: '2026-06-06T10:00' }

test('a service has an instant, its time zone and every field', async () => {
  const { owner, path } = await memorialOf()
  const input = {
    title: 'Church service',
    dateTime: '2026-06-06T10:00',
    venueName: 'St Mary’s',
    addressLine: '1 Main Street',
    city: 'Harare',
    region: '',
    country: 'Zimbabwe',
    postalCode: '00263',
    notes: 'Line one\r\nLine two',
  }
  const { status, body } = await owner.put(`${path}/funeral`, input)
  expect(status).toBe(200)
  expect(body).toEqual({
    ...aGathering(),
    ...input,
    id: expect.stringMatching(/^fun_/u),
    kind: 'OTHER',
    dateTime: '2026-06-06T08:00:00.000Z',
    region: null,
    notes: 'Line one\nLine two',
  })
  const view = (await owner.get(path)).body
  expect([view.funeralEvent, view.funeralEvents]).toEqual([body, [body]])
  expect((await owner.get(`${path}/funeral-events`)).body).toEqual({ funeralEvents: [body] })
  const further = await owner.post(`${path}/funeral-events`, input)
  expect([further.status, further.body]).toEqual([201, { ...body, id: expect.stringMatching(/^fun_/u) }])
  expect(further.body.id).not.toBe(body.id)
})

test('repeated and parallel PUTs write one service and clear omitted fields', async () => {
  const { owner, memorial } = await memorialOf()
  const path = `/api/memorials/${memorial.id}/funeral`
  await atOnce(20, (n) => owner.put(path, { ...service, title: `T${n}` }))
  const { body: last } = await owner.put(path, { ...service, venueName: 'Home' })
  const { body } = await owner.get(`/api/memorials/${memorial.id}/funeral-events`)
  expect(body.funeralEvents).toEqual([last])
  expect(last).toMatchObject({ title: null, venueName: 'Home' })
})

test('ten parallel posts create four services, and a deleted one frees its place', async () => {
  const { owner, memorial } = await memorialOf()
  const path = `/api/memorials/${memorial.id}/funeral-events`
  const answers = await atOnce(10, () => owner.post(path, service))
  const created = answers.filter((answer) => answer.status === 201)
  expect(created).toHaveLength(4)
  expect(
    answers.filter((answer) => answer.status !== 201).map(({ status, body }) => [status, body.code]),
  ).toEqual(Array.from({ length: 6 }, () => [409, 'too_many_services']))
  const rows = await rowsOf(funeralEvents, { memorialId: memorial.id })
  expect(new Set(rows.map((row) => row.position))).toEqual(new Set([1, 2, 3, 4]))
  expect((await owner.delete(`${path}/${created[1]?.body.id}`)).status).toBe(204)
  expect((await owner.post(path, service)).status).toBe(201)
  expect((await owner.post(path, service)).status).toBe(409)
})

test('services are listed in time order', async () => {
  const { owner, memorial } = await memorialOf()
  const path = `/api/memorials/${memorial.id}/funeral-events`
  for (const dateTime of ['2026-06-07T10:00', '2026-06-05T18:00', '2026-06-06T09:00']) {
    await owner.post(path, { dateTime })
  }
  const { body } = await owner.get(path)
  expect(body.funeralEvents.map((event: { dateTime: string }) => event.dateTime)).toEqual([
    '2026-06-05T16:00:00.000Z',
    '2026-06-06T07:00:00.000Z',
    '2026-06-07T08:00:00.000Z',
  ])
})

test.each([
  ['2026-06-06T10:00', 'Africa/Harare', '2026-06-06T08:00:00.000Z'],
  ['2026-06-06T10:00:30', 'Africa/Harare', '2026-06-06T08:00:30.000Z'],
  ['2026-06-06T10:00', 'Europe/London', '2026-06-06T09:00:00.000Z'],
  ['2026-01-06T10:00', 'Europe/London', '2026-01-06T10:00:00.000Z'],
  ['2026-06-06T10:00', 'Asia/Kathmandu', '2026-06-06T04:15:00.000Z'],
  ['2026-06-06T10:00', 'Pacific/Kiritimati', '2026-06-05T20:00:00.000Z'],
  // A time that the clock skips moves forward by the gap; a repeated time is the first one.
  ['2026-03-29T01:30', 'Europe/London', '2026-03-29T01:30:00.000Z'],
  ['2026-10-25T01:30', 'Europe/London', '2026-10-25T00:30:00.000Z'],
  ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:30:00.000Z'],
  ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00.000Z'],
  ['2026-04-05T01:45', 'Australia/Lord_Howe', '2026-04-04T14:45:00.000Z'],
  ['2026-06-06T10:00:00+02:00', 'Europe/London', '2026-06-06T08:00:00.000Z'],
  ['2026-06-06T10:00Z', 'Africa/Harare', '2026-06-06T10:00:00.000Z'],
])('%s on a clock in %s is %s', async (dateTime, timeZone, instant) => {
  const { owner, memorial } = await memorialOf()
  const { body } = await owner.put(`/api/memorials/${memorial.id}/funeral`, { dateTime, timeZone })
  expect(body).toMatchObject({ dateTime: instant, timeZone })
})

test.each([
  [{}, 'dateTime', 'Date and time is required'],
  [{ dateTime: '' }, 'dateTime', 'Date and time is required'],
  [{ dateTime: '2026-02-30T10:00' }, 'dateTime', 'Please enter a real date and time'],
  [{ dateTime: '2026-02-30T10:00Z' }, 'dateTime', 'Please enter a real date and time'],
  [{ dateTime: '2026-06-06T24:30' }, 'dateTime', 'Please enter a real date and time'],
  [{ dateTime: '2026-06-06T10:00+30:00' }, 'dateTime', 'Please enter a real date and time'],
  [{ dateTime: '9999-12-31T23:59' }, 'dateTime', 'Please enter a real date and time'],
  [{ dateTime: 'tomorrow' }, 'dateTime', 'Please enter a real date and time'],
  [{ ...service, timeZone: 'Mars/Olympus' }, 'timeZone', 'Please choose a time zone from the list'],
  [{ ...service, title: 'x'.repeat(201) }, 'title', 'This must be 200 characters or less'],
  [{ ...service, notes: 'x'.repeat(1001) }, 'notes', 'This must be 1000 characters or less'],
])('an invalid service is refused: %j', async (input, field, message) => {
  const { owner, path } = await memorialOf()
  for (const answer of [
    await owner.put(`${path}/funeral`, input),
    await owner.post(`${path}/funeral-events`, input),
  ]) {
    expect([answer.status, answer.body.fields]).toEqual([400, { [field]: message }])
  }
  expect((await owner.get(`${path}/funeral-events`)).body.funeralEvents).toEqual([])
})

test('an update leaves omitted fields alone and refuses a time zone alone', async () => {
  const { owner, memorial } = await memorialOf()
  const path = `/api/memorials/${memorial.id}/funeral-events`
  const input = { ...service, timeZone: 'Europe/London', title: 'Burial', city: 'Leeds' }
  const { body: created } = await owner.post(path, input)
  const changed = await owner.patch(`${path}/${created.id}`, { dateTime: '2026-12-06T10:00', city: null })
  expect(changed.body).toEqual({ ...created, dateTime: '2026-12-06T10:00:00.000Z', city: null })
  const alone = await owner.patch(`${path}/${created.id}`, { timeZone: 'Africa/Harare' })
  expect([alone.status, Object.keys(alone.body.fields)]).toEqual([400, ['timeZone']])
})

test('a service of another memorial cannot be changed or deleted', async () => {
  const [mine, other] = [await memorialOf(), await memorialOf()]
  const { body: created } = await other.owner.post(`${other.path}/funeral-events`, service)
  const path = `${mine.path}/funeral-events/${created.id}`
  expect((await mine.owner.patch(path, { title: 'Mine' })).status).toBe(404)
  expect((await mine.owner.delete(path)).status).toBe(404)
  const { body } = await other.owner.get(`${other.path}/funeral-events`)
  expect(body.funeralEvents).toEqual([created])
})

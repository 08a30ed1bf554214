import ICAL from 'ical.js'
import { convertIcsCalendar } from 'ts-ics'
import { expect, test } from 'vitest'
import { Client, inviteTokenOf, memorialOf } from '../../../../test/worker/harness.ts'

type Read = {
  uid: string
  sequence: number
  status: string | undefined
  start: string
  end: string
  summary: string
}

/** What two parsers, which know nothing of each other, read of a feed. */
function readTwice(file: string): [Read[], Read[]] {
  const calendar = new ICAL.Component(ICAL.parse(file) as unknown[])
  const first = calendar.getAllSubcomponents('vevent').map((entry) => {
    const { uid, sequence, startDate, endDate, summary } = new ICAL.Event(entry)
    const status = (entry.getFirstPropertyValue('status') as string | null) ?? undefined
    const [start, end] = [startDate, endDate].map((date) => date.toJSDate().toISOString())
    return { uid, sequence: sequence ?? 0, status, start: start ?? '', end: end ?? '', summary }
  })
  const { events = [] } = convertIcsCalendar(undefined, file)
  const second = events.map(({ uid, sequence = 0, status, start, end, summary }) => ({
    uid,
    sequence,
    status,
    start: start.date.toISOString(),
    end: end?.date.toISOString() ?? '',
    summary,
  }))
  return [first, second]
}

test('two parsers read a feed, its updates and its cancellations', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'LOCKED' })
  const add = async (input: object) => (await owner.post(`${path}/funeral-events`, input)).body.id
  const church = await add({ kind: 'CHURCH', dateTime: '2031-06-06T08:00', venueName: 'St Mary’s' })
  const burial = await add({ kind: 'BURIAL', dateTime: '2031-06-06T10:00', endDateTime: '2031-06-06T13:30' })
  const read = async () => {
    const { status, headers, body } = await new Client().get<string>(`${path}/funeral.ics?feed=1`)
    expect([status, headers.get('Content-Disposition')]).toEqual([
      200,
      `inline; filename="${memorial.slug}.ics"; filename*=UTF-8''${memorial.slug}.ics`,
    ])
    const [first, second] = readTwice(body)
    expect(second).toEqual(first)
    return first
  }
  const entry = (id: string, fields: Partial<Read>) => ({
    uid: `${id}@localhost`,
    sequence: 0,
    status: undefined,
    ...fields,
  })
  const atChurch = { start: '2031-06-06T06:00:00.000Z', end: '2031-06-06T08:00:00.000Z' }
  const atGrave = { start: '2031-06-06T08:00:00.000Z', end: '2031-06-06T11:30:00.000Z' }
  expect(await read()).toEqual([
    entry(church, { ...atChurch, summary: 'Church service: Tendai Rudo Moyo' }),
    entry(burial, { ...atGrave, summary: 'Burial: Tendai Rudo Moyo' }),
  ])

  await owner.patch(`${path}/funeral-events/${burial}`, { dateTime: '2031-06-06T11:00' })
  await owner.patch(`${path}/funeral-events/${church}`, { isCancelled: true })
  const moved = { start: '2031-06-06T09:00:00.000Z', end: '2031-06-06T12:30:00.000Z' }
  expect(await read()).toEqual([
    entry(church, {
      ...atChurch,
      sequence: 1,
      status: 'CANCELLED',
      summary: 'Cancelled: Church service: Tendai Rudo Moyo',
    }),
    entry(burial, { ...moved, sequence: 1, summary: 'Burial: Tendai Rudo Moyo' }),
  ])

  await owner.delete(`${path}/funeral-events/${church}`)
  await owner.delete(`${path}/funeral-events/${burial}`)
  expect(await read()).toEqual([])
})

test('a feed says its name and how often to ask, and opens by an invitation', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  await owner.post(`${path}/funeral-events`, { dateTime: '2031-06-06T10:00', audience: 'INVITED' })
  const token = await inviteTokenOf(owner, memorial.id)
  expect((await new Client().get(`${path}/funeral.ics?feed=1`)).status).toBe(403)
  const { body } = await new Client().get<string>(`${path}/funeral.ics?feed=1&invite=${token}`)
  expect(body.split('\r\n').slice(4, 10)).toEqual([
    'METHOD:PUBLISH',
    'NAME:In memory of Tendai Rudo Moyo',
    'X-WR-CALNAME:In memory of Tendai Rudo Moyo',
    `UID:${memorial.slug}@localhost`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
  ])
  expect(readTwice(body)[0]).toHaveLength(1)
})

test('an entry holds what people need to get there and to watch from afar', async () => {
  const { owner, path } = await memorialOf({ privacy: 'LOCKED' })
  await owner.post(`${path}/funeral-events`, {
    kind: 'BURIAL',
    dateTime: '2031-06-06T10:00',
    venueName: 'Yeovil Cemetery',
    pin: { latitude: -18.97, longitude: 32.67 },
    wayThere: 'From the Shell at Sakubva, second left',
    dress: 'White',
    bring: 'A chair',
    contact: '0772 000 000',
    streamUrl: 'https://youtu.be/abc',
  })
  const { body } = await new Client().get<string>(`${path}/funeral.ics`)
  const [entry] = new ICAL.Component(ICAL.parse(body) as unknown[]).getAllSubcomponents('vevent')
  expect(String(entry?.getFirstPropertyValue('geo'))).toBe('-18.97,32.67')
  const { description } = new ICAL.Event(entry)
  expect(description.split('\n').slice(1, -1)).toEqual([
    `Directions: https://www.google.com/maps/dir/?api=1&destination=${encodeURIComponent('-18.970000,32.670000')}`,
    'From the Shell at Sakubva, second left',
    'What to wear: White',
    'What to bring: A chair',
    'Watch from afar: https://youtu.be/abc',
  ])
})

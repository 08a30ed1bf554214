import { expect, test } from 'vitest'
import { HOUR_MS } from '#shared/limits.ts'
import { funeralMessages } from '#shared/funeral/funeral-messages.ts'
import { messages } from '#shared/messages.ts'
import { placeHolds } from '#worker/features/funeral/funeral.ts'
import { memorialTag } from '#worker/platform/edge-cache.ts'
import { funeralEvents } from '#worker/schema/funeral.table.ts'
import { cachePurges } from '#worker/schema/jobs.table.ts'
import {
  Client,
  dropQueueMessages,
  contributorOf,
  inviteTokenOf,
  memorialOf,
  visitorOf,
} from '../../../../test/worker/harness.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

const burial = { kind: 'BURIAL', dateTime: '2031-06-06T10:00' }

test('every field of a gathering is stored and returned to its editors', async () => {
  const { owner, path } = await memorialOf()
  const input = {
    ...burial,
    endDateTime: '2031-06-06T13:30',
    pin: { latitude: '-18.97', longitude: 32.67 },
    wayThere: 'From the Shell at Sakubva,\nsecond left',
    dress: 'Black and white',
    bring: 'A chair',
    contact: 'Tariro, 0772 000 000',
    contactFor: 'INVITED',
    audience: 'INVITED',
    streamUrl: 'https://youtu.be/abc',
    recordingUrl: '',
    takesReplies: true,
    capacity: 80,
    repliesUntil: '2031-06-04T18:00',
    keepReplies: true,
  }
  const { status, body } = await owner.post(`${path}/funeral-events`, input)
  const { contactFor, capacity, keepReplies, ...rest } = input
  expect([status, body]).toEqual([
    201,
    expect.objectContaining({
      ...rest,
      dateTime: '2031-06-06T08:00:00.000Z',
      endDateTime: '2031-06-06T11:30:00.000Z',
      pin: { latitude: -18.97, longitude: 32.67 },
      recordingUrl: null,
      repliesUntil: '2031-06-04T16:00:00.000Z',
      settings: { contactFor, capacity, keepReplies },
    }),
  ])
  expect((await owner.get(`${path}/funeral-events`)).body).toEqual({ funeralEvents: [body] })
  const { body: emptied } = await owner.patch(`${path}/funeral-events/${body.id}`, {
    endDateTime: '',
    pin: null,
    capacity: null,
    repliesUntil: null,
  })
  expect(emptied).toMatchObject({ endDateTime: null, pin: null, repliesUntil: null })
  expect(emptied.settings.capacity).toBeNull()
})

test.for([
  ['endDateTime', { endDateTime: '2031-06-06T10:00' }, funeralMessages.endInvalid],
  ['endDateTime', { endDateTime: '2031-06-21T10:00' }, funeralMessages.endInvalid],
  ['endDateTime', { endDateTime: 'later' }, funeralMessages.dateTimeInvalid],
  ['streamUrl', { streamUrl: 'http://example.org' }, funeralMessages.linkInvalid],
  ['streamUrl', { streamUrl: 'https://rudo:secret@example.org' }, funeralMessages.linkInvalid],
  ['recordingUrl', { recordingUrl: 'javascript:alert(1)//example.org' }, funeralMessages.linkInvalid],
  ['capacity', { capacity: 0 }, funeralMessages.capacityInvalid],
  ['capacity', { capacity: 1.5 }, funeralMessages.capacityInvalid],
  ['pin.latitude', { pin: { latitude: 91, longitude: 0 } }, messages.location.latitudeInvalid],
  ['kind', { kind: 'PARTY' }, messages.form.checkFields],
] as const)('a wrong %s is refused: %j', async ([field, wrong, message]) => {
  const { owner, path } = await memorialOf()
  const { status, body } = await owner.post(`${path}/funeral-events`, { ...burial, ...wrong })
  expect([status, body.fields]).toEqual([400, { [field]: message }])
})

test('twenty parallel posts of each sort make four services and eight later gatherings', async () => {
  const { owner, path } = await memorialOf()
  const add = (kind: string) => owner.post(`${path}/funeral-events`, { ...burial, kind })
  const answers = await atOnce(40, (n) => add(n % 2 === 0 ? 'CHURCH' : 'NYARADZO'))
  const made = (kind: string) =>
    answers.filter(({ status, body }) => status === 201 && body.kind === kind).length
  expect([made('CHURCH'), made('NYARADZO')]).toEqual([4, 8])
  const later = await add('ANNIVERSARY')
  expect([later.status, later.body.code, later.body.message]).toEqual([
    409,
    'too_many_services',
    funeralMessages.tooManyLater,
  ])
})

test('a gathering of another kind moves to a place of that kind, if one is free', async () => {
  const { owner, path } = await memorialOf()
  const add = async (kind: string) =>
    (await owner.post(`${path}/funeral-events`, { ...burial, kind })).body.id
  const ids = [await add('BURIAL'), await add('BURIAL'), await add('BURIAL'), await add('BURIAL')]
  const later = await add('UNVEILING')
  const toKind = (id: string, kind: string) => owner.patch(`${path}/funeral-events/${id}`, { kind })
  const refused = await toKind(later, 'BURIAL')
  expect([refused.status, refused.body.message]).toEqual([409, funeralMessages.tooManyServices])
  expect((await toKind(ids[0], 'NYARADZO')).body.kind).toBe('NYARADZO')
  expect((await toKind(later, 'BURIAL')).body.kind).toBe('BURIAL')
})

test('PUT leaves alone what the first version of the contract did not have', async () => {
  const { owner, path } = await memorialOf()
  await owner.put(`${path}/funeral`, { ...burial, title: 'Burial', dress: 'White', takesReplies: true })
  const { body } = await owner.put(`${path}/funeral`, { dateTime: '2031-06-06T11:00' })
  expect(body).toMatchObject({ kind: 'BURIAL', title: null, dress: 'White', takesReplies: true })
})

test('the end moves with the beginning unless it is given', async () => {
  const { owner, path } = await memorialOf()
  const { body } = await owner.post(`${path}/funeral-events`, { ...burial, endDateTime: '2031-06-06T13:30' })
  const change = async (input: object) => (await owner.patch(`${path}/funeral-events/${body.id}`, input)).body
  expect((await change({ dateTime: '2031-06-07T09:00' })).endDateTime).toBe('2031-06-07T10:30:00.000Z')
  const both = { dateTime: '2031-06-07T10:00', endDateTime: '2031-06-07T11:00' }
  expect((await change(both)).endDateTime).toBe('2031-06-07T09:00:00.000Z')
})

test('the end of replies moves with the beginning unless given, and is never after it', async () => {
  const { owner, path } = await memorialOf()
  const { body } = await owner.post(`${path}/funeral-events`, { ...burial, repliesUntil: '2031-06-04T18:00' })
  const change = async (input: object) =>
    (await owner.patch(`${path}/funeral-events/${body.id}`, input)).body.repliesUntil
  expect([
    await change({ dateTime: '2031-06-08T11:00' }),
    await change({ notes: 'Bring a chair' }),
    await change({ dateTime: '2031-06-07T10:00', repliesUntil: '2031-06-01T18:00' }),
    await change({ repliesUntil: '2031-06-07T10:01' }),
    await change({ dateTime: '2031-05-07T10:00' }),
    await change({ dateTime: '2031-06-07T10:00', repliesUntil: '' }),
    await change({ dateTime: '2031-06-08T10:00' }),
  ]).toEqual([
    '2031-06-06T17:00:00.000Z',
    '2031-06-06T17:00:00.000Z',
    '2031-06-01T16:00:00.000Z',
    '2031-06-07T08:00:00.000Z',
    '2031-05-07T08:00:00.000Z',
    null,
    null,
  ])
})

/** A public memorial with a burial that was entered hours ago. */
async function settledBurial() {
  const { owner, path, memorial } = await memorialOf({ privacy: 'LOCKED' })
  const { body } = await owner.post(`${path}/funeral-events`, { ...burial, venueName: 'Yeovil Cemetery' })
  const age = (column: 'createdAt' | 'changedAt', hours: number) =>
    changeRows(funeralEvents, { id: body.id }, { [column]: Date.now() - hours * HOUR_MS })
  await age('createdAt', 5)
  const change = async (input: object) => (await owner.patch(`${path}/funeral-events/${body.id}`, input)).body
  const sequence = async () => (await rowsOf(funeralEvents, { id: body.id }))[0]?.sequence
  return { owner, path, memorial, age, change, sequence }
}
const before = {
  dateTime: '2031-06-06T08:00:00.000Z',
  endDateTime: null,
  timeZone: 'Africa/Harare',
  place: 'Yeovil Cemetery',
  isCancelled: false,
}

test('a changed time, place or cancellation says what the page said before', async () => {
  const { change, age, sequence } = await settledBurial()
  expect((await change({ notes: 'Bring a chair' })).change).toBeNull()
  expect((await change({ dateTime: '2031-06-06T11:00' })).change).toEqual({
    at: expect.any(String),
    ...before,
  })
  // Within the hour the first state counts; later the one in between.
  expect((await change({ venueName: 'Warren Hills' })).change).toMatchObject(before)
  await age('changedAt', 2)
  const { change: cancelled } = await change({ isCancelled: true })
  expect(cancelled).toMatchObject({ ...before, dateTime: '2031-06-06T09:00:00.000Z', place: 'Warren Hills' })
  expect(await sequence()).toBe(3)
})

test('a change that is taken back, or corrects what was just entered, leaves no mark', async () => {
  const { change, age, sequence } = await settledBurial()
  await change({ dateTime: '2031-06-06T11:00' })
  expect((await change({ dateTime: '2031-06-06T10:00' })).change).toBeNull()
  await age('createdAt', 0)
  expect((await change({ dateTime: '2031-06-06T11:00' })).change).toBeNull()
  expect(await sequence()).toBe(3)
})

test('a place that is known by its pin has changed once people would miss it', async () => {
  const { change, age, sequence } = await settledBurial()
  const pin = { latitude: -18.97, longitude: 32.67 }
  expect((await change({ pin })).change).toBeNull()
  expect((await change({ pin: { ...pin, latitude: -18.9712 } })).change).toBeNull()
  const moved = { latitude: -18.95, longitude: 32.67 }
  const first = { ...before, pin: { ...pin, latitude: -18.9712 } }
  expect((await change({ pin: moved })).change).toEqual({ at: expect.any(String), ...first })
  await age('changedAt', 2)
  expect((await change({ pin: null })).change).toEqual({ at: expect.any(String), ...first })
  expect(await sequence()).toBe(4)
})

test('a place still holds when the new one only says more of it', () => {
  const holds = (known: string) => placeHolds(known, 'Warren Hills, 1 Bishop Road, Harare')
  const places = ['Warren Hills', 'Warren Hills, Harare', 'Warren Hills, 1 Bishop Road, Harare']
  const others = ['', 'Harare', 'Warren', 'Warren Hills, Mutare', 'Warren Hills, Harare, 1 Bishop Road']
  expect([places.map(holds), others.map(holds)]).toEqual([
    [true, true, true],
    [false, false, false, false, false],
  ])
})

test('an address that only completes the place leaves no mark, and an older mark stays', async () => {
  const { change, age, sequence } = await settledBurial()
  expect((await change({ city: 'Mutare' })).change).toBeNull()
  await change({ dateTime: '2031-06-06T11:00' })
  await age('changedAt', 2)
  const { change: moved } = await change({ notes: 'Bring a chair' })
  expect(moved).toEqual({ at: expect.any(String), ...before, place: 'Yeovil Cemetery, Mutare' })
  const { change: completed } = await change({ addressLine: 'Chimanimani Road' })
  expect(completed).toEqual({ ...moved, place: 'Yeovil Cemetery, Chimanimani Road, Mutare' })
  // By way of another place, within the hour.
  await change({ venueName: 'Warren Hills', dateTime: '2031-06-06T12:00' })
  const back = { venueName: 'Yeovil Cemetery', region: 'Manicaland', dateTime: '2031-06-06T11:00' }
  expect((await change(back)).change).toBeNull()
  expect(await sequence()).toBe(5)
})

test(
  'a gathering for invited people is not there for anybody else',
  { tags: ['invited-gatherings-hidden', 'visitors-not-invited'] },
  async () => {
    const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
    const relative = await contributorOf(owner, memorial.id)
    const token = await inviteTokenOf(owner, memorial.id)
    await owner.post(`${path}/funeral-events`, { ...burial, audience: 'INVITED', title: 'Family lunch' })
    const visitor = await visitorOf(owner, memorial)
    const seenBy = async (client: Client, query = '') => {
      const texts = await Promise.all(
        [
          path,
          `/api/memorial/${memorial.slug}`,
          `${path}/funeral-events`,
          `${path}/funeral.ics`,
          `/memorial/${memorial.id}`,
        ].map(async (address) => (await client.request('GET', `${address}${query}`)).text()),
      )
      return texts.map((text) => text.includes('Family lunch'))
    }
    const all = [true, true, true, true, true]
    const none = [false, false, false, false, false]
    expect(await seenBy(owner)).toEqual(all)
    expect(await seenBy(relative)).toEqual(all)
    expect(await seenBy(new Client(), `?invite=${token}`)).toEqual(all)
    expect(await seenBy(visitor)).toEqual(none)
    expect(await seenBy(new Client())).toEqual(none)
    expect(await (await new Client().request('GET', `/m/${memorial.slug}`)).text()).not.toContain(
      'Family lunch',
    )
  },
)

test.for([
  ['EVERYBODY', [true, true, true]],
  ['INVITED', [true, true, false]],
  ['FAMILY', [true, false, false]],
] as const)('a contact for %s is shown to nobody else', async ([contactFor, shown]) => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  const relative = await contributorOf(owner, memorial.id)
  await owner.put(`${path}/funeral`, { ...burial, contact: '0772 000 000', contactFor })
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  const seen = [owner, relative, new Client()].map(async (client) => {
    const { body } = await client.get(path)
    return [body.funeralEvent.contact !== null, 'settings' in body.funeralEvent]
  })
  const [first, ...others] = shown
  const isEditor = contactFor !== 'FAMILY'
  expect(await Promise.all(seen)).toEqual([[first, isEditor], ...others.map((one) => [one, false])])
})

test.for([
  [{ title: 'Lunch' }, false],
  [{ audience: 'INVITED' }, true],
  [{ contactFor: 'FAMILY' }, true],
] as const)('the cached page goes at once if fewer people may see it: %j', async ([change, isUrgent]) => {
  dropQueueMessages()
  const { owner, memorial, path } = await memorialOf({ privacy: 'LOCKED' })
  const { body } = await owner.put(`${path}/funeral`, { ...burial, contactFor: 'EVERYBODY' })
  await owner.patch(`${path}/funeral-events/${body.id}`, change)
  const [purge] = await rowsOf(cachePurges, { tag: memorialTag(memorial.id) })
  expect(purge?.isUrgent).toBe(isUrgent)
})

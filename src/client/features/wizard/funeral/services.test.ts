import { expect, test } from 'vitest'
import { aGathering } from '#shared/funeral/a-gathering.ts'
import { FUNERAL_EVENTS_MAX, LATER_GATHERINGS_MAX } from '#shared/limits.ts'
import { funeralMessages } from '#shared/funeral/funeral-messages.ts'
import { messages } from '#shared/messages.ts'
import {
  cardName,
  fullOf,
  inputOf,
  isBlank,
  isUnchanged,
  movedEnd,
  newService,
  problemsOf,
  serviceOf,
  servicesOf,
  withNew,
  type Service,
} from './services.ts'

const burial = aGathering({ city: 'Mutare', country: 'Zimbabwe' })
const whole = aGathering({
  title: 'Burial of our father',
  endDateTime: '2026-06-06T11:30:00.000Z',
  venueName: 'Yeovil Cemetery',
  pin: { latitude: -18.97, longitude: 32.6709001 },
  wayThere: 'From the Shell,\nsecond left',
  dress: 'Black',
  bring: 'A chair',
  contact: 'Tariro',
  audience: 'INVITED',
  streamUrl: 'https://youtu.be/abc',
  recordingUrl: 'https://youtu.be/def',
  isCancelled: true,
  takesReplies: true,
  repliesUntil: '2026-06-04T16:00:00.000Z',
  settings: { contactFor: 'EVERYBODY', capacity: 80, keepReplies: true },
})

test('a saved gathering is shown in its own time zone', () => {
  const times = ({ dateTime, endDateTime, repliesUntil }: Service) => [dateTime, endDateTime, repliesUntil]
  expect(times(serviceOf(whole))).toEqual(['2026-06-06T10:00', '2026-06-06T13:30', '2026-06-04T18:00'])
  expect(times(serviceOf({ ...burial, timeZone: 'Europe/London' }))).toEqual(['2026-06-06T09:00', '', ''])
})

test('every field of a gathering is sent as it was shown', () => {
  expect(inputOf(serviceOf(whole))).toEqual({
    kind: 'BURIAL',
    title: 'Burial of our father',
    dateTime: '2026-06-06T10:00',
    endDateTime: '2026-06-06T13:30',
    timeZone: 'Africa/Harare',
    venueName: 'Yeovil Cemetery',
    addressLine: '',
    city: '',
    region: '',
    country: '',
    postalCode: '',
    wayThere: 'From the Shell,\nsecond left',
    pin: { latitude: -18.97, longitude: 32.6709 },
    dress: 'Black',
    bring: 'A chair',
    notes: '',
    contact: 'Tariro',
    contactFor: 'EVERYBODY',
    audience: 'INVITED',
    streamUrl: 'https://youtu.be/abc',
    recordingUrl: 'https://youtu.be/def',
    isCancelled: true,
    takesReplies: true,
    capacity: 80,
    repliesUntil: '2026-06-04T18:00',
    keepReplies: true,
  })
})

test('an empty card is sent as a funeral service with nothing set', () => {
  const { kind, pin, capacity, contactFor, audience, keepReplies } = inputOf(newService())
  expect({ kind, pin, capacity, contactFor, audience, keepReplies }).toEqual({
    kind: 'OTHER',
    pin: null,
    capacity: null,
    contactFor: 'FAMILY',
    audience: 'EVERYBODY',
    keepReplies: false,
  })
})

test('a funeral service that nobody named comes back without a chosen kind', () => {
  expect(serviceOf({ ...burial, kind: 'OTHER' }).kind).toBe('')
  expect(serviceOf({ ...burial, kind: 'OTHER', title: 'Vigil' })).toMatchObject({
    kind: 'OTHER',
    title: 'Vigil',
  })
})

test('a memorial without services gets one empty card for Zimbabwe, in Harare time', () => {
  const [first] = servicesOf([]).services
  expect({ zone: first?.timeZone, country: first?.country, blank: first && isBlank(first) }).toEqual({
    zone: 'Africa/Harare',
    country: 'Zimbabwe',
    blank: true,
  })
})

test('the first card for a grave far from Zimbabwe has no country', () => {
  const [first] = servicesOf([], { label: null, latitude: 53.8, longitude: -1.5 }).services
  expect(first?.country).toBe('')
})

test('a new card copies the town of the one before, not the venue', () => {
  const second = newService({ ...serviceOf(burial), venueName: 'St Mary' })
  expect([second.city, second.venueName, second.id]).toEqual(['Mutare', '', null])
})

test('a new service comes behind the services, a later gathering at the end', () => {
  const cards = [serviceOf(burial), serviceOf({ ...burial, id: 'fun_2', kind: 'NYARADZO' })]
  const kinds = (later: boolean) => withNew(cards, later).services.map(({ kind }) => kind)
  expect([kinds(false), kinds(true)]).toEqual([
    ['BURIAL', '', 'NYARADZO'],
    ['BURIAL', 'NYARADZO', 'OTHER_LATER'],
  ])
})

test('services and later gatherings each have places of their own', () => {
  const services = Array.from({ length: FUNERAL_EVENTS_MAX }, () => newService())
  const later = Array.from({ length: LATER_GATHERINGS_MAX }, () => newService(undefined, null, 'OTHER_LATER'))
  expect([services, later, services.slice(1).concat(later.slice(1))].map(fullOf)).toEqual([
    { services: true, later: false },
    { services: false, later: true },
    { services: false, later: false },
  ])
})

test('a card has its name, else that of its kind, else its number among its sort', () => {
  const cards = [
    newService(),
    { ...newService(), kind: 'BURIAL' as const },
    { ...newService(), title: ' Vigil ' },
    newService(undefined, null, 'OTHER_LATER'),
    newService(),
  ]
  expect(cards.map((card) => cardName(card, cards))).toEqual([
    'Service 1',
    'Burial',
    'Vigil',
    'Later gathering 1',
    'Service 4',
  ])
})

test('only a changed card is sent again', () => {
  const card = serviceOf(whole)
  expect(isUnchanged(card, whole)).toBe(true)
  expect(isUnchanged({ ...card, pin: 'https://maps.google.com/?q=-18.97,32.6709' }, whole)).toBe(true)
  const changes = [{ notes: 'Bring a chair' }, { isCancelled: false }, { capacity: '' }, { pin: '' }]
  expect(changes.map((change) => isUnchanged({ ...card, ...change }, whole))).toEqual([
    false,
    false,
    false,
    false,
  ])
  expect(isUnchanged(newService(), undefined)).toBe(false)
})

test('a card with a chosen kind or any text is not blank', () => {
  const card = newService()
  const changes = [{}, { kind: 'BURIAL' as const }, { wayThere: 'Second left' }, { id: 'fun_1' }]
  expect(changes.map((change) => isBlank({ ...card, ...change }))).toEqual([true, false, false, false])
})

test('each wrong value is told at the field that the family sees', () => {
  const wrong = {
    ...newService(),
    key: 'a',
    dateTime: '2031-06-07T10:00',
    endDateTime: 'soon',
    pin: 'https://maps.app.goo.gl/abc',
    streamUrl: 'http://example.org',
    capacity: '0',
  }
  expect(problemsOf(wrong)).toEqual({
    'a.endDateTime': funeralMessages.dateTimeInvalid,
    'a.pin': messages.location.noPosition,
    'a.streamUrl': funeralMessages.linkInvalid,
    'a.capacity': funeralMessages.capacityInvalid,
  })
  expect(problemsOf({ ...serviceOf(whole), key: 'a' })).toEqual({})
})

test('the end moves along with the beginning, but not while that is being typed', () => {
  const before = '2031-06-07T10:00'
  expect(movedEnd('2031-06-07T13:30', before, '2031-06-08T09:00')).toBe('2031-06-08T12:30')
  expect(movedEnd('2031-06-07T13:30', before, '0002-06-07T10:00')).toBe('0002-06-07T13:30')
  expect(movedEnd('2031-06-07T13:30', '', before)).toBe('2031-06-07T13:30')
  expect(movedEnd('', before, '2031-06-08T09:00')).toBe('')
})

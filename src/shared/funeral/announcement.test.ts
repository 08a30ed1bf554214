import { expect, test } from 'vitest'
import { aGathering } from './a-gathering.ts'
import { announced, announcementText, nextAnnounced, shortTimeOf, timesOf } from './announcement.ts'
import type { FuneralEvent } from './funeral.ts'

const NOW = Date.parse('2026-06-04T08:00:00.000Z')
const LINK = 'https://nhaka.example/m/tendai-moyo-k7q2mx'
const PERSON = {
  honoureeFullName: 'Tendai Rudo Moyo',
  dateOfBirth: '1948-03-14',
  dateOfBirthPrecision: 'DAY',
  dateOfDeath: '2026-06-02',
  dateOfDeathPrecision: 'DAY',
} as const

const textOf = (events: FuneralEvent[], more: { eventId?: string } = {}, person = {}) =>
  announcementText({ ...PERSON, ...person }, { events, now: NOW, link: LINK, ...more })

test('the text names the person, each gathering and the link', () => {
  const wake = aGathering({
    id: 'fun_2',
    kind: 'WAKE',
    dateTime: '2026-06-05T16:00:00.000Z',
    endDateTime: '2026-06-06T04:00:00.000Z',
    venueName: 'Kumusha kwaVaN’ombe',
    city: 'Chipinge',
    bring: 'A blanket',
  })
  const burial = aGathering({
    venueName: 'Yeovil Cemetery',
    addressLine: 'Yeovil Road',
    city: 'Mutare',
    dress: 'Black and white',
    streamUrl: 'https://www.YouTube.com/live/abc?si=1',
  })
  expect(textOf([wake, burial])).toBe(`*Tendai Rudo Moyo*
14 March 1948 – 2 June 2026

Wake (night vigil)
Friday 5 June 2026, 18:00 to Saturday 6 June, 06:00, Harare time
Kumusha kwaVaN’ombe, Chipinge
Please bring: A blanket

Burial
Saturday 6 June 2026, 10:00, Harare time
Yeovil Cemetery, Yeovil Road, Mutare
Watch from afar: youtube.com, by the link below
Dress: Black and white

Times can change. What’s true now is here:
${LINK}`)
  expect(textOf([wake, burial], { eventId: 'fun_2' })).not.toContain('Burial')
})

test('the text says what has changed, and what is cancelled', () => {
  const change = {
    at: '2026-06-03T08:00:00.000Z',
    dateTime: '2026-06-06T07:00:00.000Z',
    endDateTime: null,
    timeZone: 'Africa/Harare',
    place: 'Dangamvura',
    isCancelled: false,
  }
  const moved = aGathering({ change, city: 'Mutare' })
  const off = aGathering({ isCancelled: true, change, city: 'Mutare', bring: 'A chair', kind: 'CHURCH' })
  expect(textOf([moved, off]).split('\n\n').slice(1, 3)).toEqual([
    'Burial\nChanged: now Saturday 6 June 2026, 10:00, Harare time\nChanged: now Mutare',
    'Cancelled: Church service\nSaturday 6 June 2026, 10:00, Harare time\nMutare',
  ])
})

test('without a gathering ahead the text leads to the page', () => {
  const past = aGathering({ dateTime: '2026-06-03T08:00:00.000Z' })
  const bare = { dateOfBirth: null, dateOfDeath: null }
  expect([textOf([past]), textOf([], {}, bare)]).toEqual([
    `*Tendai Rudo Moyo*\n14 March 1948 – 2 June 2026\n\nTheir page:\n${LINK}`,
    `*Tendai Rudo Moyo*\n\nTheir page:\n${LINK}`,
  ])
})

test('a long name, other scripts and asterisks stay as they are, in bold', () => {
  const names = ['Ɓaɓa Ṋemakonḓe', 'Nomathemba '.repeat(9).trim(), 'نور', 'Tendai *Rudo* Moyo']
  expect(names.map((honoureeFullName) => textOf([], {}, { honoureeFullName }).split('\n')[0])).toEqual([
    '*Ɓaɓa Ṋemakonḓe*',
    `*${'Nomathemba '.repeat(9).trim()}*`,
    '*نور*',
    '*Tendai Rudo Moyo*',
  ])
})

test('only gatherings that are ahead and for everybody are announced', () => {
  const burial = aGathering()
  const others = [
    aGathering({ id: 'fun_2', audience: 'INVITED' }),
    aGathering({ id: 'fun_3', dateTime: '2026-06-04T05:59:00.000Z' }),
  ]
  expect(announced([burial, ...others], NOW)).toEqual([burial])
  expect(textOf([burial, ...others])).toBe(textOf([burial]))
})

test('the next gathering is the first that takes place, else the first cancelled one', () => {
  const cancelled = aGathering({ isCancelled: true })
  const later = aGathering({ id: 'fun_2', dateTime: '2026-06-07T08:00:00.000Z' })
  expect([
    nextAnnounced([cancelled, later], NOW)?.id,
    nextAnnounced([cancelled], NOW)?.id,
    nextAnnounced([], NOW),
  ]).toEqual(['fun_2', 'fun_1', null])
})

test('times have their date, zone and end', () => {
  const event = aGathering({ timeZone: 'Europe/London', endDateTime: '2026-06-06T10:30:00.000Z' })
  expect([timesOf(event), timesOf({ ...event, endDateTime: null }), shortTimeOf(event)]).toEqual([
    'Saturday 6 June 2026, 09:00 to 11:30, London time',
    'Saturday 6 June 2026, 09:00, London time',
    'Sat 6 June, 09:00, London time',
  ])
})

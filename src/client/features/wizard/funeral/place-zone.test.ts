import { expect, test } from 'vitest'
import { defaultZone, zoneOf } from './place-zone.ts'

const zone = (country: string, city = '') => zoneOf({ country, city })

test('a country with one clock has its time zone, however people write its name', () => {
  expect(
    ['Zimbabwe', ' south africa ', 'Zambia', 'UK', 'England', 'Ireland'].map((name) => zone(name)),
  ).toEqual([
    'Africa/Harare',
    'Africa/Johannesburg',
    'Africa/Lusaka',
    'Europe/London',
    'Europe/London',
    'Europe/Dublin',
  ])
  expect(zone('Germany', 'Munich')).toBe('Europe/Berlin')
})

test('a country with several clocks has a time zone only with a town that names it', () => {
  expect([zone('USA'), zone('USA', 'Dallas'), zone('United States', 'New York')]).toEqual([
    null,
    null,
    'America/New_York',
  ])
  expect(zone('Australia', 'perth')).toBe('Australia/Perth')
})

test('a half-written or unknown country has no time zone', () => {
  expect([zone(''), zone('Zimb'), zone('Home')]).toEqual([null, null, null])
})

test('a grave near Zimbabwe gives Harare time, one far away the zone of the device', () => {
  const device = new Intl.DateTimeFormat().resolvedOptions().timeZone
  expect(defaultZone(null)).toBe('Africa/Harare')
  expect(defaultZone({ latitude: -26.2, longitude: 28 })).toBe('Africa/Harare')
  expect(defaultZone({ latitude: 53.8, longitude: -1.5 })).toBe(device)
})

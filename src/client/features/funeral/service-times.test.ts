import { expect, test } from 'vitest'
import type { FuneralEvent } from '#shared/funeral.ts'
import { addressOf } from '#shared/directions.ts'
import { directionsUrl, isUpcoming } from './service-times.ts'

const burial: FuneralEvent = {
  id: 'fun_1',
  title: 'Burial service',
  dateTime: '2026-06-06T08:00:00.000Z',
  timeZone: 'Africa/Harare',
  venueName: 'Yeovil Cemetery',
  addressLine: 'Chimanimani Road',
  city: 'Mutare',
  region: null,
  country: 'Zimbabwe',
  postalCode: null,
  notes: null,
  programFileId: null,
  programFileName: null,
  programSize: null,
}

test('a service is upcoming until two hours after its start', () => {
  const end = Date.parse('2026-06-06T10:00:00.000Z')
  expect([isUpcoming(burial, end - 1), isUpcoming(burial, end)]).toEqual([true, false])
})

test('an address leaves out its unknown parts', () => {
  expect(addressOf(burial)).toBe('Chimanimani Road, Mutare, Zimbabwe')
})

test('directions use venue and address, and are null without both', () => {
  const nowhere = { ...burial, venueName: null, addressLine: null, city: null, country: null }
  expect([directionsUrl(burial), directionsUrl(nowhere)]).toEqual([
    'https://www.google.com/maps/dir/?api=1&destination=Yeovil%20Cemetery%2C%20Chimanimani%20Road%2C%20Mutare%2C%20Zimbabwe',
    null,
  ])
})

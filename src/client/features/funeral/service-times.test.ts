import { expect, test } from 'vitest'
import { addressOf } from '#shared/funeral/directions.ts'
import { directionsUrl } from './service-times.ts'
import { aGathering } from '#shared/funeral/a-gathering.ts'

const burial = aGathering({
  title: 'Burial service',
  venueName: 'Yeovil Cemetery',
  addressLine: 'Chimanimani Road',
  city: 'Mutare',
  country: 'Zimbabwe',
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

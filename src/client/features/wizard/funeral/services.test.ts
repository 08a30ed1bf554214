import { expect, test } from 'vitest'
import { aGathering } from '#shared/a-gathering.ts'
import { isBlank, isServices, isUnchanged, newService, serviceOf, servicesOf } from './services.ts'

const burial = aGathering({ title: 'Burial', city: 'Mutare', country: 'Zimbabwe' })

test('a saved service is shown in its own time zone', () => {
  expect(serviceOf(burial).dateTime).toBe('2026-06-06T10:00')
  expect(serviceOf({ ...burial, timeZone: 'Europe/London' }).dateTime).toBe('2026-06-06T09:00')
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

test('only a changed card is sent again', () => {
  expect(isUnchanged(serviceOf(burial), burial)).toBe(true)
  expect(isUnchanged({ ...serviceOf(burial), notes: 'Bring a chair' }, burial)).toBe(false)
  expect(isUnchanged(newService(), undefined)).toBe(false)
})

test('a draft without the shape of services is rejected', () => {
  expect(isServices({ services: [serviceOf(burial), newService()] })).toBe(true)
  expect([isServices({ services: [] }), isServices({ services: [{ key: 'a' }] }), isServices(null)]).toEqual([
    false,
    false,
    false,
  ])
})

import { expect, test } from 'vitest'
import { aGathering } from '#shared/funeral/a-gathering.ts'
import { completed, isServices } from './service-draft.ts'
import { newService, serviceOf } from './services.ts'

/** A card as the version before the kinds stored it. */
const old = {
  key: 'a',
  id: null,
  title: 'Vigil',
  dateTime: '2031-06-07T10:00',
  timeZone: 'Africa/Harare',
  venueName: 'Yeovil Cemetery',
  addressLine: '',
  city: 'Mutare',
  region: '',
  country: 'Zimbabwe',
  postalCode: '',
  notes: '',
}

test('a draft of this version and of the one before is read, another one is not', () => {
  expect(isServices({ services: [newService(), old] })).toBe(true)
  const wrong = [{ key: 'a' }, { ...old, kind: 'PARTY' }, { ...old, pin: null }, { ...old, isCancelled: '' }]
  const drafts = [...wrong.map((service) => ({ services: [service] })), { services: [] }, null]
  expect(drafts.filter(isServices)).toEqual([])
})

test('a whole draft stays as it is', () => {
  const card = { ...newService(), kind: 'WAKE' as const, pin: '-18, 32', takesReplies: true }
  expect(completed({ services: [card] }, [])).toEqual([card])
})

test('an old draft of a new service keeps its name and gets the fields of a new card', () => {
  const [card] = completed({ services: [old] }, [])
  expect(card).toEqual({ ...newService(), kind: 'OTHER', ...old })
  expect(completed({ services: [{ ...old, title: '' }] }, [])[0]?.kind).toBe('')
})

test('an old draft of a saved gathering gets what it lacks from there', () => {
  const saved = aGathering({ id: 'fun_1', kind: 'WAKE', dress: 'Black', isCancelled: true })
  const draft = { ...old, key: 'fun_1', id: 'fun_1', notes: 'Bring a chair' }
  expect(completed({ services: [draft] }, [saved])).toEqual([{ ...serviceOf(saved), ...draft }])
})

import { expect, test } from 'vitest'
import { memorialOf, signedIn } from '../harness.ts'

const service = { dateTime: '2026-06-06T10:00' }

test.each([
  ['title', 200],
  ['venueName', 200],
  ['addressLine', 500],
  ['city', 100],
  ['region', 100],
  ['country', 100],
  ['postalCode', 20],
  ['notes', 1000],
])('the %s of a service has at most %i characters', async (field, max) => {
  const { owner, memorial } = await memorialOf()
  const path = `/api/memorials/${memorial.id}/funeral`
  const right = await owner.put(path, { ...service, [field]: 'é'.repeat(max) })
  expect([right.status, right.body[field]]).toEqual([200, 'é'.repeat(max)])
  const wrong = await owner.put(path, { ...service, [field]: 'é'.repeat(max + 1) })
  expect([wrong.status, wrong.body.fields]).toEqual([
    400,
    { [field]: `This must be ${max} characters or less` },
  ])
})

test('a name has 1 to 100 characters and the sentence about them at most 200', async () => {
  const owner = await signedIn()
  const make = (body: object) => owner.post('/api/memorials', body)
  const honoureeFullName = 'é'.repeat(100)
  const title = 'é'.repeat(200)
  expect((await make({ honoureeFullName, title })).body).toMatchObject({ honoureeFullName, title })
  for (const [body, fields] of [
    [{}, { honoureeFullName: 'Full name is required' }],
    [{ honoureeFullName: ' ' }, { honoureeFullName: 'Full name is required' }],
    [
      { honoureeFullName: `${honoureeFullName}x` },
      { honoureeFullName: 'Full name must be 100 characters or less' },
    ],
    [{ honoureeFullName, title: `${title}x` }, { title: 'The sentence must be 200 characters or less' }],
  ]) {
    const { status, body: answer } = await make(body ?? {})
    expect([status, answer.fields]).toEqual([400, fields])
  }
})

test('both dates of a life may be left out', async () => {
  const owner = await signedIn()
  const { status, body } = await owner.post('/api/memorials', { honoureeFullName: 'Tendai Moyo' })
  expect([status, body.dateOfBirth, body.dateOfDeath]).toEqual([201, null, null])
})

test('a location is within ±90 and ±180, and its label has at most 200 characters', async () => {
  const { owner, memorial } = await memorialOf()
  const save = async (place: object) => {
    const { status, body } = await owner.put(`/api/memorials/${memorial.id}/location`, place)
    return [status, body.fields]
  }
  const label = 'é'.repeat(200)
  expect(await save({ latitude: 90, longitude: 180, label })).toEqual([200, undefined])
  expect(await save({ latitude: -90, longitude: -180 })).toEqual([200, undefined])
  const latitude = 'Latitude must be a number from -90 to 90'
  const longitude = 'Longitude must be a number from -180 to 180'
  expect(await save({ latitude: 90.000001, longitude: 180.000001 })).toEqual([400, { latitude, longitude }])
  expect(await save({ latitude: -90.000001, longitude: -180.000001 })).toEqual([400, { latitude, longitude }])
  expect(await save({ latitude: 0, longitude: 0, label: `${label}x` })).toEqual([
    400,
    { label: 'This must be 200 characters or less' },
  ])
})

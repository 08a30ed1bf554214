import { expect, test } from 'vitest'
import { DAY_MS } from '#shared/limits.ts'
import { memorialOf, signedIn } from '../harness.ts'
import { meanwhileEnv } from '../faults/faults.ts'

const service = { dateTime: '2026-06-06T10:00' }
const LATITUDE = 'Latitude must be a number from -90 to 90'
const LONGITUDE = 'Longitude must be a number from -180 to 180'

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
  const beyond = [400, { latitude: LATITUDE, longitude: LONGITUDE }]
  expect(await save({ latitude: 90.000001, longitude: 180.000001 })).toEqual(beyond)
  expect(await save({ latitude: -90.000001, longitude: -180.000001 })).toEqual(beyond)
  expect(await save({ latitude: 0, longitude: 0, label: `${label}x` })).toEqual([
    400,
    { label: 'This must be 200 characters or less' },
  ])
})

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)

const DATES: [object, number][] = [
  [{ dateOfBirth: '1941-03-09', dateOfDeath: '1941-03-09' }, 200],
  [{ dateOfBirth: '1500-01-01', dateOfDeath: null }, 200],
  [{ dateOfBirth: '2000-02-29' }, 200],
  [{ dateOfDeath: day(Date.now()) }, 200],
  [{ dateOfDeath: day(Date.now() + 3 * DAY_MS) }, 400],
  [{ dateOfBirth: '1941-03-10', dateOfDeath: '1941-03-09' }, 400],
  [{ dateOfBirth: '1499-12-31' }, 400],
  [{ dateOfBirth: '1900-02-29' }, 400],
  [{ dateOfBirth: '1941-3-9' }, 400],
  [{ dateOfBirth: '１９４１-０３-０９' }, 400],
  [{ dateOfBirth: '1941-03-09T00:00:00Z' }, 400],
  [{ dateOfBirth: ' 1941-03-09 ' }, 400],
  [{ dateOfBirth: '+01941-03-09' }, 400],
  [{ dateOfBirth: '0000-00-00' }, 400],
  [{ dateOfBirth: 19_410_309 }, 400],
  [{ dateOfBirth: ['1941-03-09'] }, 400],
  [{ dateOfBirth: true }, 400],
  [{ dateOfBirth: '1931' }, 400],
  [{ dateOfBirth: '1931-05-12', dateOfDeath: '1931-01-01', dateOfDeathPrecision: 'YEAR' }, 200],
  [{ dateOfBirth: '1931-05-12', dateOfDeath: '1930-01-01', dateOfDeathPrecision: 'YEAR' }, 400],
  [{ dateOfBirth: '1931-01-01', dateOfBirthPrecision: 'ABOUT', dateOfDeath: '1925-06-02' }, 200],
  [{ dateOfDeath: day(Date.now()), dateOfDeathPrecision: 'YEAR' }, 200],
  [{ dateOfDeath: day(Date.now() + 366 * DAY_MS), dateOfDeathPrecision: 'ABOUT' }, 400],
  [{ dateOfBirth: '1931-02-30', dateOfBirthPrecision: 'YEAR' }, 400],
  [{ dateOfBirth: '1931-05-12', dateOfBirthPrecision: 'CENTURY' }, 400],
  [{ dateOfBirth: '1931-05-12', dateOfBirthPrecision: null }, 400],
]

test('dates of a life must be possible, in order and in one format', async () => {
  const { owner, path } = await memorialOf()
  for (const [dates, status] of DATES) {
    await owner.patch(path, { dateOfBirth: null, dateOfDeath: null })
    expect([dates, (await owner.patch(path, dates)).status]).toEqual([dates, status])
  }
})

test('a date that is known less exactly stays so until somebody gives another one', async () => {
  const { owner, path } = await memorialOf()
  const changes: [change: object, date: string | null, precision: string][] = [
    [{ dateOfBirth: '1931-05-12', dateOfBirthPrecision: 'ABOUT' }, '1931-01-01', 'ABOUT'],
    // A client that knows no precisions sends back the date that it read.
    [{ honoureeFullName: 'Tendai', dateOfBirth: '1931-01-01' }, '1931-01-01', 'ABOUT'],
    [{ title: 'She sang' }, '1931-01-01', 'ABOUT'],
    [{ dateOfBirthPrecision: 'DAY' }, '1931-01-01', 'DAY'],
    [{ dateOfBirth: '1931-05-12' }, '1931-05-12', 'DAY'],
    [{ dateOfBirthPrecision: 'MONTH' }, '1931-05-01', 'MONTH'],
    [{ dateOfBirth: '1932-05-12' }, '1932-05-12', 'DAY'],
    [{ dateOfBirth: null, dateOfBirthPrecision: 'YEAR' }, null, 'DAY'],
    [{ dateOfBirthPrecision: 'YEAR' }, null, 'DAY'],
  ]
  for (const [change, date, precision] of changes) {
    const { status, body } = await owner.patch(path, change)
    expect([change, status, body.dateOfBirth, body.dateOfBirthPrecision]).toEqual([
      change,
      200,
      date,
      precision,
    ])
  }
})

test('two people who each change one date at once never leave a death before a birth', async () => {
  for (const [mine, theirs] of [
    [{ dateOfBirth: '2020-05-05' }, { dateOfDeath: '2019-01-01' }],
    [{ dateOfDeath: '1990-01-01' }, { dateOfBirth: '1995-01-01' }],
    [{ dateOfBirthPrecision: 'YEAR' }, { dateOfBirth: '1951-02-03' }],
  ]) {
    const { owner, path } = await memorialOf()
    await owner.patch(path, { dateOfBirth: '1950-01-01', dateOfDeath: '2024-01-01' })
    owner.bindings = meanwhileEnv(async () => {
      owner.bindings = null
      expect((await owner.patch(path, theirs)).status).toBe(200)
    })
    const { status, body } = await owner.patch(path, mine)
    expect([status, body.code]).toEqual([409, 'edited_elsewhere'])
    const stored = (await owner.get(path)).body.memorial
    expect(stored.dateOfBirth < stored.dateOfDeath).toBe(true)
  }
})

const PLACES = [
  ['0', 0],
  [0, '-0'],
  ['-90', '180'],
  [90, -180],
  ['-17.829167', '31.052222'],
]
const NO_NUMBERS = [
  '1e400',
  1e308,
  'NaN',
  'Infinity',
  ' 5',
  '5 ',
  '５',
  '٥',
  '0x10',
  '1e1',
  '+5',
  '1,5',
  '--5',
  '5.',
  '.5',
  '',
  null,
  true,
  [5],
  { valueOf: 5 },
]

test('a location is two plain numbers within the range of coordinates', async () => {
  const { owner, path } = await memorialOf()
  for (const [latitude, longitude] of PLACES) {
    const { status } = await owner.put(`${path}/location`, { latitude, longitude })
    const stored = { label: null, latitude: Number(latitude) + 0, longitude: Number(longitude) + 0 }
    expect([status, (await owner.get(path)).body.location]).toEqual([200, stored])
  }
  const { location } = (await owner.get(path)).body
  const wrong = NO_NUMBERS.flatMap((value) => [{ latitude: value }, { longitude: value }])
  for (const place of [
    ...wrong,
    { latitude: '90.0000001' },
    { latitude: 91 },
    { longitude: 180.000_000_1 },
  ]) {
    const { status, body } = await owner.put(`${path}/location`, { latitude: 0, longitude: 0, ...place })
    const fields = 'latitude' in place ? { latitude: LATITUDE } : { longitude: LONGITUDE }
    expect([place, status, body.fields]).toEqual([place, 400, fields])
  }
  expect((await owner.get(path)).body.location).toEqual(location)
})

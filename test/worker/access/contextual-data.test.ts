import { createExecutionContext } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { DAY_MS } from '#shared/limits.ts'
import { handleApi } from '#worker/api.ts'
import { memorialOf } from '../harness.ts'
import { meanwhileEnv } from '../faults/meanwhile.ts'

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
]

test('dates of a life must be possible, in order and in one format', async () => {
  const { owner, memorial } = await memorialOf()
  const path = `/api/memorials/${memorial.id}`
  for (const [dates, status] of DATES) {
    await owner.patch(path, { dateOfBirth: null, dateOfDeath: null })
    expect([dates, (await owner.patch(path, dates)).status]).toEqual([dates, status])
  }
})

test('two people who each change one date at once never leave a death before a birth', async () => {
  for (const [mine, theirs] of [
    [{ dateOfBirth: '2020-05-05' }, { dateOfDeath: '2019-01-01' }],
    [{ dateOfDeath: '1990-01-01' }, { dateOfBirth: '1995-01-01' }],
  ]) {
    const { owner, memorial } = await memorialOf()
    const path = `/api/memorials/${memorial.id}`
    await owner.patch(path, { dateOfBirth: '1950-01-01', dateOfDeath: '2024-01-01' })
    const send = owner.send
    const bindings = meanwhileEnv(async () => {
      owner.send = send
      expect((await owner.patch(path, theirs)).status).toBe(200)
    })
    owner.send = (url, init) => handleApi(new Request(url, init), bindings, createExecutionContext())
    const { status, body } = await owner.patch(path, mine)
    expect([status, body.code]).toEqual([409, 'edited_elsewhere'])
    const stored = (await owner.get(path)).body.memorial
    expect(stored.dateOfBirth < stored.dateOfDeath).toBe(true)
  }
})

const PLACES: [unknown, unknown, number][] = [
  ['0', 0, 200],
  [0, '-0', 200],
  ['-90', '180', 200],
  [90, -180, 200],
  ['-17.829167', '31.052222', 200],
  ['90.0000001', 0, 400],
  [0, 180.000_000_1, 400],
  [0, '1e400', 400],
  [1e308, 0, 400],
  [0, 'NaN', 400],
  [0, 'Infinity', 400],
  [0, ' 5', 400],
  [0, '5 ', 400],
  [0, '５', 400],
  [0, '٥', 400],
  [0, '0x10', 400],
  [0, '1,5', 400],
  [0, '--5', 400],
  [0, '5.', 400],
  [0, '.5', 400],
  [0, '', 400],
  [0, null, 400],
  [0, [5], 400],
  [0, { valueOf: 5 }, 400],
]

test('a location is two plain numbers within the range of coordinates', async () => {
  const { owner, memorial } = await memorialOf()
  const path = `/api/memorials/${memorial.id}`
  let last: unknown = null
  for (const [latitude, longitude, status] of PLACES) {
    const answer = await owner.put(`${path}/location`, { latitude, longitude })
    expect([latitude, longitude, answer.status]).toEqual([latitude, longitude, status])
    const { location } = (await owner.get(path)).body
    const wanted = { label: null, latitude: Number(latitude) + 0, longitude: Number(longitude) + 0 }
    last = status === 200 ? wanted : last
    expect([latitude, longitude, location]).toEqual([latitude, longitude, last])
  }
})

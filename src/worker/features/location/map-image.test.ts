import { env } from 'cloudflare:test'
import { expect, inject, test } from 'vitest'
import { mapImage } from '#worker/features/location/map-image.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { Client, memorialOf, ORIGIN } from '../../../../test/worker/harness.ts'
import { callWith } from '../../../../test/worker/runtime/worker-with.ts'
import { atOnce, inOneMinute } from '../../../../test/worker/repeat.ts'

const PLACE = { label: 'Family plot', latitude: -17.829167, longitude: 31.052222 }

async function withLocation() {
  const created = await memorialOf()
  const path = created.path
  await created.owner.put(`${path}/location`, PLACE)
  return { ...created, path, map: `${path}/location/map` }
}

test('the owner gets a map image, which the browser revalidates each time', async () => {
  const { owner, map, path } = await withLocation()
  const answer = await owner.fetch(map)
  const bytes = new Uint8Array(await answer.arrayBuffer())
  expect([
    answer.status,
    answer.headers.get('Content-Type'),
    answer.headers.get('Cache-Control'),
    answer.headers.get('X-Content-Type-Options'),
    answer.headers.get('Content-Security-Policy'),
  ]).toEqual([
    200,
    'image/png',
    'private, no-cache',
    'nosniff',
    "default-src 'none'; frame-ancestors 'none'; sandbox",
  ])
  const size = new DataView(bytes.buffer)
  expect([size.getUint32(16), size.getUint32(20)]).toEqual([600, 300])

  const tag = answer.headers.get('ETag') ?? ''
  for (const known of [tag, `W/${tag}`, `"another", ${tag}`]) {
    expect((await owner.fetch(map, { headers: { 'If-None-Match': known } })).status).toBe(304)
  }
  await owner.put(`${path}/location`, { ...PLACE, latitude: -17.8 })
  expect((await owner.fetch(map, { headers: { 'If-None-Match': tag } })).status).toBe(200)
})

test('others get the map image only once the owner shows the location', async () => {
  const { owner, path, map } = await withLocation()
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  const statusForAnyone = async () => (await new Client().fetch(map)).status
  expect(await statusForAnyone()).toBe(404)
  await owner.patch(path, { showLocation: true })
  expect(await statusForAnyone()).toBe(200)

  const without = await memorialOf()
  expect((await without.owner.fetch(`${without.path}/location/map`)).status).toBe(404)
})

test('one IP address gets at most 60 map images a minute', async () => {
  const { owner, map } = await withLocation()
  const headers = { 'If-None-Match': (await owner.fetch(map)).headers.get('ETag') ?? '' }
  const answers = await inOneMinute(() => {
    const sameOwner = Object.assign(new Client(), { cookies: owner.cookies })
    return atOnce(61, () => sameOwner.fetch(map, { headers }))
  })
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
  expect(statuses).toEqual([...Array(60).fill(304), 429])
})

test.each(['svg', 'huge', 'error'])(
  'a provider response that is not a small image is not passed on: %s',
  async (as) => {
    const { owner, map } = await withLocation()
    const settings = { MAP_IMAGE_URL: `${inject('sandboxUrl')}/map.png?as=${as}&key=secret-key-of-provider` }
    expect(await callWith(settings, 'GET', map, owner)).toEqual({ status: 502, code: 'upstream_failed' })
    expect(takeErrorLines().join('\n')).not.toContain('secret-key-of-provider')
  },
)

test('a provider that does not respond times out, and its key stays out of the log', async () => {
  const sandboxUrl = inject('sandboxUrl')
  await fetch(`${sandboxUrl}/faults`, {
    method: 'POST',
    body: JSON.stringify({ service: 'mail', mode: 'stall', match: 'map-that-stalls' }),
  })
  const request = new Request(ORIGIN)
  const requestMap = (MAP_IMAGE_URL: string) =>
    mapImage({ env: { ...env, MAP_IMAGE_URL }, request }, PLACE, 100)
  await expect(requestMap(`${sandboxUrl}/tx/map-that-stalls`)).rejects.toMatchObject({
    code: 'upstream_failed',
  })
  await expect(requestMap('nowhere:secret-key-of-provider')).rejects.toSatisfy(
    (error: Error) => !String((error.cause as Error).stack).includes('secret-key-of-provider'),
  )
})

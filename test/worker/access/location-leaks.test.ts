import { expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import type { Privacy } from '#shared/memorials/memorials.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { Client, contributorOf, inviteTokenOf, memorialOf, signedIn } from '../harness.ts'
import { changeRows } from '../rows.ts'

const LOCATION = { latitude: -17.829167, longitude: 31.052222, label: 'Zvimba plot 4411' }
const TRACES = ['17.829', '31.052', 'Zvimba plot']
/** The calls that return the location to those whom the owner lets see it. */
const LOCATION_CALLS = ['memorial', 'memorialBySlug', 'calendar']
const KEYS = new Set(['latitude', 'longitude', 'label'])

/** Non-empty location keys anywhere in a JSON answer. */
function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    KEYS.has(key) && inner !== null ? [key] : keysIn(inner),
  )
}

/** Parts of an answer that reveal the location: its numbers, its label, or keys that hold others. */
async function tracesIn(response: Response): Promise<string[]> {
  const text = await response.text()
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json')
  const headers = JSON.stringify([...response.headers])
  return [
    ...TRACES.filter((trace) => (text + headers).includes(trace)),
    ...(isJson && text !== '' ? keysIn(JSON.parse(text)) : []),
  ]
}

/** Makes every GET call and requests every page of a memorial, as every viewer who may not edit, and looks for the location. */
async function expectLocationAccess(privacy: Privacy, showLocation: boolean): Promise<void> {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  await owner.put(`${path}/location`, LOCATION)
  await owner.put(`${path}/funeral`, { dateTime: '2026-06-06T10:00', venueName: 'Home' })
  await owner.patch(path, { showLocation })
  const invite = await inviteTokenOf(owner, memorial.id)
  const people: Record<string, Client> = {
    anybody: new Client(),
    'a stranger': await signedIn(),
    'a relative': await contributorOf(owner, memorial.id),
    'a guest with the link': await contributorOf(owner, memorial.id, 'Guest Visitor'),
  }
  const lockedAt = privacy === 'LOCKED' ? 1 : null
  await changeRows(memorials, { id: memorial.id }, { privacy, lockedAt })

  const addresses = Object.entries(api)
    .filter(([, { method }]) => method === 'GET')
    .map(([name, { path: at }]) => [
      name,
      at
        .replace(':id', name.startsWith('admin') || name === 'mediaStream' ? 'x' : memorial.id)
        .replace(':slug', memorial.slug)
        .replace(':token', invite),
    ])
  expect(addresses.length).toBeGreaterThan(25)
  const pages = [
    ['the public page', `/m/${memorial.slug}`],
    ['the page', `/memorial/${memorial.id}`],
    ['the invitation', `/invite/${invite}`],
  ]
  const revealing: string[] = []
  for (const [who, client] of Object.entries(people)) {
    for (const [name, address] of [...addresses, ...pages]) {
      const traces = await tracesIn(await client.fetch(address ?? ''))
      if (traces.length > 0) revealing.push(`${who}: ${name}`)
    }
  }
  const toAll = pages.map(([name]) => name)
  const allowed: Record<Privacy, (who: string) => (string | undefined)[]> = {
    PRIVATE: () => [],
    // Whoever opens the invitation has the link.
    INVITE: (who) =>
      ['a relative', 'a guest with the link'].includes(who)
        ? [...LOCATION_CALLS, 'the page', 'the invitation']
        : ['the invitation'],
    LOCKED: () => [...LOCATION_CALLS, ...toAll],
  }
  const expected = Object.keys(people).flatMap((who) =>
    allowed[privacy](who).map((name) => `${who}: ${name}`),
  )
  expect(revealing).toEqual(showLocation ? expected : [])
  // The owner does get the location.
  expect((await owner.get(path)).body.location).toEqual(LOCATION)
}

test.each([
  ['PRIVATE', true],
  ['INVITE', false],
  ['INVITE', true],
  ['LOCKED', false],
  ['LOCKED', true],
] as const)('the location of a %s memorial is only for permitted viewers (shown: %s)', expectLocationAccess)

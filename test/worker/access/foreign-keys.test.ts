import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { Client, inviteTokenOf, memorialOf, paidCredit, signedIn, type SignedIn } from '../harness.ts'
import { quotaItemsOf, sendFixture, slowUpload, SOUND } from '../uploads.ts'
import { serverMessages } from '../../../src/worker/platform/server-messages.ts'

const PAST = '2001-01-01T00:00:00.000Z'

type Stage = {
  id: string
  otherId: string
  eventId: string
  mediaId: string
  invite: string
  owner: SignedIn
}

async function stageOf(): Promise<Stage> {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  const other = await memorialOf()
  const { body: event } = await owner.put(`${path}/funeral`, { dateTime: '2026-06-06T10:00' })
  const mediaId = await sendFixture(owner, memorial.id, 'voice-note-2s.ogg')
  const invite = await inviteTokenOf(owner, memorial.id)
  return { id: memorial.id, otherId: other.memorial.id, eventId: event.id, mediaId, invite, owner }
}

/** Keys that no caller may write, as the API and the database spell them. */
const keysOf = ({ otherId }: Stage): Record<string, unknown> => ({
  id: 'x',
  ownerId: 'usr_other',
  owner_id: 'usr_other',
  userId: 'usr_other',
  memorialId: otherId,
  memorial_id: otherId,
  slug: 'better',
  status: 'REMOVED',
  isPaid: true,
  lockedAt: PAST,
  deletedAt: 1,
  createdAt: 1,
  lifeStoryVersion: 99,
  inviteToken: 'x',
  inviteTokenId: 'x',
  role: 'ADMIN',
  isAdmin: true,
  emailVerifiedAt: 1,
  passwordHash: 'x',
  sessionEpoch: 7,
  suspendedAt: 1,
  authorUserId: 'usr_other',
  authorContributorId: 'con_other',
  contributorId: 'con_other',
  isGuest: true,
  tokenHash: 'x',
  expiresAt: 9_999_999_999_999,
  likeCount: 1000,
  objectKey: `m/${otherId}/x`,
  mimeType: 'text/html',
  type: 'IMAGE',
  size: 1,
  durationSec: 1,
  hasThumbnail: true,
  placeholder: 'data:text/html,x',
  posterKey: `m/${otherId}/x`,
  position: 4,
  programmeKey: `m/${otherId}/x`,
  amount: 1,
})

type Call = ['PATCH' | 'PUT' | 'POST', (at: Stage) => string, Record<string, unknown>]
const CHANGES: Record<string, Call> = {
  'a memorial': ['PATCH', ({ id }) => `/api/memorials/${id}`, { title: 'Beloved' }],
  'its privacy': ['PATCH', ({ id }) => `/api/memorials/${id}/privacy`, { privacy: 'INVITE' }],
  'its place': ['PUT', ({ id }) => `/api/memorials/${id}/location`, { latitude: 1, longitude: 2 }],
  'its first service': ['PUT', ({ id }) => `/api/memorials/${id}/funeral`, { dateTime: '2026-06-06T10:00' }],
  'a service': [
    'PATCH',
    ({ id, eventId }) => `/api/memorials/${id}/funeral-events/${eventId}`,
    { venueName: 'Home' },
  ],
  'a medium': [
    'PATCH',
    ({ mediaId }) => `/api/media/${mediaId}`,
    { caption: 'Her voice', alt: 'A microphone' },
  ],
  'an account': ['PATCH', () => '/api/account', { firstName: 'Rudo', lastName: 'Moyo' }],
}

function withoutStamp(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'updated_at'))
}

/** Every row of every table but the family's log, which notes each change, without the time of its last change. */
async function everything(): Promise<Record<string, Record<string, unknown>[]>> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '[_d]*' AND name <> 'family_actions' ORDER BY name",
  ).all<{ name: string }>()
  const answers = await env.DB.batch<Record<string, unknown>>(
    results.map(({ name }) => env.DB.prepare(`SELECT * FROM "${name}" ORDER BY 1`)),
  )
  return Object.fromEntries(results.map(({ name }, at) => [name, answers[at]!.results.map(withoutStamp)]))
}

test.each(Object.entries(CHANGES))(
  'an update of %s ignores every key that a caller may not set',
  async (_, [method, path, body]) => {
    const stage = await stageOf()
    const first = await stage.owner.call(method, path(stage), body)
    expect(first.status).toBe(200)
    const before = await everything()
    const changed: string[] = []
    for (const [key, value] of Object.entries(keysOf(stage))) {
      const { status } = await stage.owner.call(method, path(stage), { ...body, [key]: value })
      const isSame = JSON.stringify(await everything()) === JSON.stringify(before)
      if (status !== 200 || !isSame) changed.push(`${key} ${status}`)
    }
    expect(changed).toEqual([])
    const all = await stage.owner.call(method, path(stage), { ...keysOf(stage), ...body })
    expect([all.status, await everything()]).toEqual([200, before])
  },
)

const MAKING: Record<string, Call & { length: 3 }> = {
  comments: ['POST', ({ id }) => `/api/memorials/${id}/comments`, { body: 'Rest well' }],
  memorials: ['POST', () => '/api/memorials', { honoureeFullName: 'Tendai Moyo' }],
  funeral_events: [
    'POST',
    ({ id }) => `/api/memorials/${id}/funeral-events`,
    { dateTime: '2026-06-06T10:00' },
  ],
  contributors: [
    'POST',
    ({ invite }) => `/api/invite/${invite}/session`,
    { displayName: 'Farai', email: '' },
  ],
}
/** Columns that are always new in each row. */
const OWN = new Set(['id', 'slug', 'token_hash', 'created_at', 'expires_at', 'position', 'device_hash'])

test.each(Object.entries(MAKING))(
  'creating %s ignores every key that a caller may not set',
  async (table, [method, path, body]) => {
    const stage = await stageOf()
    await paidCredit(stage.owner.user.id)
    await paidCredit(stage.owner.user.id)
    const made = async (sent: object) => {
      const before = new Set((await everything())[table]?.map(({ id }) => id))
      const client = table === 'contributors' ? await signedIn() : stage.owner
      expect((await client.call(method, path(stage), sent)).status).toBe(201)
      const rows = (await everything())[table] ?? []
      return rows
        .filter(({ id }) => !before.has(id))
        .map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !OWN.has(name))))
    }
    const plain = await made(body)
    expect(plain).toHaveLength(1)
    expect(await made({ ...keysOf(stage), ...body })).toEqual(plain)
    const [row] = (await everything())[table]?.slice(-1) ?? []
    expect(Object.values(row ?? {})).not.toContain('better')
    expect((await everything())[table]?.filter(({ id }) => id === 'x')).toEqual([])
  },
)

const photo = (owner: SignedIn, memorialId: string) => sendFixture(owner, memorialId, 'polyglot.jpg')

test('cover and portrait must be complete photos of the same memorial', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'LOCKED' })
  const { memorial: own } = await memorialOf({ owner })
  const stranger = await memorialOf()
  await owner.patch(`${path}/privacy`, { privacy: 'PRIVATE' })
  const arriving = slowUpload(owner, memorial.id, { ...SOUND, name: 'w.wav' }, 5000)
  await arriving.started
  const [reserved = ''] = await quotaItemsOf(memorial.id)
  const recording = await sendFixture(owner, memorial.id, 'voice-note-2s.ogg')
  const gone = await photo(owner, memorial.id)
  await owner.delete(`/api/media/${gone}`)
  const foreign = {
    'of another memorial of the owner': await photo(owner, own.id),
    'of a stranger': await photo(stranger.owner, stranger.memorial.id),
    'a recording': recording,
    'still uploading': reserved,
    deleted: gone,
    unknown: 'med_nothing',
    'no id': "' or 1=1 --",
  }
  const mine = await photo(owner, memorial.id)
  expect((await owner.patch(path, { coverMediaId: mine, profileMediaId: mine })).status).toBe(200)
  for (const [kind, id] of Object.entries(foreign)) {
    for (const name of ['coverMediaId', 'profileMediaId']) {
      const { status, body } = await owner.patch(path, { [name]: id })
      expect([kind, name, status, body.fields]).toEqual([
        kind,
        name,
        400,
        { [name]: serverMessages.memorial.mediaNotHere },
      ])
    }
    const both = await owner.patch(path, { coverMediaId: mine, profileMediaId: id, title: 'x' })
    expect([kind, both.status]).toEqual([kind, 400])
  }
  expect((await arriving.finish()).status).toBe(201)
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  const { body } = await new Client().get(`/api/memorial/${memorial.slug}`)
  expect([body.memorial.coverMediaId, body.memorial.profileMediaId, body.memorial.title]).toEqual([
    mine,
    mine,
    null,
  ])
})

import { env } from 'cloudflare:test'
import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { TOKENS_BATCH } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { meanwhileEnv } from '../../../../test/worker/faults/faults.ts'
import {
  Client,
  contributorOf,
  inviteTokenOf,
  memorialOf,
  testCtx,
  invited,
} from '../../../../test/worker/harness.ts'
import { keeperIdOf, keeperOf } from '../../../../test/worker/keepers.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'

const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u

test('the invitation link is a UUIDv4 and stays the same, even for parallel requests', async () => {
  const { owner, memorial } = await memorialOf()
  const path = `/api/memorials/${memorial.id}/invite-link`
  const answers = await atOnce(20, () => owner.get(path))
  const links = new Set(answers.map(({ body }) => body.inviteLink))
  expect(links.size).toBe(1)
  const [link] = links
  expect(link).toBe((await owner.get(path)).body.inviteLink)
  expect(link.startsWith('http://localhost/invite/')).toBe(true)
  expect(link.split('/').at(-1)).toMatch(UUID4)
  const rows = await rowsOf(inviteTokens, { memorialId: memorial.id, status: 'ASSIGNED' })
  expect(rows).toHaveLength(1)
})

test('an empty pool is refilled by the request that finds it empty', async () => {
  const { owner, memorial } = await memorialOf()
  const { db } = testCtx()
  await db.delete(inviteTokens).where(eq(inviteTokens.status, 'AVAILABLE'))
  const { status } = await owner.get(`/api/memorials/${memorial.id}/invite-link`)
  expect(status).toBe(200)
  const left = await db.select().from(inviteTokens).where(eq(inviteTokens.status, 'AVAILABLE'))
  expect(left).toHaveLength(TOKENS_BATCH - 1)
})

test('the invitation shows only a card of the memorial', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const token = await inviteTokenOf(owner, memorial.id)
  const { status, body } = await new Client().get(`/api/invite/${token}`)
  expect(status).toBe(200)
  expect(body).toEqual({
    memorial: {
      id: memorial.id,
      slug: memorial.slug,
      honoureeFullName: memorial.honoureeFullName,
      title: null,
      privacy: 'INVITE',
      dateOfBirth: null,
      dateOfBirthPrecision: 'DAY',
      dateOfDeath: null,
      dateOfDeathPrecision: 'DAY',
      coverMediaId: null,
      profileMediaId: null,
    },
  })
})

test('a new session sets an HttpOnly cookie and can be read without its token', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const token = await inviteTokenOf(owner, memorial.id)
  const relative = new Client()
  const input = { displayName: ' Farai\u202e Chikomo ', email: 'Farai@Family.test' }
  const response = await relative.request('POST', `/api/invite/${token}/session`, input)
  expect(response.status).toBe(201)
  const session = await response.json<Record<string, unknown>>()
  const quotas = {
    images: { max: 10, used: 0 },
    video: { max: 1, used: 0, maxDurationSec: 300, usedDurationSec: 0 },
    audio: { max: 1, used: 0, maxDurationSec: 600, usedDurationSec: 0 },
  }
  expect(session).toEqual({
    memorialId: memorial.id,
    contributorId: expect.stringMatching(/^con_/u),
    displayName: 'Farai Chikomo',
    address: 'KEPT',
    authToken: expect.stringMatching(/^[\w-]{43}$/u),
    quotas,
  })
  const [cookie = ''] = response.headers.getSetCookie()
  expect(cookie).toContain(String(session['authToken']))
  expect(cookie).toMatch(/HttpOnly/u)
  expect(cookie).toMatch(/SameSite=Lax/u)
  const { authToken: _, ...rest } = session
  expect((await relative.get(`/api/memorials/${memorial.id}/contributor-session`)).body).toEqual(rest)
})

test('no store contains the token itself', async () => {
  const { session } = (await invited()).relative
  const { db } = testCtx()
  const keys = await env.KV.list({ prefix: 'contributor:' })
  const stored = JSON.stringify([keys.keys, await db.select().from(contributors)])
  expect(stored).toContain(session.contributorId)
  expect(stored).not.toContain(session.authToken)
})

test('a guest may only look; giving a name later replaces the guest and keeps likes', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  const guest = await contributorOf(owner, memorial.id, 'Guest Visitor')
  expect((await guest.get(path)).body.viewer).toEqual({
    role: 'VISITOR',
    canContribute: false,
    canEdit: false,
  })
  const refused = await guest.post(`${path}/comments`, { body: 'Hello' })
  expect([refused.status, refused.body.code]).toEqual([409, 'name_required'])
  const { comment } = (await owner.post(`${path}/comments`, { body: 'Welcome' })).body
  await guest.post(`/api/comments/${comment.id}/like`)

  const token = await inviteTokenOf(owner, memorial.id)
  await guest.post(`/api/invite/${token}/session`, { displayName: 'Farai', email: '' })
  expect((await guest.get(path)).body.viewer).toEqual({
    role: 'CONTRIBUTOR',
    canContribute: true,
    canEdit: false,
  })
  expect((await guest.get(`${path}/comments`)).body.comments).toMatchObject([
    { likeCount: 1, likedByMe: true },
  ])
  const rows = await rowsOf(contributors, { memorialId: memorial.id })
  expect(rows.map((row) => row.displayName)).toEqual(['Farai'])
})

test('rotation immediately ends the old link and every session created with it', async () => {
  const { owner, memorial, relative, path } = await invited()
  const oldToken = await inviteTokenOf(owner, memorial.id)
  const { body } = await owner.post(`${path}/invite-link/rotate`)
  const newToken = await inviteTokenOf(owner, memorial.id)
  expect(body.inviteLink).toBe(`http://localhost/invite/${newToken}`)
  expect(newToken).not.toBe(oldToken)

  const anyone = new Client()
  expect((await anyone.get(`/api/invite/${oldToken}`)).status).toBe(404)
  expect((await anyone.post(`/api/invite/${oldToken}/session`, { displayName: 'X' })).status).toBe(404)
  expect((await anyone.get(`${path}?invite=${oldToken}`)).status).toBe(403)
  expect((await anyone.get(`${path}?invite=${newToken}`)).status).toBe(200)
  expect((await relative.get(path)).status).toBe(403)
  expect((await relative.get(`${path}/contributor-session`)).status).toBe(403)
  const header = { headers: { 'X-Contributor-Token': relative.session.authToken } }
  expect((await anyone.post(`${path}/comments`, { body: 'x' }, header)).status).toBe(403)
})

test.each([
  ['replace', (keeper: Client, path: string) => keeper.post(`${path}/invite-link/rotate`)],
  ['read', (keeper: Client, path: string) => keeper.get(`${path}/invite-link`)],
])(
  'a keeper who is removed while they %s the link gets none, and it stays',
  { tags: ['invite-link-needs-keeper', 'rotation-needs-keeper'] },
  async (_what, call) => {
    const { owner, memorial, path, relative } = await invited()
    const keeper = await keeperOf(owner, memorial.id, 'KEEPER')
    const id = await keeperIdOf(owner, memorial.id)
    const before = await rowsOf(inviteTokens, { memorialId: memorial.id })
    keeper.bindings = meanwhileEnv(() => owner.delete(`${path}/keepers/${id}`))
    const { status, body } = await call(keeper, path)
    expect([status, body]).toEqual([403, { code: 'forbidden', message: messages.memorial.ownerOnly }])
    expect(await rowsOf(inviteTokens, { memorialId: memorial.id })).toEqual(before)
    expect((await relative.get(`${path}/contributor-session`)).status).toBe(200)
  },
)

test('a session ends when the memorial is private, and is view-only while locked', async () => {
  const { owner, memorial, relative, path } = await invited()
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  expect((await relative.get(path)).body.viewer.canContribute).toBe(false)
  await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
  expect((await relative.get(path)).status).toBe(200)
  await owner.patch(`${path}/privacy`, { privacy: 'PRIVATE' })
  expect((await relative.get(path)).body.code).toBe('memorial_private')
  await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
  expect((await relative.get(path)).body.code).toBe('invitation_needed')
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  const late = await contributorOf(owner, memorial.id, 'Late Guest')
  expect((await late.post(`${path}/comments`, { body: 'x' })).body.code).toBe('memorial_locked')
})

test('an expired session opens nothing', async () => {
  const { memorial, relative } = await invited()
  await changeRows(contributors, { id: relative.session.contributorId }, { expiresAt: Date.now() - 1 })
  expect((await relative.get(`/api/memorials/${memorial.id}`)).status).toBe(403)
})

test.each([
  [{ displayName: '' }, 'displayName', 'Please enter your name'],
  [{ displayName: ' \u200b ' }, 'displayName', 'Please enter your name'],
  [{ displayName: 'x'.repeat(101) }, 'displayName', 'This must be 100 characters or less'],
  [{ displayName: 'Farai', email: 'no' }, 'email', 'Please enter a valid email address'],
])('invalid names and addresses create no session: %j', async (input, field, message) => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const token = await inviteTokenOf(owner, memorial.id)
  const { status, body } = await new Client().post(`/api/invite/${token}/session`, input)
  expect([status, body.fields]).toEqual([400, { [field]: message }])
})

test('contributor sessions are limited by link and address; no key contains the link', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const other = await memorialOf({ privacy: 'INVITE' })
  const [token, otherToken] = [
    await inviteTokenOf(owner, memorial.id),
    await inviteTokenOf(other.owner, other.memorial.id),
  ]
  const keys: string[] = []
  const limit = async ({ key }: { key: string }) => ({ success: keys.push(key) < 4 })
  const join = async (ip: string, by: string) => {
    const anyone = new Client()
    anyone.ip = ip
    anyone.bindings = { ...env, LIMIT_CONTRIBUTOR_SESSION: { limit } }
    return anyone.post(`/api/invite/${by}/session`, { displayName: 'Farai', email: '' })
  }
  const joined = [
    await join('196.4.80.7', token),
    await join('196.4.80.7', otherToken),
    await join('196.4.80.8', token),
  ]
  const refused = await join('196.4.80.7', token)
  expect(joined.map(({ status }) => status)).toEqual([201, 201, 201])
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60'])
  const [first, second, third, again] = keys
  expect([again, new Set([first, second, third]).size]).toEqual([first, 3])
  expect(keys.join()).not.toContain(token)
  expect(await rowsOf(contributors, { memorialId: memorial.id })).toHaveLength(2)
})

import { expect, test } from 'vitest'
import type { Comment, CommentPage } from '#shared/comments/comments.ts'
import type { HeldItems } from '#shared/removal/held.ts'
import { MINUTE_MS, RATE_LIMITS } from '#shared/limits.ts'
import type { PublicMemorialView, VisitorMessages } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { cachePurges } from '#worker/schema/jobs.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'
import {
  Client,
  contributorOf,
  dropQueueMessages,
  memorialOf,
  signedIn,
  testCtx,
  visitorOf,
  inviteTokenOf,
} from '../../../../test/worker/harness.ts'
import { meanwhileEnv } from '../../../../test/worker/faults/faults.ts'
import { nonceFor } from '../../../../test/worker/proofs.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

const WORDS = { name: 'Farai Chikomo', relation: 'Her pupil', body: 'She taught me to whistle.' }
const COOKIE = /^(?:__Host-)?contributor-mem_\w+=[\w-]+;.*Max-Age=34560000.*HttpOnly/u

async function open(visitorMessages: VisitorMessages) {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  const path = `/api/memorials/${memorial.id}`
  const words = `/api/memorial/${memorial.slug}/visitor-messages`
  const changed = await owner.patch(path, { visitorMessages })
  expect(changed.body.visitorMessages).toBe(visitorMessages)
  const leave = (person: Client, key?: string, message = WORDS) =>
    person.post<{ comment: Comment }>(words, message, {
      headers: key === undefined ? {} : { 'Idempotency-Key': key },
    })
  const shown = async (person = new Client()) =>
    (await person.get<CommentPage>(`${path}/comments`)).body.comments.map(({ body }) => body)
  const own = async (person: Client) => (await person.get<{ comments: Comment[] }>(words)).body.comments
  return { owner, memorial, path, words, leave, shown, own }
}

test('a visitor leaves words without an account, which wait until the owner shows them', async () => {
  const { owner, memorial, path, leave, shown, own } = await open('APPROVED')
  const visitor = new Client()
  const { status, body, headers } = await leave(visitor)
  expect([status, body.comment]).toEqual([
    201,
    {
      id: expect.stringMatching(/^com_/u),
      body: WORDS.body,
      createdAt: expect.any(String),
      authorUserId: null,
      authorContributorId: expect.stringMatching(/^con_/u),
      authorName: WORDS.name,
      visitorRelation: WORDS.relation,
      isOwner: false,
      likeCount: 0,
      likedByMe: false,
      canDelete: true,
      isHeld: true,
    },
  ])
  expect(headers.getSetCookie()).toEqual([expect.stringMatching(COOKIE)])
  expect([await shown(), await shown(visitor), await shown(owner)]).toEqual([[], [WORDS.body], [WORDS.body]])
  const page = async () => (await new Client().fetch(`/m/${memorial.slug}`)).text()
  expect(await page()).not.toContain(WORDS.body)
  expect((await own(visitor)).map(({ id }) => id)).toEqual([body.comment.id])
  expect(await own(new Client())).toEqual([])

  const held = (await owner.get<HeldItems>(`${path}/held`)).body
  expect(held).toMatchObject({
    count: 1,
    comments: [{ authorName: WORDS.name, visitorRelation: WORDS.relation }],
  })
  await owner.post(`${path}/held/show`, { ids: [body.comment.id] })
  expect(await shown()).toEqual([WORDS.body])
  expect(await page()).toContain(WORDS.body)
  const view = (await new Client().get<PublicMemorialView>(`/api/memorial/${memorial.slug}`)).body
  expect(view.comments).toMatchObject([
    { authorName: WORDS.name, visitorRelation: WORDS.relation, canDelete: false },
  ])
})

test('at once means at once, and purges the public page; what waits purges nothing', async () => {
  dropQueueMessages()
  for (const [choice, purges] of [
    ['AT_ONCE', 1],
    ['APPROVED', 0],
  ] as const) {
    const { leave, shown } = await open(choice)
    await testCtx().db.delete(cachePurges)
    await leave(new Client())
    expect([choice, await testCtx().db.$count(cachePurges)]).toEqual([choice, purges])
    expect(await shown()).toHaveLength(purges)
  }
})

test('a visitor takes their words back from the same browser, and nobody else can', async () => {
  const { path, owner, leave, shown, own } = await open('AT_ONCE')
  const [visitor, other] = [new Client(), new Client()]
  const { comment } = (await leave(visitor)).body
  await leave(other, undefined, { ...WORDS, body: 'Go well.' })
  expect((await new Client().delete(`/api/comments/${comment.id}`)).status).toBe(401)
  expect((await other.delete(`/api/comments/${comment.id}`)).status).toBe(403)
  expect((await visitor.delete(`/api/comments/${comment.id}`)).status).toBe(204)
  expect([await shown(), await own(visitor)]).toEqual([['Go well.'], []])
  // The family can't bring them back.
  expect(await rowsOf(removedItems, { id: comment.id })).toEqual([])
  expect((await owner.get(`${path}/removed`)).body).toMatchObject({ comments: [] })
  expect((await other.get(`${path}/held`)).status).toBe(403)
})

test('whoever left words still has what every stranger has on the page', async () => {
  const { path, memorial, leave, owner } = await open('AT_ONCE')
  const visitor = new Client()
  await leave(visitor)
  const viewer = { role: 'CONTRIBUTOR', canContribute: false, canEdit: false, isVisitor: true }
  expect((await visitor.get(path)).body.viewer).toEqual(viewer)
  const pageOf = async (client: Client) => (await client.fetch(`/memorial/${memorial.id}`)).text()
  const page = await pageOf(visitor)
  expect(page).toContain('Ask the family for their invitation')
  expect(page).toContain('Ask us to remove it')
  expect(page).not.toContain('The family has locked this memorial')
  // An invited contributor has no use for that.
  await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
  const relative = new Client()
  const invite = await inviteTokenOf(owner, memorial.id)
  await relative.post(`/api/invite/${invite}/session`, { displayName: 'Rudo', email: '' })
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  expect((await relative.get(path)).body.viewer).toEqual({ ...viewer, isVisitor: undefined })
  expect(await pageOf(relative)).not.toContain('Ask the family for their invitation')
})

test('one phone can leave words under two names, and a family sees both', async () => {
  const { leave, own, owner, path } = await open('APPROVED')
  const phone = new Client()
  await leave(phone)
  const second = await leave(phone, undefined, { name: 'Chipo', relation: '', body: 'Zororai' })
  expect(second.headers.getSetCookie()).toEqual([])
  expect((await own(phone)).map(({ authorName, visitorRelation }) => [authorName, visitorRelation])).toEqual([
    ['Chipo', undefined],
    [WORDS.name, WORDS.relation],
  ])
  // The family lists people by browser, under the first name.
  const listed = (await owner.get(`${path}/contributors`)).body.contributors
  expect(listed).toMatchObject([{ displayName: WORDS.name, added: { comments: 2 } }])
  const removal = await owner.post(`${path}/removals`, { contributorId: listed[0].id })
  expect(removal.body.removal.removed.comments).toBe(2)
  expect(await own(phone)).toEqual([])
})

test('a page refuses words if the family takes none, and those of its own keepers', async () => {
  const { owner, path, leave } = await open('NOBODY')
  const admin = await signedIn({ admin: true })
  const refused = { status: 409, body: { code: 'memorial_locked' } }
  expect(await leave(new Client())).toMatchObject(refused)
  await owner.patch(path, { visitorMessages: 'AT_ONCE' })
  for (const keeper of [owner, admin]) expect(await leave(keeper)).toMatchObject(refused)
  expect((await owner.patch(path, { visitorMessages: 'SOMETIMES' })).body.fields).toEqual({
    visitorMessages: 'Please choose who may leave messages',
  })
})

test.each([
  [
    'closes the page for visitors',
    409,
    (owner: Client, path: string) => owner.patch(path, { visitorMessages: 'NOBODY' }),
  ],
  [
    'asks for invitations again',
    403,
    (owner: Client, path: string) => owner.patch(`${path}/privacy`, { privacy: 'INVITE' }),
  ],
] as const)(
  'a visitor’s message is not stored if the owner %s just before',
  { tags: ['visitors-need-open-door', 'visitors-need-public-memorial'] },
  async (_, status, change) => {
    const { owner, memorial, path, leave } = await open('AT_ONCE')
    const known = new Client()
    await leave(known)
    for (const visitor of [known, new Client()]) {
      visitor.bindings = meanwhileEnv(() => change(owner, path))
      expect((await leave(visitor)).status).toBe(status)
      expect(await rowsOf(comments, { memorialId: memorial.id })).toHaveLength(1)
      await owner.patch(path, { visitorMessages: 'AT_ONCE' })
      await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
    }
    expect(await rowsOf(contributors, { memorialId: memorial.id })).toHaveLength(1)
  },
)

test('a visitor’s session opens the public page only', { tags: ['visitors-need-public-page'] }, async () => {
  const { owner, memorial, path, words } = await open('APPROVED')
  const visitor = await visitorOf(owner, memorial)
  for (const privacy of ['INVITE', 'PRIVATE'] as const) {
    await owner.patch(`${path}/privacy`, { privacy })
    for (const address of [
      path,
      `${path}/comments`,
      `${path}/media`,
      words,
      `/api/memorial/${memorial.slug}`,
    ])
      expect([address, (await visitor.get(address)).status]).toEqual([address, 403])
    expect((await visitor.post(`${path}/comments`, { body: 'Let me in' })).status).toBe(403)
    const page = await (await visitor.fetch(`/memorial/${memorial.id}`)).text()
    expect(page).not.toContain(memorial.honoureeFullName)
  }
  // The stand-in for an invitation isn't one.
  const [row] = await rowsOf(contributors, { memorialId: memorial.id })
  expect((await new Client().get(`/api/invite/${row?.inviteToken}`)).status).toBe(404)
  expect(
    (await new Client().post(`/api/invite/${row?.inviteToken}/session`, { displayName: 'Eve' })).status,
  ).toBe(404)
  expect((await new Client().get(`${path}?invite=${row?.inviteToken}`)).status).toBe(403)
  // Public again, they can take their words back.
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  const [own] = (await visitor.get(words)).body.comments
  expect((await visitor.delete(`/api/comments/${own.id}`)).status).toBe(204)
})

test('words that a browser sends twice, with or without a cookie, are stored once', async () => {
  const { leave, own } = await open('APPROVED')
  const key = crypto.randomUUID()
  const [first, again] = [new Client(), new Client()]
  again.ip = first.ip
  const one = await leave(first, key)
  expect((await leave(first, key)).body.comment.id).toBe(one.body.comment.id)
  // The same browser, whose first answer never arrived, and who waited a minute for it.
  await changeRows(comments, { id: one.body.comment.id }, { createdAt: Date.now() - MINUTE_MS })
  const two = await leave(again, key)
  expect([two.status, two.body.comment.id]).toEqual([201, one.body.comment.id])
  expect(two.body.comment.canDelete).toBe(true)
  expect((await own(again)).map(({ id }) => id)).toEqual([one.body.comment.id])
  expect(await own(first)).toEqual([])
  const stranger = await leave(new Client(), key)
  expect(stranger.body.comment.id).not.toBe(one.body.comment.id)
  // At the same time.
  const pair = [new Client(), new Client()]
  pair[1]!.ip = pair[0]!.ip
  const other = crypto.randomUUID()
  const answers = await atOnce(2, (n) => leave(pair[n] ?? new Client(), other))
  expect(new Set(answers.map(({ body }) => body.comment.id)).size).toBe(1)
})

test('if the answers to two presses cross, the browser sees its words with either', async () => {
  const { leave, own } = await open('AT_ONCE')
  const presses = Array.from({ length: 4 }, () => new Client())
  for (const press of presses) press.ip = presses[0]?.ip ?? ''
  const key = crypto.randomUUID()
  const answers = await Promise.all(presses.map((press) => leave(press, key)))
  expect(new Set(answers.map(({ body }) => body.comment.id)).size).toBe(1)
  for (const press of presses) expect(await own(press)).toHaveLength(1)
})

test('whoever has taken their words back can leave the same again, once', async () => {
  const { leave, own } = await open('APPROVED')
  const key = crypto.randomUUID()
  const visitor = new Client()
  const first = (await leave(visitor, key)).body.comment
  await visitor.delete(`/api/comments/${first.id}`)
  const second = (await leave(visitor, key)).body.comment
  expect(second.id).not.toBe(first.id)
  expect((await leave(visitor, key)).body.comment.id).toBe(second.id)
  expect(await own(visitor)).toHaveLength(1)
})

test(
  'repeating somebody’s words gets nobody their invitation or their earlier words',
  { tags: ['visitors-adopt-no-invitation'] },
  async () => {
    const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
    const guest = await contributorOf(owner, memorial.id, 'Guest Visitor')
    const path = `/api/memorials/${memorial.id}`
    const words = `/api/memorial/${memorial.slug}/visitor-messages`
    await owner.patch(path, { visitorMessages: 'AT_ONCE' })
    await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
    const visitor = new Client()
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    await guest.post(words, WORDS, { headers })
    await visitor.post(words, { ...WORDS, body: 'Before' })
    await visitor.post(words, WORDS, { headers })
    // Left words, and opened the invitation minutes later.
    const relative = new Client()
    await relative.post(words, WORDS, { headers })
    const token = await inviteTokenOf(owner, memorial.id)
    const name = { displayName: WORDS.name, email: '' }
    expect((await relative.post(`/api/invite/${token}/session`, name)).status).toBe(201)
    for (const author of [guest, visitor, relative]) {
      const eve = new Client()
      eve.ip = author.ip
      await eve.post(words, WORDS, { headers })
      const theirs = (await eve.get(words)).body.comments
      expect(theirs.map(({ body }: Comment) => body)).toEqual([WORDS.body])
      expect((await author.get(words)).body.comments.length).toBeGreaterThan(0)
      await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
      expect((await eve.get(path)).status).toBe(403)
      await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
    }
  },
)

test('a visitor who is invited later opens the invitation, and keeps their words', async () => {
  const { owner, memorial, path, words, leave } = await open('APPROVED')
  const visitor = new Client()
  await leave(visitor)
  await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
  const invite = await inviteTokenOf(owner, memorial.id)
  expect((await visitor.get(`${path}/contributor-session?invite=${invite}`)).status).toBe(404)
  const page = await visitor.fetch(`/invite/${invite}`)
  expect([page.status, (await page.text()).includes(memorial.honoureeFullName)]).toEqual([200, true])
  const form = new URLSearchParams({ name: 'Farai', message: 'And this' }).toString()
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const sent = await visitor.fetch(`/invite/${invite}`, { method: 'POST', body: form, headers })
  expect(sent.status).toBe(303)
  const guestbook = (await visitor.get<CommentPage>(`${path}/comments`)).body.comments
  expect(guestbook.map(({ body, canDelete }) => [body, canDelete])).toEqual([
    ['And this', true],
    [WORDS.body, true],
  ])
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  expect((await visitor.get(words)).body.comments).toHaveLength(1)
})

test('one network’s messages of a day are limited, whatever its browsers claim to be', async () => {
  const { words } = await open('APPROVED')
  const network = new Client().ip
  let refused = null
  for (let at = 0; at <= RATE_LIMITS.visitorMessagesADay.limit && refused === null; at++) {
    const visitor = new Client()
    visitor.ip = network
    const answer = await visitor.post(words, WORDS, { headers: { 'User-Agent': `Browser ${at}` } })
    // As a browser does after many messages.
    const { id = '' } = answer.body.comment ?? {}
    if (id) await visitor.post(`${words}/${id}/proof`, { nonce: nonceFor(id) })
    if (answer.status !== 201) refused = [at, answer.status, answer.body.message]
  }
  expect(refused).toEqual([RATE_LIMITS.visitorMessagesADay.limit, 429, messages.visitors.dayFull])
  expect((await new Client().post(words, WORDS)).status).toBe(201)
})

test('an invitation’s guest who leaves words stays its guest and keeps their thanks', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const guest = await contributorOf(owner, memorial.id, 'Guest Visitor')
  const path = `/api/memorials/${memorial.id}`
  const theirs = (await owner.post(`${path}/comments`, { body: 'Thank you all' })).body.comment
  await owner.patch(path, { visitorMessages: 'AT_ONCE' })
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  await guest.post(`/api/comments/${theirs.id}/like`)
  expect((await guest.post(`/api/memorial/${memorial.slug}/visitor-messages`, WORDS)).status).toBe(201)
  const seen = (await guest.get<CommentPage>(`${path}/comments`)).body.comments
  expect(seen).toMatchObject([
    { body: WORDS.body, canDelete: true },
    { likedByMe: true, likeCount: 1 },
  ])
  await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
  expect((await guest.get(path)).body.viewer).toMatchObject({ role: 'CONTRIBUTOR', canContribute: true })
})

test('each field of a visitor’s message has its rule', async () => {
  const { leave } = await open('APPROVED')
  const cases = {
    name: [{ ...WORDS, name: ' ' }, 'Please enter your name'],
    relation: [{ ...WORDS, relation: 'x'.repeat(61) }, 'Please use at most 60 characters'],
    body: [{ ...WORDS, body: '' }, 'Please write a message'],
  } as const
  for (const [field, [words, message]] of Object.entries(cases)) {
    const { status, body } = await leave(new Client(), undefined, words)
    expect([status, (body as unknown as { fields: object }).fields]).toEqual([400, { [field]: message }])
  }
  const stranger = await signedIn()
  expect((await leave(stranger)).status).toBe(201)
})

import { env } from 'cloudflare:test'
import { afterEach, expect, test, vi } from 'vitest'
import { RATE_LIMITS, REPLY_REPEAT_MS } from '#shared/limits.ts'
import { funeralMessages } from '#shared/funeral/funeral-messages.ts'
import { replyMessages } from '#shared/funeral/gathering-messages.ts'
import { messages } from '#shared/messages.ts'
import { uuidOf } from '#worker/platform/random.ts'
import { cachePurges } from '#worker/schema/jobs.table.ts'
import { funeralEvents, replies as replyTable } from '#worker/schema/funeral.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { newEmail } from '../../../../test/worker/accounts.ts'
import { Client, contributorOf, inviteTokenOf, testCtx, visitorOf } from '../../../../test/worker/harness.ts'
import { interceptedDb } from '../../../../test/worker/runtime/intercepted-db.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { coming, gatheringOf, replied } from '../../../../test/worker/replies.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT/u)

afterEach(() => {
  vi.restoreAllMocks()
})

test('a reply is stored and returned, with or without what is optional', async () => {
  const { event, replies } = await gatheringOf()
  const client = new Client()
  const bare = await client.post(replies, { answer: 'AFAR', name: ' Tariro ' })
  const reply = {
    id: expect.stringMatching(/^rpl_/u),
    eventId: event.id,
    answer: 'AFAR',
    people: 1,
    name: 'Tariro',
    words: null,
    email: null,
    createdAt: INSTANT,
    updatedAt: INSTANT,
  }
  expect([bare.status, bare.body]).toEqual([201, { reply }])
  expect(bare.headers.getSetCookie().join()).toMatch(/^replies-mem_\w+=[\w-]{43}; .*HttpOnly; SameSite=Lax/u)
  const input = { answer: 'COMING', people: 4, name: 'Farai', words: 'Go well', email: 'Farai@Family.test' }
  const full = await client.post(replies, input)
  expect(full.body).toEqual({
    reply: {
      ...reply,
      ...input,
      email: full.body.reply.email,
      id: expect.not.stringMatching(bare.body.reply.id),
    },
    isMailed: true,
  })
})

test.for([
  ['answer', { answer: 'MAYBE' }, replyMessages.answerRequired],
  ['people', { people: 0 }, replyMessages.peopleInvalid],
  ['people', { people: 21 }, replyMessages.peopleInvalid],
  ['people', { people: 1.5 }, replyMessages.peopleInvalid],
  ['name', { name: ' ' }, messages.contributor.nameRequired],
  ['name', { name: 'Memorial Owner' }, messages.contributor.nameOfOwner],
  ['words', { words: 'x'.repeat(501) }, replyMessages.wordsTooLong],
] as const)('a reply with wrong %s is refused', async ([field, wrong, message]) => {
  const { replies } = await gatheringOf()
  const { status, body } = await new Client().post(replies, coming(wrong))
  expect([status, body.fields]).toEqual([400, { [field]: message }])
})

test(
  '40 people at once take exactly as many places as there are',
  { tags: ['capacity-at-the-write'] },
  async () => {
    const { event, replies, counts } = await gatheringOf({ capacity: 25 })
    const answers = await atOnce(40, () => new Client().post(replies, coming()))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(25)
    expect(
      answers.filter(({ status, body }) => status === 409 && body.code === 'gathering_full'),
    ).toHaveLength(15)
    expect(await counts()).toEqual({
      eventId: event.id,
      coming: 25,
      afar: 0,
      sorry: 0,
      people: 25,
      toTell: 0,
      peopleToTell: 0,
      withoutAddress: 0,
    })
    expect((await rowsOf(funeralEvents, { id: event.id }))[0]?.peopleComing).toBe(25)
  },
)

test('40 families of 1 to 5 at once, without a limit, are counted exactly', async () => {
  const { event, replies, counts } = await gatheringOf()
  const answers = ['COMING', 'AFAR', 'COMING', 'SORRY'] as const
  await atOnce(40, (n) => replied(replies, { answer: answers[n % 4], people: (n % 5) + 1 }))
  // Each of 1 to 5 people comes four times.
  expect(await counts()).toEqual({
    eventId: event.id,
    coming: 20,
    afar: 10,
    sorry: 10,
    people: 60,
    toTell: 0,
    peopleToTell: 0,
    withoutAddress: 0,
  })
})

test('a family that is too large hears how many places are left; others still come', async () => {
  const { replies } = await gatheringOf({ capacity: 5 })
  await replied(replies, { people: 3 })
  const send = async (people: number, answer = 'COMING') => {
    const { status, body } = await new Client().post(replies, coming({ people, answer }))
    return [status, body.message]
  }
  expect(await send(3)).toEqual([409, 'There are 2 places left'])
  expect(await send(1)).toEqual([201, undefined])
  expect(await send(2)).toEqual([409, 'There is 1 place left'])
  expect(await send(1)).toEqual([201, undefined])
  expect(await send(1)).toEqual([409, replyMessages.full])
  expect(await send(9, 'AFAR')).toEqual([201, undefined])
})

test('the page is purged when the last place is taken and when one is free again', async () => {
  const { event, memorial, path, replies } = await gatheringOf({ capacity: 2 })
  const tag = `memorial-${memorial.id}`
  const isPurged = async () => {
    const purged = (await rowsOf(cachePurges, { tag })).length > 0
    await testCtx().db.delete(cachePurges)
    const { body } = await new Client().get(`${path}/funeral-events`)
    return [purged, body.funeralEvents[0].isFull]
  }
  await isPurged()
  await replied(replies)
  expect(await isPurged()).toEqual([false, false])
  const last = await replied(replies)
  expect(await isPurged()).toEqual([true, true])
  await replied(replies, { answer: 'SORRY' })
  expect(await isPurged()).toEqual([false, true])
  await last.client.delete(last.address)
  expect(await isPurged()).toEqual([true, false])
  expect(event.isFull).toBe(false)
})

test(
  'no replies are taken after the closing time, or once the gathering has begun',
  { tags: ['replies-end'] },
  async () => {
    const begins = Date.parse('2031-06-06T08:00:00Z')
    const { replies, change } = await gatheringOf({ repliesUntil: '2031-06-04T18:00' })
    const clock = vi.spyOn(Date, 'now')
    const sendAt = async (at: number) => {
      clock.mockReturnValue(at)
      const { status, body } = await new Client().post(replies, coming())
      return [status, body.code]
    }
    const closes = Date.parse('2031-06-04T16:00:00Z')
    expect(await sendAt(closes - 1)).toEqual([201, undefined])
    expect(await sendAt(closes)).toEqual([409, 'replies_closed'])
    clock.mockRestore()
    await change({ repliesUntil: null })
    vi.spyOn(Date, 'now').mockReturnValue(begins)
    const { status, body } = await new Client().post(replies, coming())
    expect([status, body.message]).toEqual([409, replyMessages.closed])
  },
)

test(
  'a gathering that is cancelled, of a draft or a private page takes no replies',
  { tags: ['replies-need-open-memorial'] },
  async () => {
    const { owner, memorial, replies, change } = await gatheringOf()
    const code = async () => (await owner.post(replies, coming())).body.code
    await change({ takesReplies: false })
    expect(await code()).toBe('replies_closed')
    await change({ takesReplies: true, isCancelled: true })
    expect(await code()).toBe('replies_closed')
    await change({ isCancelled: false })
    expect(await code()).toBeUndefined()
    await changeRows(memorials, { id: memorial.id }, { privacy: 'PRIVATE', lockedAt: null })
    expect(await code()).toBe('replies_closed')
    await changeRows(memorials, { id: memorial.id }, { status: 'DRAFT', privacy: 'INVITE' })
    expect(await code()).toBe('replies_closed')
  },
)

test('a gathering for invited people takes their replies and is not there for others', async () => {
  const { owner, memorial, path, replies } = await gatheringOf({ audience: 'INVITED' }, 'INVITE')
  const relative = await contributorOf(owner, memorial.id)
  const invite = await inviteTokenOf(owner, memorial.id)
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  const visitor = await visitorOf(owner, memorial)
  const statusOf = async (client: Client, query = '') =>
    (await client.post(`${replies}${query}`, coming())).status
  expect(await statusOf(relative)).toBe(201)
  expect(await statusOf(new Client(), `?invite=${invite}`)).toBe(201)
  expect(await statusOf(new Client())).toBe(404)
  expect(await statusOf(visitor)).toBe(404)
})

test(
  'a gathering that becomes one for the invited takes no reply that is on its way',
  { tags: ['invited-gatherings-take-no-others'] },
  async () => {
    const { event, replies } = await gatheringOf()
    const client = new Client()
    const DB = interceptedDb(env.DB, async ({ name }, work) => {
      if (name === 'batch') await changeRows(funeralEvents, { id: event.id }, { audience: 'INVITED' })
      return work()
    })
    client.bindings = { ...env, DB }
    const { status, body } = await client.post(replies, coming())
    expect([status, body.message]).toEqual([404, funeralMessages.notFound])
    expect(await rowsOf(replyTable, { eventId: event.id })).toEqual([])
  },
)

test('a reply that meets a change of the time is tried again and knows the new one', async () => {
  const { owner, event, eventPath, replies } = await gatheringOf()
  const client = new Client()
  let isChanged = false
  const DB = interceptedDb(env.DB, async ({ name }, work) => {
    if (name === 'batch' && !isChanged) {
      isChanged = true
      await owner.patch(eventPath, { dateTime: '2031-06-06T11:00' })
    }
    return work()
  })
  client.bindings = { ...env, DB }
  expect((await client.post(replies, coming())).status).toBe(201)
  const known = (await rowsOf(replyTable, { eventId: event.id })).map(({ knows }) => knows.dateTime)
  expect(known).toEqual(['2031-06-06T09:00:00.000Z'])
})

test('the same key makes one reply, also when the answer and its cookie were lost', async () => {
  const { event, path, replies } = await gatheringOf()
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  const [lost, again] = [new Client(), new Client()]
  again.ip = lost.ip
  const ids = (await atOnce(4, () => lost.post(replies, coming(), { headers }))).map(
    ({ body }) => body.reply.id,
  )
  expect(new Set(ids).size).toBe(1)
  const { body } = await again.post(replies, coming({ name: 'Other' }), { headers })
  expect(body.reply).toMatchObject({ id: ids[0], name: 'Farai' })
  expect((await again.get(`${path}/own-replies`)).body).toEqual({ replies: [body.reply] })
  expect(await rowsOf(replyTable, { eventId: event.id })).toHaveLength(1)
  // From Wi-Fi to mobile data: only its sender knows the key.
  const elsewhere = await new Client().post(replies, coming(), { headers })
  expect(elsewhere.body.reply.id).toBe(ids[0])
  expect(await rowsOf(replyTable, { eventId: event.id })).toHaveLength(1)
})

test('whoever types the same gets no cookie of somebody else', async () => {
  const { event, replies } = await gatheringOf()
  const headers = { 'Idempotency-Key': uuidOf('Farai, coming') }
  const send = async (client: Client) => (await client.post(replies, coming(), { headers })).body.reply.id
  const behind = ({ ip }: Client) => Object.assign(new Client(), { ip })
  const first = new Client()
  const id = await send(first)
  expect(await send(behind(first))).toBe(id)
  expect(await send(new Client())).not.toBe(id)
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * REPLY_REPEAT_MS)
  expect(await send(behind(first))).not.toBe(id)
  now.mockRestore()
  expect(await rowsOf(replyTable, { eventId: event.id })).toHaveLength(3)
})

test('replies with an address are limited per network, at all memorials together', async () => {
  const [one, other] = [await gatheringOf(), await gatheringOf()]
  const client = new Client()
  const { limit } = RATE_LIMITS.repliesWithAddress
  Object.assign(RATE_LIMITS.repliesWithAddress, { limit: 1 })
  try {
    const { address } = await replied(one.replies, { email: newEmail() }, client)
    const refused = await client.post(other.replies, coming({ email: newEmail() }))
    expect([refused.status, refused.body.message]).toEqual([429, replyMessages.addressesFull])
    expect((await client.put(address, coming({ email: newEmail() }))).status).toBe(429)
    expect((await client.post(other.replies, coming())).status).toBe(201)
    expect((await new Client().post(other.replies, coming({ email: newEmail() }))).status).toBe(201)
  } finally {
    Object.assign(RATE_LIMITS.repliesWithAddress, { limit })
  }
})

test('replies are limited per browser, and repeats of a key count once', async () => {
  const { replies } = await gatheringOf()
  const client = new Client()
  const { limit } = RATE_LIMITS.replies
  Object.assign(RATE_LIMITS.replies, { limit: 2 })
  try {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    for (let n = 0; n < 3; n++) expect((await client.post(replies, coming(), { headers })).status).toBe(201)
    expect((await client.post(replies, coming())).status).toBe(201)
    const refused = await client.post(replies, coming())
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_requests'])
    expect((await new Client().post(replies, coming())).status).toBe(201)
  } finally {
    Object.assign(RATE_LIMITS.replies, { limit })
  }
})

test('a relative’s words also become their message in the guestbook, once', async () => {
  const { owner, memorial, path, replies } = await gatheringOf({}, 'INVITE')
  const relative = await contributorOf(owner, memorial.id, 'Farai Chikomo')
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  const input = coming({ words: 'She sang', inGuestbook: true })
  for (let n = 0; n < 2; n++) {
    const { body } = await relative.post(replies, input, { headers })
    expect([body.isInGuestbook, body.reply.words]).toEqual([true, 'She sang'])
  }
  const { body } = await owner.get(`${path}/comments`)
  expect(body.comments).toMatchObject([{ body: 'She sang', authorName: 'Farai Chikomo' }])
})

test('a visitor’s reply stands, and its words become a message if the page takes any', async () => {
  const { owner, memorial, path, replies } = await gatheringOf()
  const input = coming({ words: 'Go well', inGuestbook: true })
  expect((await new Client().post(replies, input)).body).not.toHaveProperty('isInGuestbook')
  await owner.patch(path, { visitorMessages: 'APPROVED' })
  const visitor = new Client()
  expect((await visitor.post(replies, input)).body.isInGuestbook).toBe(true)
  expect((await new Client().get(`${path}/comments`)).body.comments).toEqual([])
  const { body } = await visitor.get(`/api/memorial/${memorial.slug}/visitor-messages`)
  expect(body.comments).toMatchObject([{ body: 'Go well', authorName: 'Farai', isHeld: true }])
  expect((await visitor.get(`${path}/own-replies`)).body.replies).toHaveLength(1)
})

test('a reply to a gathering of another memorial is not there', async () => {
  const [one, other] = [await gatheringOf(), await gatheringOf()]
  const { status } = await new Client().post(`${one.path}/funeral-events/${other.event.id}/replies`, coming())
  expect(status).toBe(404)
})

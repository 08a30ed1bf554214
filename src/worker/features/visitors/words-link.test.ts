import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { HOUR_MS, RATE_LIMITS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { purgeDeleted, purgeMemorial } from '#worker/features/removal/removal.jobs.ts'
import { deleteOldRecords } from '#worker/features/removal/retention.jobs.ts'
import { forgetVisitorsOf } from '#worker/features/visitors/forget-visitors.ts'
import { countRateLimit } from '#worker/platform/rate-limiter.ts'
import { hashToken, randomBase32 } from '#worker/platform/random.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'
import {
  Client,
  inviteTokenOf,
  memorialOf,
  signedIn,
  testCtx,
  type SignedIn,
} from '../../../../test/worker/harness.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'
import { nonceFor } from '../../../../test/worker/proofs.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { setDeleted } from '../../../../test/worker/whole-memorial.ts'

const TYPED = 'Typed by a stranger'
const newAddress = () => `${randomBase32(10)}@visitor.test`

async function open(owner?: SignedIn) {
  const made = await memorialOf({ privacy: 'LOCKED', ...(owner && { owner }) })
  await made.owner.patch(made.path, { visitorMessages: 'APPROVED' })
  const page = `/m/${made.memorial.slug}/words`
  const leave = (email: string, visitor = new Client(), body = TYPED) =>
    visitor.post(`/api/memorial/${made.memorial.slug}/visitor-messages`, {
      name: TYPED,
      relation: TYPED,
      body,
      email,
    })
  const shown = async (client: Client, address = page) => (await client.fetch(address)).text()
  return { ...made, page, leave, shown }
}

/** Leaves words with an address, and returns where the mailed link leads. */
async function mailed(memorial: Awaited<ReturnType<typeof open>>) {
  const email = newAddress()
  const visitor = new Client()
  const { body } = await memorial.leave(email, visitor)
  const [mail] = await mailboxOf(email, 1)
  const link = /http\S+\/m\/\S+\?key=[\w-]{43}/u.exec(mail?.text ?? '')?.[0] ?? ''
  const url = new URL(link)
  return {
    email,
    visitor,
    mail,
    id: body.comment.id as string,
    address: url.pathname + url.search,
    key: url.searchParams.get('key') ?? '',
  }
}

/** Opens a mailed link as a browser does. */
async function follow(client: Client, address: string) {
  const answer = await client.fetch(address)
  expect([answer.status, answer.headers.get('Referrer-Policy')]).toEqual([303, 'no-referrer'])
  expect(answer.headers.get('Cache-Control')).toContain('no-store')
  const to = answer.headers.get('Location') ?? ''
  expect(to).not.toContain('key')
  return to
}

test('a visitor’s mailed link lets any browser see and take back their words', async () => {
  const memorial = await open()
  const { mail, address, page, shown, visitor, id } = { ...memorial, ...(await mailed(memorial)) }
  expect(mail?.subject).toBe('Your link to what you wrote')
  expect(JSON.stringify(mail)).not.toContain(TYPED)
  const elsewhere = new Client()
  expect(await follow(elsewhere, address)).toBe(page)
  expect(await shown(elsewhere)).toContain(TYPED)
  expect(await shown(visitor)).toContain(TYPED)
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const taken = await elsewhere.fetch(page, { method: 'POST', body: `take=${id}`, headers })
  expect(taken.headers.get('Location')).toBe(`${page}?taken=1`)
  for (const person of [elsewhere, visitor])
    expect(await shown(person)).toContain(messages.visitors.nothingLeft)
})

test(
  'nothing of a visitor stays once all their words are deleted for good',
  { tags: ['visitor-with-words-stays', 'only-visitors-forgotten'] },
  async () => {
    const memorial = await open()
    const isMemorials = { memorialId: memorial.memorial.id }
    const { visitor, email, address } = await mailed(memorial)
    await memorial.leave(email, visitor, 'More')
    const [person] = await rowsOf(contributors, isMemorials)
    const keys = [person?.tokenHash, person?.mailTokenHash].map((hash) => `contributor:${hash}`)
    const left = async () => {
      const inKv = await Promise.all(keys.map((key) => env.KV.get(key)))
      const letters = await rowsOf(mails, { recipient: email })
      return [await rowsOf(contributors, isMemorials), inKv.filter(Boolean), letters].map(
        ({ length }) => length,
      )
    }
    const [one, two] = await rowsOf(comments, isMemorials)
    await visitor.delete(`/api/comments/${one?.id}`)
    expect(await left()).toEqual([1, 2, 1])
    // Removed by the family, it can come back for 30 days.
    await memorial.owner.delete(`/api/comments/${two?.id}`)
    await forgetVisitorsOf(testCtx(), [{ id: 'com_x', contributorId: person?.id ?? '' }])
    expect(await left()).toEqual([1, 2, 1])
    await changeRows(removedItems, { id: two?.id ?? '' }, { removedAt: 1 })
    await purgeDeleted(testCtx())
    expect(await left()).toEqual([0, 0, 0])
    await follow(visitor, address)
    expect(await memorial.shown(visitor)).toContain(messages.visitors.nothingLeft)
    await memorial.leave(email, visitor, 'Again')
    expect(await memorial.shown(visitor)).toContain('Again')
    // Declined words end the same way; who is blocked, or came by an invitation, stays.
    const [again] = await rowsOf(comments, isMemorials)
    await changeRows(comments, { id: again?.id ?? '' }, { isHeld: true, heldAs: 'DECLINED', decidedAt: 1 })
    await changeRows(contributors, isMemorials, { blockedAt: 1 })
    await purgeDeleted(testCtx())
    expect((await left())[0]).toBe(1)
    await changeRows(contributors, isMemorials, { blockedAt: null })
    const [relative] = await rowsOf(contributors, isMemorials)
    const ids = [{ id: 'com_x', contributorId: relative?.id ?? '' }]
    await memorial.owner.patch(`${memorial.path}/privacy`, { privacy: 'INVITE' })
    const invite = await inviteTokenOf(memorial.owner, memorial.memorial.id)
    await changeRows(contributors, isMemorials, { inviteToken: invite })
    await forgetVisitorsOf(testCtx(), ids)
    expect((await left())[0]).toBe(1)
    await changeRows(contributors, isMemorials, { inviteToken: relative?.inviteToken ?? '' })
    await forgetVisitorsOf(testCtx(), ids)
    expect((await left())[0]).toBe(0)
  },
)

test('the link keeps working when the session has ended, and old records are deleted', async () => {
  const memorial = await open()
  const { address, visitor } = await mailed(memorial)
  await changeRows(contributors, { memorialId: memorial.memorial.id }, { expiresAt: 1 })
  await deleteOldRecords(testCtx())
  expect(await memorial.shown(visitor)).toContain(messages.visitors.nothingLeft)
  await follow(visitor, address)
  expect(await memorial.shown(visitor)).toContain(TYPED)
})

test('the link shows its words beside the browser’s own, and gives nobody another name', async () => {
  const memorial = await open()
  const { address } = await mailed(memorial)
  const other = new Client()
  await memorial.leave('', other, 'Of this phone')
  await follow(other, address)
  const both = await memorial.shown(other)
  expect([both.includes(TYPED), both.includes('Of this phone')]).toEqual([true, true])
  // Somebody sends their link to a stranger, who then writes: the words are the stranger's own.
  const lured = new Client()
  await follow(lured, address)
  await memorial.leave('', lured, 'By the lured')
  const rows = await rowsOf(contributors, { memorialId: memorial.memorial.id })
  expect(rows).toHaveLength(3)
  const author = new Client()
  await follow(author, address)
  expect(await memorial.shown(author)).not.toContain('By the lured')
})

test('a signed-in person sees what their link leads to', async () => {
  const memorial = await open()
  const { address } = await mailed(memorial)
  const person = await signedIn()
  await follow(person, address)
  expect(await memorial.shown(person)).toContain(TYPED)
})

test(
  'a link that is wrong, or of another or a non-public memorial, shows nothing',
  { tags: ['mailed-link-is-visitors'] },
  async () => {
    const [one, other] = [await open(), await open()]
    const { key, address } = await mailed(one)
    const eve = new Client()
    for (const wrong of [
      `${other.page}?key=${key}`,
      `${one.page}?key=${key.slice(1)}x`,
      `${one.page}?key=`,
    ]) {
      await follow(eve, wrong)
      expect(eve.cookies.size).toBe(0)
    }
    expect(await other.shown(eve)).not.toContain(TYPED)
    const header = { headers: { 'X-Contributor-Token': key } }
    expect((await eve.get(`${one.path}/comments`, header)).body.comments).toHaveLength(1)
    for (const privacy of ['INVITE', 'PRIVATE'] as const) {
      await one.owner.patch(`${one.path}/privacy`, { privacy })
      expect((await eve.get(`${one.path}/comments`, header)).status).toBe(403)
      await follow(eve, address)
      expect(eve.cookies.size).toBe(0)
    }
    // Not of anybody who came by an invitation, even if their row had such a token.
    await one.owner.patch(`${one.path}/privacy`, { privacy: 'INVITE' })
    const relative = new Client()
    const invite = await inviteTokenOf(one.owner, one.memorial.id)
    const { body } = await relative.post(`/api/invite/${invite}/session`, { displayName: 'Rudo', email: '' })
    await changeRows(contributors, { mailTokenHash: hashToken(key) }, { mailTokenHash: null })
    await changeRows(contributors, { id: body.contributorId }, { mailTokenHash: hashToken(key) })
    await env.KV.put(`contributor:${hashToken(key)}`, body.contributorId)
    expect((await eve.get(one.path, header)).status).toBe(403)
  },
)

test('one mail for each visitor, and a retry sends the same link again', async () => {
  const memorial = await open()
  const { email, visitor, mail } = await mailed(memorial)
  await memorial.leave(email, visitor, 'More')
  expect(await mailboxOf(email, 1)).toHaveLength(1)
  await changeRows(mails, { recipient: email }, { status: 'QUEUED', claimedUntil: null })
  const again = await mailboxOf(email, 1)
  expect(again.map(({ text }) => text)).toEqual([mail?.text, mail?.text])
})

test(
  'on a shared phone, each link opens the words of its address only',
  { tags: ['link-of-one-visitor'] },
  async () => {
    const memorial = await open()
    const { address, visitor: phone, email } = await mailed(memorial)
    const second = newAddress()
    await memorial.leave('', phone, 'Without an address')
    await memorial.leave(second, phone, 'Of the second')
    await memorial.leave(second, phone, 'More of the second')
    const [mail] = await mailboxOf(second, 1)
    const { pathname, search } = new URL(/http\S+\?key=[\w-]{43}/u.exec(mail?.text ?? '')?.[0] ?? '')
    const written = [TYPED, 'Without an address', 'Of the second', 'More of the second']
    const seenBy = async (client: Client) => {
      const page = await memorial.shown(client)
      return written.filter((words) => page.includes(`>${words}</p>`))
    }
    const [first, other] = [new Client(), new Client()]
    await follow(first, address)
    await follow(other, pathname + search)
    expect(await seenBy(first)).toEqual([TYPED])
    expect(await seenBy(other)).toEqual(['Of the second', 'More of the second'])
    expect(await mailboxOf(email, 1)).toHaveLength(1)
    // The phone sees all, and takes back any.
    expect(await seenBy(phone)).toEqual(written)
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    for (const { id } of await rowsOf(comments, { memorialId: memorial.memorial.id }))
      await phone.fetch(memorial.page, { method: 'POST', body: `take=${id}`, headers })
    expect([await seenBy(phone), await seenBy(first), await seenBy(other)]).toEqual([[], [], []])
  },
)

test(
  'a blocked person stays blocked under another address, and their phone is known',
  { tags: ['blocked-browser-stays-blocked'] },
  async () => {
    const memorial = await open()
    const { visitor: phone } = await mailed(memorial)
    const isMemorials = { memorialId: memorial.memorial.id }
    const [person] = await rowsOf(contributors, isMemorials)
    await memorial.owner.post(`${memorial.path}/contributors/${person?.id}/block`)
    await memorial.leave(newAddress(), phone, 'Under another address')
    const rows = await rowsOf(contributors, isMemorials)
    expect(rows.map(({ blockedAt }) => blockedAt !== null)).toEqual([true, true])
    expect(new Set(rows.map(({ deviceHash }) => deviceHash)).size).toBe(1)
    const held = await rowsOf(comments, { ...isMemorials, heldAs: 'BLOCKED_UNREAD' })
    expect(held.map(({ body }) => body)).toContain('Under another address')
    // One press ends it.
    await memorial.leave('', new Client(), 'Of another phone')
    const other = (await rowsOf(contributors, isMemorials)).find(({ blockedAt }) => blockedAt === null)
    await memorial.owner.post(`${memorial.path}/contributors/${other?.id}/block`)
    await memorial.owner.delete(`${memorial.path}/contributors/${person?.id}/block`)
    const after = await rowsOf(contributors, isMemorials)
    expect(after.filter(({ blockedAt }) => blockedAt !== null).map(({ id }) => id)).toEqual([other?.id])
    const free = await rowsOf(comments, { ...isMemorials, heldAs: 'WAITING' })
    expect(free.map(({ body }) => body)).toContain('Under another address')
  },
)

test('words sent again after a lost answer, under another address, are stored once', async () => {
  const memorial = await open()
  const phone = new Client()
  await memorial.leave('', phone)
  const before = new Map(phone.cookies)
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const body = String(
    new URLSearchParams({ message: 'Sent twice', name: 'Farai', relation: '', email: newAddress() }),
  )
  const send = () => phone.fetch(memorial.page, { method: 'POST', body, headers })
  await send()
  phone.cookies.clear()
  for (const [name, value] of before) phone.cookies.set(name, value)
  expect((await send()).status).toBe(303)
  expect(await memorial.shown(phone)).toContain('Sent twice')
  expect(await memorial.shown(phone)).toContain(TYPED)
  expect(await rowsOf(comments, { memorialId: memorial.memorial.id })).toHaveLength(2)
})

test('strangers can’t send a mailbox more mails an hour than its limit; nobody is told', async () => {
  const memorial = await open()
  const name = randomBase32(10)
  const { limit } = RATE_LIMITS.visitorWordsMails
  const answers = await atOnce(limit + 3, (n) => memorial.leave(`${name}+${n}@visitor.test`))
  expect(answers.map(({ status, body }) => [status, body.isLinkMailed])).toEqual(
    answers.map(() => [201, true]),
  )
  const boxes = await Promise.all(answers.map((_, n) => mailboxOf(`${name}+${n}@visitor.test`, 1)))
  expect(boxes.flat()).toHaveLength(limit)
})

/** A memorial in a burst, and a visitor who leaves words with an address meanwhile. */
async function inBurst() {
  const memorial = await open()
  const { id } = memorial.memorial
  const ctx = testCtx()
  for (let n = 0; n < RATE_LIMITS.visitorBurst.limit; n++) await countRateLimit(ctx, 'visitorBurst', id)
  const [visitor, email] = [new Client(), newAddress()]
  const { body } = await memorial.leave(email, visitor)
  const proof = `/api/memorial/${memorial.memorial.slug}/visitor-messages/${body.comment.id}/proof`
  const prove = () => visitor.post(proof, { nonce: nonceFor(body.comment.id as string, true) })
  const kept = async () => (await rowsOf(contributors, { memorialId: id })).map((person) => person.email)
  return { ...memorial, visitor, email, body, prove, kept }
}

test('in a burst, a visitor gets the mailed link once their browser has done its work', async () => {
  const { visitor, email, body, prove, shown } = await inBurst()
  expect([body.isLinkMailed, await rowsOf(mails, { recipient: email })]).toEqual([undefined, []])
  for (const answer of [await prove(), await prove()]) expect(answer.status).toBe(200)
  const [mail, ...more] = await mailboxOf(email, 1)
  expect(more).toEqual([])
  const { pathname, search } = new URL(/http\S+\?key=[\w-]{43}/u.exec(mail?.text ?? '')?.[0] ?? '')
  const elsewhere = new Client()
  await follow(elsewhere, pathname + search)
  for (const person of [elsewhere, visitor]) expect(await shown(person)).toContain(TYPED)
})

test(
  'an address that got no link is forgotten within a day; others stay',
  { tags: ['only-visitors-addresses-forgotten', 'mailed-address-stays'] },
  async () => {
    const { owner, memorial, path, email, kept, prove } = await inBurst()
    await deleteOldRecords(testCtx())
    expect(await kept()).toEqual([email])
    const later = testCtx(() => Date.now() + HOUR_MS)
    await deleteOldRecords(later)
    expect(await kept()).toEqual([null])
    await prove()
    expect(await rowsOf(mails, { recipient: email })).toEqual([])

    const other = await open()
    const sent = await mailed(other)
    await changeRows(contributors, { memorialId: other.memorial.id }, { mailTokenHash: null })
    const isMemorials = { memorialId: memorial.id }
    await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
    const invite = await inviteTokenOf(owner, memorial.id)
    const own = newAddress()
    const relative = new Client()
    await relative.post(`/api/invite/${invite}/session`, { displayName: 'Rudo', email: own })
    await relative.post(`${path}/comments`, { body: 'From the family' })
    await deleteOldRecords(later)
    const addresses = [
      ...(await rowsOf(contributors, isMemorials)),
      ...(await rowsOf(contributors, { memorialId: other.memorial.id })),
    ]
    expect(addresses.map((person) => person.email)).toEqual([null, own, sent.email])
  },
)

test('the field refuses what is no address, and without an address there is no mail', async () => {
  const memorial = await open()
  expect((await memorial.leave('nobody')).body.fields).toEqual({
    email: 'Please enter a valid email address',
  })
  const { status, body } = await memorial.leave('')
  expect([status, body.isLinkMailed]).toEqual([201, undefined])
  expect(await rowsOf(mails, { kind: 'visitor-words', recipient: '' })).toEqual([])
  const [row] = await rowsOf(contributors, { memorialId: memorial.memorial.id })
  expect([row?.email, row?.mailTokenHash]).toEqual([null, null])
})

test('the form takes an address that the family never sees, and says a link is coming', async () => {
  const memorial = await open()
  const email = newAddress()
  const visitor = new Client()
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const body = String(new URLSearchParams({ message: TYPED, name: 'Farai', relation: '', email }))
  const sent = await visitor.fetch(memorial.page, { method: 'POST', body, headers })
  const to = sent.headers.get('Location') ?? ''
  expect(to).toBe(`${memorial.page}?left=1&mailed=1`)
  expect(await memorial.shown(visitor, to)).toContain(messages.visitors.linkMailed)
  const seen = await Promise.all(
    ['', '/contributors', '/held', '/comments'].map((end) => memorial.owner.get(`${memorial.path}${end}`)),
  )
  expect(JSON.stringify(seen)).not.toContain(email)
})

test('whoever opens an invitation later keeps the words of their mailed link', async () => {
  const memorial = await open()
  const { address, visitor } = await mailed(memorial)
  await memorial.owner.patch(`${memorial.path}/privacy`, { privacy: 'INVITE' })
  const invite = await inviteTokenOf(memorial.owner, memorial.memorial.id)
  await visitor.post(`/api/invite/${invite}/session`, { displayName: 'Farai', email: '' })
  await memorial.owner.post(`${memorial.path}/invite-link/rotate`)
  await memorial.owner.patch(`${memorial.path}/privacy`, { privacy: 'LOCKED' })
  await follow(visitor, address)
  expect(await memorial.shown(visitor)).toContain(TYPED)
})

test('who signs out on a shared phone takes the opened link along', async () => {
  const memorial = await open()
  const { address } = await mailed(memorial)
  const person = await signedIn()
  await follow(person, address)
  await person.post('/api/auth/logout')
  expect([...person.cookies.keys()].filter((name) => !name.startsWith('device-'))).toEqual([])
  await follow(person, address)
  expect(await memorial.shown(person)).toContain(TYPED)
})

test('deleting the memorial for good deletes the link and its mail', async () => {
  const memorial = await open()
  const { key, email } = await mailed(memorial)
  const entry = `contributor:${hashToken(key)}`
  expect(await env.KV.get(entry)).toMatch(/^con_/u)
  await setDeleted(memorial.memorial.id, 31)
  await purgeMemorial(testCtx(), memorial.memorial.id)
  expect([await env.KV.get(entry), await rowsOf(mails, { recipient: email })]).toEqual([null, []])
})

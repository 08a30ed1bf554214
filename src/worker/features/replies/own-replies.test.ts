import { expect, test } from 'vitest'
import { replyMessages } from '#shared/funeral/gathering-messages.ts'
import { sendMail } from '#worker/features/mail/mail.jobs.ts'
import { mailRow } from '#worker/platform/providers/mail.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { newEmail } from '../../../../test/worker/accounts.ts'
import { Client, inviteTokenOf, joinedBy, testCtx } from '../../../../test/worker/harness.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { coming, gatheringOf, linkIn, replied, repliedByMail } from '../../../../test/worker/replies.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

const NOT_FOUND = [404, replyMessages.notFound]

test('a browser sees, changes and takes back what it sent', async () => {
  const { path, replies, counts } = await gatheringOf()
  const { client, reply, address } = await replied(replies, { people: 2 })
  expect((await client.get(`${path}/own-replies`)).body).toEqual({ replies: [reply] })
  const change = { answer: 'AFAR', people: 1, name: 'Farai M', words: 'With you', email: '' }
  const changed = await client.put(address, change)
  expect([changed.status, changed.body]).toEqual([
    200,
    { reply: { ...reply, ...change, email: null, updatedAt: expect.any(String) } },
  ])
  expect(await counts()).toMatchObject({ coming: 0, afar: 1, people: 0 })
  expect((await client.delete(address)).status).toBe(204)
  expect((await client.get(`${path}/own-replies`)).body).toEqual({ replies: [] })
  expect(await counts()).toMatchObject({ coming: 0, afar: 0, people: 0 })
  expect((await client.delete(address)).status).toBe(404)
})

test(
  'nobody else changes or takes back a reply',
  { tags: ['reply-needs-cookie-or-link', 'own-replies-only'] },
  async () => {
    const { owner, path, replies, counts } = await gatheringOf()
    const mine = await repliedByMail(replies)
    const other = await repliedByMail(replies)
    const token = other.link.split('.')[1]
    for (const client of [other.client, owner, new Client()]) {
      for (const address of [mine.address, `${mine.address}.`, `${mine.address}.${token}`, `${mine.link}x`]) {
        const put = await client.put(address, coming({ answer: 'SORRY' }))
        expect([put.status, put.body.message]).toEqual(NOT_FOUND)
        expect((await client.delete(address)).status).toBe(404)
        expect((await client.get(address)).status).toBe(404)
      }
    }
    // The cookie doesn't do what only the link does.
    expect((await mine.client.get(mine.address)).status).toBe(404)
    expect((await other.client.get(`${path}/own-replies`)).body).toEqual({ replies: [other.reply] })
    expect((await new Client().get(`${path}/own-replies`)).body).toEqual({ replies: [] })
    expect(await counts()).toMatchObject({ coming: 2, sorry: 0 })
  },
)

test('the mailed link shows, changes and takes back the reply on any device', async () => {
  const { event, memorial, replies, counts } = await gatheringOf({ contact: '0772', contactFor: 'INVITED' })
  const { reply, link, email } = await repliedByMail(replies)
  const phone = new Client()
  const { id, slug, honoureeFullName } = memorial
  const { settings: _, ...shown } = event
  expect((await phone.get(link)).body).toEqual({
    reply,
    gathering: { ...shown, contact: null },
    memorial: { id, slug, honoureeFullName, privacy: 'LOCKED' },
  })
  const changed = await phone.put(link, coming({ answer: 'SORRY', email }))
  expect(changed.body.reply).toMatchObject({ id: reply.id, answer: 'SORRY', email })
  expect((await phone.delete(link)).status).toBe(204)
  expect((await phone.get(link)).status).toBe(404)
  expect(await counts()).toMatchObject({ coming: 0, sorry: 0 })
  expect(await rowsOf(mails, { subjectId: reply.id })).toEqual([])
})

test('with another address the old link ends, and the new address gets one', async () => {
  const { replies } = await gatheringOf()
  const { client, address, link, email } = await repliedByMail(replies)
  const next = newEmail()
  expect((await client.put(address, coming({ email: next }))).status).toBe(200)
  const [mail] = await mailboxOf(next, 1)
  expect((await new Client().get(link)).status).toBe(404)
  expect((await new Client().get(linkIn(mail?.text))).body.reply.email).toBe(next)
  await client.put(address, coming({ email: next, words: 'Same address' }))
  expect((await mailboxOf(next)).length).toBe(1)
  expect((await mailboxOf(email)).length).toBe(1)
})

test('the link works while the memorial is for invited people, not once it is private', async () => {
  const { owner, memorial, path, replies } = await gatheringOf()
  const { link, client, address } = await repliedByMail(replies)
  await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
  expect((await new Client().get(link)).status).toBe(200)
  await owner.patch(`${path}/privacy`, { privacy: 'PRIVATE' })
  expect((await new Client().get(link)).status).toBe(404)
  expect((await client.put(address, coming())).status).toBe(404)
  await changeRows(memorials, { id: memorial.id }, { privacy: 'INVITE', status: 'REMOVED' })
  expect((await new Client().get(link)).status).toBe(404)
})

test(
  'whoever replied before a gathering is for invited people learns no more of it',
  { tags: ['invited-gatherings-change-no-others', 'changes-told-to-invited', 'reply-mails-to-invited'] },
  async () => {
    const { owner, memorial, path, eventPath, replies, change, counts } = await gatheringOf({}, 'INVITE')
    const token = await inviteTokenOf(owner, memorial.id)
    const relative = await joinedBy(token, 'Rudo')
    await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
    const stranger = await repliedByMail(replies, { answer: 'AFAR' })
    const email = newEmail()
    const invited = await replied(replies, { email }, relative)
    const [{ text } = { text: '' }] = await mailboxOf(email, 1)
    await change({ audience: 'INVITED', venueName: 'At home' })
    expect((await new Client().get(linkIn(text))).body.gathering).toMatchObject({ venueName: 'At home' })
    expect((await new Client().get(stranger.link)).body.gathering).toBeNull()
    for (const [client, address] of [
      [stranger.client, stranger.address],
      [new Client(), stranger.link],
    ] as const) {
      const { status, body } = await client.put(address, coming())
      expect([status, body.message]).toEqual(NOT_FOUND)
    }
    expect((await relative.put(invited.address, coming({ email, people: 2 }))).status).toBe(200)
    expect(await counts()).toMatchObject({ people: 2, afar: 1, toTell: 1 })
    expect((await owner.post(`${eventPath}/tell`)).body).toEqual({ told: 1 })
    await mailboxOf(email, 2)
    // A mail that was asked for before.
    const ctx = testCtx()
    const mail = mailRow(ctx, { kind: 'reply', recipient: stranger.email, subjectId: stranger.reply.id })
    await ctx.db.insert(mails).values(mail)
    await sendMail(ctx, mail.id)
    expect(await mailboxOf(stranger.email)).toHaveLength(1)
    expect((await new Client().delete(stranger.link)).status).toBe(204)
    expect((await owner.get(`${path}/replies`)).body.counts).toMatchObject([{ afar: 0 }])
  },
)

test('a reply is taken back also once the memorial is private, and not twice', async () => {
  const { owner, path, replies, counts } = await gatheringOf()
  const { client, address } = await replied(replies)
  const { link } = await repliedByMail(replies)
  await owner.patch(`${path}/privacy`, { privacy: 'PRIVATE' })
  expect((await new Client().delete(link)).status).toBe(204)
  expect((await client.delete(address)).status).toBe(204)
  expect(await counts()).toMatchObject({ coming: 0, people: 0 })
  expect((await client.delete(address)).body.message).toBe(replyMessages.notFound)
})

test(
  'changes at once never take more places than there are',
  { tags: ['capacity-at-the-change'] },
  async () => {
    const { replies, counts } = await gatheringOf({ capacity: 15 })
    const people = await Promise.all(
      Array.from({ length: 10 }, (_, n) => replied(replies, { answer: n % 2 === 0 ? 'COMING' : 'SORRY' })),
    )
    const answers = await atOnce(10, (n) => people[n]!.client.put(people[n]!.address, coming({ people: 5 })))
    // Ten places are free, and each asks for four or five more.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(answers.filter(({ body }) => body.code === 'gathering_full')).toHaveLength(8)
    expect((await counts()).people).toBeLessThanOrEqual(15)
  },
)

test('whoever has places keeps them when the owner takes places away', async () => {
  const { replies, change, counts } = await gatheringOf()
  const { client, address } = await replied(replies, { people: 6 })
  await change({ capacity: 3 })
  const put = async (people: number) => {
    const { status, body } = await client.put(address, coming({ people }))
    return [status, body.message]
  }
  expect(await put(7)).toEqual([409, 'There are 3 places left'])
  expect(await put(5)).toEqual([200, undefined])
  expect(await counts()).toMatchObject({ people: 5 })
})

test('after the closing time a reply is not changed, but still taken back', async () => {
  const { replies, change, counts } = await gatheringOf()
  const { client, address } = await replied(replies)
  await change({ takesReplies: false })
  const put = await client.put(address, coming({ people: 2 }))
  expect([put.status, put.body.code]).toEqual([409, 'replies_closed'])
  expect((await client.delete(address)).status).toBe(204)
  expect(await counts()).toMatchObject({ coming: 0 })
})

test('signing out on a shared phone forgets the replies of that browser', async () => {
  const { path, replies, counts } = await gatheringOf()
  const { client } = await replied(replies)
  await client.post('/api/auth/logout')
  expect((await client.get(`${path}/own-replies`)).body).toEqual({ replies: [] })
  expect(await counts()).toMatchObject({ coming: 1 })
})

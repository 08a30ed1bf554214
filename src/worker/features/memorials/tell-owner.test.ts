import { expect, test } from 'vitest'
import { DAY_MS, MINUTE_MS } from '#shared/limits.ts'
import type { TellOwner } from '#shared/memorials/memorials.ts'
import { tellOwners } from '#worker/features/memorials/tell-owner.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { Client, invited, memorialOf, testCtx } from '../../../../test/worker/harness.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'
import { atOnce, inTurn } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { uploadFixture } from '../../../../test/worker/uploads.ts'

const SECRET = 'Sekai typed these words'

/** A public memorial whose owner reads messages first. `go`: cron runs this long after the start; returns how many mails there are. */
async function open(tellOwner?: TellOwner) {
  const { owner, memorial, path } = await memorialOf({ privacy: 'LOCKED' })
  await owner.patch(path, { visitorMessages: 'APPROVED', ...(tellOwner && { tellOwner }) })
  const leave = async (body = SECRET) => {
    const message = { name: SECRET, relation: SECRET, body }
    const answer = await new Client().post(`/api/memorial/${memorial.slug}/visitor-messages`, message)
    expect(answer.status).toBe(201)
    return answer.body.comment.id as string
  }
  const row = async () => (await rowsOf(memorials, { id: memorial.id }))[0]!
  const sent = async () => (await rowsOf(mails, { subjectId: memorial.id, kind: 'waiting' })).length
  const go = async (afterMs = 0) => {
    await tellOwners(testCtx(() => Date.now() + afterMs))
    return sent()
  }
  return { owner, memorial, path, leave, row, go }
}

test('fifty things that wait make one mail, which repeats nothing that anybody typed', async () => {
  const { owner, memorial, leave, go } = await open()
  await inTurn(50, (n) => leave(`${SECRET} ${n}`))
  expect([await go(), await go(), await go(DAY_MS / 2)]).toEqual([1, 1, 1])
  const [mail, ...others] = await mailboxOf(owner.user.email, 1)
  expect(others).toEqual([])
  const queue = encodeURIComponent(`/memorial/${memorial.id}#waiting`)
  expect(mail).toMatchObject({
    subject: 'Something waits for you to look at it',
    headers: {
      'List-Unsubscribe': expect.stringMatching(/^<http:\/\/\S+\/unsubscribe\/mem_\w+\.[\w-]{43}>$/u),
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  })
  expect(mail?.text).toContain(`${memorial.honoureeFullName}, 50 messages wait for you.`)
  expect(mail?.text).toMatch(new RegExp(`Look at what waits:\nhttp://\\S+/login\\?next=${queue}\n`, 'u'))
  expect(JSON.stringify(mail)).not.toContain(SECRET)
})

test('the next mail comes after a day, or at once after a visit', async () => {
  const { owner, path, leave, row, go } = await open()
  await leave()
  expect(await go()).toBe(1)
  await leave()
  const { toldAt, tellAt } = await row()
  expect((tellAt ?? 0) - (toldAt ?? 0)).toBe(DAY_MS)
  expect([await go(DAY_MS - MINUTE_MS), await go(DAY_MS)]).toEqual([1, 2])
  await owner.post(`${path}/seen`)
  // The clock of the runs above was a day ahead.
  await changeRows(memorials, { id: (await row()).id }, { toldAt })
  expect(await go()).toBe(2)
  await leave()
  expect(await go()).toBe(3)
})

test.each([
  ['DAILY', 1],
  ['WEEKLY', 7],
] as const)('%s: a visit changes nothing about at most one mail in that time', async (rule, days) => {
  const { owner, path, leave, go } = await open(rule)
  await leave()
  expect(await go()).toBe(1)
  await owner.post(`${path}/seen`)
  await leave()
  expect([await go(days * DAY_MS - MINUTE_MS), await go(days * DAY_MS)]).toEqual([1, 2])
})

test('never means never, also for what was due, and a new rule moves what is due', async () => {
  const { owner, path, leave, row, go } = await open()
  await leave()
  await owner.patch(path, { tellOwner: 'NEVER' })
  expect((await row()).tellAt).toBeNull()
  await leave()
  expect([(await row()).tellAt, await go(30 * DAY_MS)]).toEqual([null, 0])
  await owner.patch(path, { tellOwner: 'AT_ONCE' })
  await leave()
  expect(await go()).toBe(1)
  await leave()
  const { body } = await owner.patch(path, { tellOwner: 'WEEKLY' })
  expect(body.tellOwner).toBe('WEEKLY')
  expect([await go(7 * DAY_MS - MINUTE_MS), await go(7 * DAY_MS)]).toEqual([1, 2])
  const wrong = await owner.patch(path, { tellOwner: 'HOURLY' })
  expect(wrong.body.fields).toEqual({ tellOwner: 'Please choose how often we may write' })
})

test(
  'two runs at once, and two of ten messages at once, send one mail',
  { tags: ['told-once'] },
  async () => {
    const { leave, go, row } = await open()
    await atOnce(10, (n) => leave(`${SECRET} ${n}`))
    await atOnce(4, () => go())
    expect(await go()).toBe(1)
    expect((await row()).tellAt).toBeNull()
  },
)

test(
  'the owner isn’t told of what is shown at once, blocked, decided or taken back',
  { tags: ['told-of-what-waits'] },
  async () => {
    const { owner, path, leave, row, go } = await open()
    await owner.patch(path, { visitorMessages: 'AT_ONCE' })
    await leave()
    expect((await row()).tellAt).toBeNull()
    await owner.patch(path, { visitorMessages: 'APPROVED' })
    for (const heldAs of ['DECLINED', 'BLOCKED', 'BLOCKED_UNREAD'] as const) {
      const id = await leave()
      await changeRows(comments, { id }, { heldAs })
    }
    expect([await go(), (await row()).tellAt, (await row()).toldAt]).toEqual([0, null, null])
    // Decided after the mail was written, and before it is sent.
    const id = await leave()
    expect(await go()).toBe(1)
    await changeRows(comments, { id }, { heldAs: 'DECLINED' })
    expect(await mailboxOf(owner.user.email, 1)).toEqual([])
    expect((await rowsOf(mails, { subjectId: (await row()).id }))[0]?.status).toBe('CANCELLED')
  },
)

test(
  'the mail counts invited people’s files, too, and doesn’t repeat what may hurt',
  { tags: ['mail-counts-what-waits'] },
  async () => {
    const { owner, memorial, path, relative } = await invited()
    await owner.patch(path, { holdNew: true })
    expect((await uploadFixture(relative, memorial.id, 'photo.png')).status).toBe(201)
    const { body } = await relative.post(`${path}/comments`, { body: SECRET })
    await changeRows(comments, { id: body.comment.id }, { heldAs: 'MAY_HURT', heldReason: 'WORDS' })
    // What the owner adds waits for nobody.
    await owner.post(`${path}/comments`, { body: 'Thank you' })
    await tellOwners(testCtx())
    const [mail] = await mailboxOf(owner.user.email, 1)
    expect(mail?.text).toContain(
      '1 photo and 1 message wait for you. Nobody else sees them until you decide.',
    )
    expect(mail?.text).toContain('1 of it may hurt to read')
  },
)

test.each(['DELETED', 'REMOVED'] as const)('nobody is told of a memorial that is %s', async (status) => {
  const { owner, memorial, leave, row, go } = await open()
  await leave()
  await changeRows(memorials, { id: memorial.id }, { status })
  expect([await go(), (await row()).tellAt]).toEqual([0, null])
  await changeRows(memorials, { id: memorial.id }, { status: 'ACTIVE' })
  await leave()
  expect(await go()).toBe(1)
  await changeRows(memorials, { id: memorial.id }, { status })
  expect(await mailboxOf(owner.user.email, 1)).toEqual([])
})

test('only people who may edit a memorial see how its owner is told', async () => {
  const { owner, memorial, path } = await open('WEEKLY')
  expect((await owner.get(path)).body.memorial.tellOwner).toBe('WEEKLY')
  for (const address of [path, `/api/memorial/${memorial.slug}`])
    expect((await new Client().get(address)).body.memorial).not.toHaveProperty('tellOwner')
  const { body } = await new Client().get(`/api/memorial/${memorial.slug}`)
  expect(JSON.stringify(body)).not.toMatch(/tell|told/iu)
})

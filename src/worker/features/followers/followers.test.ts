import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { followMessages } from '#shared/memorials/follow-messages.ts'
import {
  DAY_MS,
  FOLLOW_CONFIRM_MS,
  FOLLOWER_PAGES_MAX,
  FOLLOWERS_BATCH,
  RATE_LIMITS,
} from '#shared/limits.ts'
import { forgetUnconfirmed, writeToFollowers } from '#worker/features/followers/followers.jobs.ts'
import { purgeMemorial } from '#worker/features/removal/removal.jobs.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { followers } from '#worker/schema/followers.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { newEmail } from '../../../../test/worker/accounts.ts'
import { Client, invited, memorialOf, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { keeperOf } from '../../../../test/worker/keepers.ts'
import { mailboxOf, type receivedBy } from '../../../../test/worker/mailbox.ts'
import { atOnce, inTurn } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { uploadFixture } from '../../../../test/worker/uploads.ts'

const WEEK = 7 * DAY_MS
const ALL = { news: true, birthday: true, passing: true }
type Mail = Awaited<ReturnType<typeof receivedBy>>[number]

/** The path of a link in a mail. */
const pathIn = (mail: Mail | undefined, kind: 'follow' | 'unfollow') =>
  new RegExp(`/${kind}/\\S+`, 'u').exec(mail?.text ?? '')?.[0] ?? `/${kind}/none`
const press = (path: string) => new Client().fetch(path, { method: 'POST', redirect: 'manual' })

/** Asks with this client for mails to a new address, and presses the button in the first one. */
async function follow(client: Client, memorialId: string, wishes: object = ALL) {
  const email = newEmail()
  const asked = await client.post(`/api/memorials/${memorialId}/followers`, { email, ...wishes })
  expect([asked.status, asked.body]).toEqual([200, { message: followMessages.asked }])
  const [mail] = await mailboxOf(email, 1)
  await press(pathIn(mail, 'follow'))
  return { email, mail, row: async () => (await rowsOf(followers, { email }))[0] }
}

/** Cron, at this time. */
const runAt = (at: number) => writeToFollowers(testCtx(() => at))
/** Cron, so long from now. Returns the mails to this address, newest first. */
async function mailsAfter(ms: number, email: string): Promise<Mail[]> {
  await runAt(Date.now() + ms)
  return mailboxOf(email)
}

test(
  'a digest tells once a week how much was added, and nothing that anybody typed',
  { tags: ['followers-told-once', 'digest-counts-shown'] },
  async () => {
    const { owner, memorial, relative, path } = await invited()
    const { email, mail } = await follow(relative, memorial.id, { news: true })
    expect(mail?.subject).toBe('Do you want emails about a memorial?')
    expect(await mailsAfter(8 * DAY_MS, email), 'nothing was added').toHaveLength(1)

    await inTurn(2, () => uploadFixture(owner, memorial.id, 'photo.png'))
    await relative.post(`${path}/comments`, { body: 'Sekai typed these words' })
    const held = await relative.post(`${path}/comments`, { body: 'This one waits' })
    await changeRows(comments, { id: held.body.comment.id }, { isHeld: true, heldAs: 'WAITING' })
    const gone = await relative.post(`${path}/comments`, { body: 'Taken back' })
    await relative.delete(`/api/comments/${gone.body.comment.id}`)
    expect(await mailsAfter(6 * DAY_MS, email), 'less than a week').toHaveLength(1)
    await atOnce(4, () => runAt(Date.now() + 9 * DAY_MS))
    await runAt(Date.now() + 9 * DAY_MS)
    const [digest, ...others] = await mailboxOf(email)
    expect(others).toHaveLength(1)
    expect(digest).toMatchObject({
      subject: 'New on a memorial',
      headers: {
        'List-Unsubscribe': expect.stringMatching(/^<http:\/\/\S+\/unfollow\/fol_\w+\.[\w-]{43}>$/u),
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    })
    expect(digest?.text).toContain(`${memorial.honoureeFullName}:\n\n2 photos\n1 message\n\nOpen`)
    expect(digest?.text).not.toMatch(/Sekai typed|Farai|waits/u)
    expect(digest?.html).not.toContain('<img')
    expect(await mailsAfter(30 * DAY_MS, email), 'nothing since').toHaveLength(2)

    const end = pathIn(digest, 'unfollow')
    expect((await new Client().fetch(end)).status).toBe(200)
    expect(await rowsOf(followers, { email }), 'a GET ends nothing').toHaveLength(1)
    expect((await press(`${end}x`)).status).toBe((await press(end)).status)
    expect([await rowsOf(followers, { email }), await rowsOf(mails, { recipient: email })]).toEqual([[], []])
  },
)

test(
  'only the button in the mail counts, within seven days',
  { tags: ['follower-needs-token', 'follow-link-expires'] },
  async () => {
    const { memorial } = await memorialOf({ privacy: 'LOCKED' })
    const [email, late] = [newEmail(), newEmail()]
    const ask = (address: string) =>
      new Client().post(`/api/memorials/${memorial.id}/followers`, { email: address, ...ALL })
    for (const address of [email, late]) await ask(address)
    const [mail] = await mailboxOf(email, 1)
    const path = pathIn(mail, 'follow')
    await new Client().fetch(path)
    const [asked] = await rowsOf(followers, { email })
    await press(`/follow/${asked!.id}.${'A'.repeat(43)}`)
    await press(path.replace('/follow/', '/unfollow/'))
    expect((await rowsOf(followers, { email }))[0]).toMatchObject({ confirmedAt: null, lookAt: null })
    await runAt(Date.now() + 400 * DAY_MS)
    expect(await mailboxOf(email), 'no mail before').toHaveLength(1)

    const latePath = pathIn((await mailboxOf(late, 1))[0], 'follow')
    await changeRows(followers, { email: late }, { createdAt: Date.now() - FOLLOW_CONFIRM_MS })
    expect(await (await press(latePath)).text()).toContain(followMessages.confirm.overTitle)
    expect((await rowsOf(followers, { email: late }))[0]?.confirmedAt).toBeNull()
    expect(await (await press(path)).text()).toContain(followMessages.confirm.doneTitle)
    await forgetUnconfirmed(testCtx())
    expect([await rowsOf(followers, { email: late }), await rowsOf(mails, { recipient: late })]).toEqual([
      [],
      [],
    ])
    expect(await rowsOf(followers, { email })).toHaveLength(1)
  },
)

test('a confirmed choice replaces the earlier one; asking alone changes nothing', async () => {
  const { memorial } = await memorialOf({ privacy: 'LOCKED' })
  const { email } = await follow(new Client(), memorial.id, { news: true })
  const ask = `/api/memorials/${memorial.id}/followers`
  await new Client().post(ask, { email, passing: true })
  const confirmed = async () => (await rowsOf(followers, { email })).filter((row) => row.confirmedAt !== null)
  expect(await confirmed()).toMatchObject([{ wantsNews: true, wantsPassing: false }])
  const [second] = await mailboxOf(email, 2)
  await atOnce(3, () => press(pathIn(second, 'follow')))
  expect(await confirmed()).toMatchObject([{ wantsNews: false, wantsPassing: true }])
})

test(
  'whoever may no longer see the memorial gets no mail',
  {
    tags: [
      'no-mail-of-removed',
      'no-mail-of-unpaid',
      'no-mail-of-private',
      'no-mail-without-invite',
      'mail-to-who-may-see',
    ],
  },
  async () => {
    const { owner, memorial, relative, path } = await invited()
    const withInvite = await follow(relative, memorial.id, { news: true })
    const share = (privacy: string) => owner.patch(`${path}/privacy`, { privacy })
    await share('LOCKED')
    const fromPublic = await follow(new Client(), memorial.id, { news: true })
    await share('INVITE')
    await owner.post(`${path}/comments`, { body: 'Thank you all' })
    let days = 8
    /** How many mails each has, after cron on another day. */
    const counts = async () => {
      await runAt(Date.now() + DAY_MS * days++)
      return [(await mailboxOf(withInvite.email)).length, (await mailboxOf(fromPublic.email)).length]
    }
    await share('PRIVATE')
    expect(await counts(), 'private').toEqual([1, 1])
    await share('INVITE')
    await changeRows(memorials, { id: memorial.id }, { status: 'REMOVED' })
    expect(await counts(), 'removed').toEqual([1, 1])
    await changeRows(memorials, { id: memorial.id }, { status: 'ACTIVE' })
    const paid = await rowsOf(payments, { memorialId: memorial.id })
    await changeRows(payments, { memorialId: memorial.id }, { memorialId: null })
    expect(await counts(), 'not paid for').toEqual([1, 1])
    await changeRows(payments, { id: paid[0]!.id }, { memorialId: memorial.id })
    expect(await counts(), 'for invited people').toEqual([2, 1])

    const { body } = await owner.post(`${path}/comments`, { body: 'And again' })
    await changeRows(comments, { id: body.comment.id }, { createdAt: Date.now() + DAY_MS * days })
    days += 14
    await runAt(Date.now() + DAY_MS * days++)
    expect(await rowsOf(mails, { recipient: withInvite.email, status: 'QUEUED' })).toHaveLength(1)
    await share('PRIVATE')
    expect((await mailboxOf(withInvite.email)).length, 'private before the mail was sent').toBe(2)
    await share('INVITE')
    await owner.post(`${path}/invite-link/rotate`)
    await runAt(Date.now() + DAY_MS * days++)
    expect(await rowsOf(followers, { email: withInvite.email }), 'forgotten with the invitation').toEqual([])
    expect(await rowsOf(followers, { email: fromPublic.email }), 'it may be public again').toHaveLength(1)
  },
)

test('a day of the year comes in the morning where the memorial is', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'LOCKED' })
  await owner.patch(path, { dateOfBirth: '1948-03-14', dateOfDeath: '2020-06-02' })
  const { email, row } = await follow(new Client(), memorial.id, { birthday: true, passing: true })
  const count = async (at: string) => {
    await changeRows(followers, { email }, { lookAt: Date.parse(at) })
    await runAt(Date.parse(at))
    return (await mailboxOf(email)).length - 1
  }
  // Ten in the evening of the day before in Harare, and nine in the morning of the day in Auckland.
  expect(await count('2027-03-13T20:00:00Z'), 'in Harare').toBe(0)
  expect(await count('2027-03-14T06:00:00Z')).toBe(1)
  expect((await row())?.lookAt, 'the next morning').toBe(Date.parse('2027-03-15T06:00:00Z'))
  const [mail] = await mailboxOf(email)
  expect(mail?.subject).toBe('A day to remember')
  expect(mail?.text).toContain(`Today is the birthday of ${memorial.honoureeFullName}.`)
  await owner.put(`${path}/funeral`, { dateTime: '2026-06-06T10:00', timeZone: 'Pacific/Auckland' })
  expect(await count('2028-03-13T20:00:00Z'), 'in Auckland').toBe(2)
  expect(await count('2028-06-01T20:00:00Z')).toBe(3)
  expect((await mailboxOf(email))[0]?.text).toContain(`${memorial.honoureeFullName} died on this day.`)
  await changeRows(memorials, { id: memorial.id }, { dateOfDeathPrecision: 'MONTH' })
  expect(await count('2029-06-01T20:00:00Z'), 'only the month is known').toBe(3)
})

test('limits hold per mailbox, network and memorial, and the mailbox limit is silent', async () => {
  const { memorial } = await memorialOf({ privacy: 'LOCKED' })
  const path = `/api/memorials/${memorial.id}/followers`
  const email = newEmail()
  const statuses = await inTurn(RATE_LIMITS.followMails.limit + 2, async () => {
    const { status, body } = await new Client().post(path, {
      email: email.replace('@', `+${newEmail().slice(0, 4)}@`),
      ...ALL,
    })
    return [status, body.message]
  })
  expect(new Set(statuses.map(String)), 'the same answer always').toEqual(
    new Set([`200,${followMessages.asked}`]),
  )
  await expect
    .poll(async () => (await rowsOf(followers, { memorialId: memorial.id })).length)
    .toBe(RATE_LIMITS.followMails.limit)

  const one = new Client()
  const last = await inTurn(
    RATE_LIMITS.follows.limit + 1,
    async () => (await one.post(path, { email: newEmail(), ...ALL })).status,
  )
  expect([last[0], last.at(-1)]).toEqual([200, 429])
})

test('whoever looks after the memorial sees how many follow it, and no address', async () => {
  const { owner, memorial, relative, path } = await invited()
  const helper = await keeperOf(owner, memorial.id, 'HELPER')
  await follow(relative, memorial.id)
  await relative.post(`${path}/followers`, { email: newEmail(), news: true })
  for (const client of [owner, helper]) {
    expect((await client.get(`${path}/followers`)).body).toEqual({ count: 1 })
    expect((await client.post(`${path}/followers`, { email: newEmail(), ...ALL })).status).toBe(403)
  }
  for (const client of [relative, new Client(), await signedIn()])
    expect((await client.get(`${path}/followers`)).status).toBeGreaterThanOrEqual(401)
  const none = await relative.post(`${path}/followers`, { email: newEmail() })
  expect([none.status, none.body.fields]).toEqual([400, { news: followMessages.chooseOne }])
})

test('many followers of one memorial take several runs, and a purge forgets them all', async () => {
  const { memorial } = await memorialOf({ privacy: 'LOCKED' })
  const ctx = testCtx()
  const [now, most] = [ctx.now(), FOLLOWER_PAGES_MAX * FOLLOWERS_BATCH]
  await ctx.db
    .run(sql`insert into followers (id, memorial_id, email, wants_news, wants_birthday, wants_passing, confirmed_at, news_since, told_since, look_at, created_at)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${most + 50})
    select 'fol_many' || n, ${memorial.id}, 'many' || n || '@family.test', 1, 0, 0, ${now}, ${now - 2 * WEEK}, ${now}, ${now}, ${now} from numbers`)
  await ctx.db
    .insert(comments)
    .values({ id: 'com_many', memorialId: memorial.id, body: 'x', createdAt: now - WEEK })
  const written = async () =>
    (await rowsOf(mails, { kind: 'follow-digest' })).filter(({ subjectId }) =>
      subjectId.startsWith('fol_many'),
    ).length
  await runAt(now)
  expect(await written()).toBe(most)
  await runAt(now)
  await runAt(now)
  expect(await written()).toBe(most + 50)
  await purgeMemorial(ctx, memorial.id)
  expect([await rowsOf(followers, { memorialId: memorial.id }), await written()]).toEqual([[], 0])
})

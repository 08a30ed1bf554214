import { beforeEach, expect, test } from 'vitest'
import type { Comment, CommentPage } from '#shared/comments/comments.ts'
import { RATE_LIMITS } from '#shared/limits.ts'
import type { MediaPage } from '#shared/media/media.ts'
import type { PublicMemorialView } from '#shared/memorials/memorials.ts'
import { cachePurges } from '#worker/schema/jobs.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { reports } from '#worker/schema/reports.table.ts'
import {
  Client,
  contributorOf,
  dropQueueMessages,
  invited,
  signedIn,
  testCtx,
} from '../../../../test/worker/harness.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'
import { uploadFixture } from '../../../../test/worker/uploads.ts'

beforeEach(dropQueueMessages)

const HURTFUL = { reason: 'HURTFUL' }
const THANKS = { message: 'Thank you. The family will look at it.' }

/** A public memorial with a photo, which is its portrait, and a message of a relative, and a message of its owner. */
async function reportable() {
  const stage = await invited()
  const { owner, memorial, path, relative } = stage
  const photo = (await uploadFixture(relative, memorial.id, 'photo.png')).body.media
  const post = async (client: Client) =>
    (await client.post<{ comment: Comment }>(`${path}/comments`, { body: 'A message' })).body.comment
  const [message, ownersOwn] = [await post(relative), await post(owner)]
  await owner.patch(path, { profileMediaId: photo.id })
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  await testCtx().db.delete(cachePurges)
  const onMessage = `/api/comments/${message.id}/report`
  return { ...stage, photo, message, ownersOwn, onMessage, onPhoto: `/api/media/${photo.id}/report` }
}
type Stage = Awaited<ReturnType<typeof reportable>>

/** Answers to this report from `count` people, all at the same time. */
async function reportedBy(count: number, path: string) {
  const answers = await atOnce(count, () => new Client().post(path, HURTFUL))
  return answers.map(({ status, body }) => [status, body])
}

async function seenBy(client: Client, { memorial, path, photo, message }: Stage) {
  const view = (await client.get<PublicMemorialView>(`/api/memorial/${memorial.slug}`)).body
  const page = await (await client.fetch(`/m/${memorial.slug}`)).text()
  const stream = await client.fetch(`/media/stream/${photo.id}?thumbnail=1`)
  await stream.body?.cancel()
  const { comments } = (await client.get<CommentPage>(`${path}/comments`)).body
  return {
    message: [view.comments, comments].map((list) => list.filter(({ id }) => id === message.id).length),
    photo: [view.media.length, (await client.get<MediaPage>(`${path}/media`)).body.media.length],
    counts: view.mediaCounts.IMAGE,
    portrait: [view.memorial.profileMediaId, view.memorial.coverMediaId],
    stream: stream.status,
    page: [page.includes(message.id), page.includes(photo.id)],
  }
}

const purges = async () => (await rowsOf(cachePurges, {})).map(({ tag, isUrgent }) => [tag, isUrgent])

test(
  'a third person’s report hides an item everywhere, however many come at once',
  { tags: ['three-people-fold', 'reports-unnoticed'] },
  async () => {
    const stage = await reportable()
    const { memorial, photo, relative } = stage
    const shown = {
      message: [1, 1],
      photo: [1, 1],
      counts: 1,
      portrait: [photo.id, photo.id],
      stream: 200,
      page: [true, true],
    }
    const stranger = new Client()
    expect(await reportedBy(2, stage.onMessage)).toEqual([
      [200, THANKS],
      [200, THANKS],
    ])
    await reportedBy(2, stage.onPhoto)
    expect(await seenBy(stranger, stage)).toEqual(shown)
    expect(await purges()).toEqual([])

    expect(await reportedBy(1, stage.onMessage)).toEqual([[200, THANKS]])
    expect(await purges()).toEqual([[`memorial-${memorial.id}`, true]])
    const late = await reportedBy(5, stage.onPhoto)
    expect(new Set(late.map(([status]) => status))).toEqual(new Set([200]))
    expect(await seenBy(stranger, stage)).toEqual({
      message: [0, 0],
      photo: [0, 0],
      counts: 0,
      portrait: [null, null],
      stream: 404,
      page: [false, false],
    })
    expect((await stranger.post(stage.onMessage, HURTFUL)).status).toBe(404)

    // Who added it sees it as before, and learns nothing.
    const own = await seenBy(relative, stage)
    expect([own.message, own.photo, own.stream]).toEqual([[1, 1], [1, 1], 200])
    const { comments } = (await relative.get<CommentPage>(`${stage.path}/comments`)).body
    const mine = comments.find(({ id }) => id === stage.message.id)
    expect([mine?.isHeld, mine?.heldReason]).toEqual([undefined, undefined])
  },
)

test('all sessions of one network are one person, and a second report changes nothing', async () => {
  const { onMessage, owner, memorial, message } = await reportable()
  const ip = '2001:db8:1:2::7'
  const people = [new Client(), new Client(), await signedIn(), await contributorOf(owner, memorial.id)]
  for (const [n, person] of people.entries()) {
    person.ip = ip.replace(':2::', `:${n}::`)
    expect((await person.post(onMessage, { ...HURTFUL, words: `${n}` })).body).toEqual(THANKS)
  }
  const stored = await rowsOf(reports, { itemId: message.id })
  expect(stored.map(({ reason, words }) => [reason, words])).toEqual([['HURTFUL', '0']])
  expect(JSON.stringify(stored)).not.toContain('2001')
})

test('the same network is another person for another item', async () => {
  const { onMessage, onPhoto, memorial } = await reportable()
  const stranger = new Client()
  await stranger.post(onMessage, HURTFUL)
  await stranger.post(onPhoto, HURTFUL)
  const stored = await rowsOf(reports, { memorialId: memorial.id })
  expect(new Set(stored.map(({ reporter }) => reporter)).size).toBe(2)
})

test(
  'what the owner added is never hidden by reports, which admins still see',
  { tags: ['owners-own-stays'] },
  async () => {
    const { path, ownersOwn } = await reportable()
    await reportedBy(5, `/api/comments/${ownersOwn.id}/report`)
    const { comments } = (await new Client().get<CommentPage>(`${path}/comments`)).body
    expect(comments.map(({ id }) => id)).toContain(ownersOwn.id)
    const admin = await signedIn({ admin: true })
    const [reported] = (await admin.get(`${path}/reports`)).body.comments
    expect([reported.id, reported.reports.count]).toEqual([ownersOwn.id, 5])
  },
)

test('whoever reported a photo counts again once its contributor changes its caption', async () => {
  const { owner, path, photo, relative, onPhoto } = await reportable()
  const people = [new Client(), new Client(), new Client()]
  const report = () => Promise.all(people.map((person) => person.post(onPhoto, HURTFUL)))
  const isHidden = async () =>
    (await new Client().fetch(`/media/stream/${photo.id}?thumbnail=1`)).status === 404
  const change = async (client: Client) => {
    await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
    expect((await client.patch(`/api/media/${photo.id}`, { caption: 'Something else' })).status).toBe(200)
    await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
    await report()
    return isHidden()
  }
  await report()
  expect(await isHidden()).toBe(true)
  expect((await owner.post(`${path}/reports/keep`, { itemId: photo.id })).status).toBeLessThan(300)
  await report()
  expect(await isHidden()).toBe(false)
  expect(await change(owner)).toBe(false)
  expect(await change(relative)).toBe(true)
})

test('nobody reports what they added, and editors decide instead', { tags: ['report-not-own'] }, async () => {
  const { owner, relative, onMessage, onPhoto, memorial } = await reportable()
  const admin = await signedIn({ admin: true })
  for (const path of [onMessage, onPhoto]) {
    expect((await relative.post(path, HURTFUL)).body.message).toMatch(/added this yourself/u)
    for (const keeper of [owner, admin])
      expect((await keeper.post(path, HURTFUL)).body.message).toMatch(/you decide/u)
  }
  expect(await rowsOf(reports, { memorialId: memorial.id })).toEqual([])
})

test.each([
  [{}, 'reason', 'Please choose a reason'],
  [{ reason: 'UGLY' }, 'reason', 'Please choose a reason'],
  [{ reason: 'OTHER', words: 'x'.repeat(301) }, 'words', 'Please use at most 300 characters'],
])('an invalid report is refused: %j', async (body, field, message) => {
  const { onMessage } = await reportable()
  const answer = await new Client().post(onMessage, body)
  expect([answer.status, answer.body.fields]).toEqual([400, { [field]: message }])
})

test('one browser, and one network with many browsers, can send only so many reports', async () => {
  const { owner, path, onMessage } = await reportable()
  await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
  const messages: string[] = []
  for (let n = 0; n <= RATE_LIMITS.reports.limit; n++)
    messages.push((await owner.post(`${path}/comments`, { body: `${n}` })).body.comment.id)
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  const stranger = new Client()
  const report = (n: number, browser: string) =>
    stranger.post(`/api/comments/${messages[n] ?? ''}/report`, HURTFUL, {
      headers: { 'User-Agent': browser },
    })
  for (let n = 0; n < RATE_LIMITS.reports.limit; n++) expect((await report(n, 'a')).status).toBe(200)
  const refused = await report(RATE_LIMITS.reports.limit, 'a')
  expect([refused.status, refused.body.message]).toEqual([429, expect.stringMatching(/write to us/u)])
  // A report that is there already still gets its answer.
  expect((await report(0, 'a')).status).toBe(200)
  expect((await report(RATE_LIMITS.reports.limit, 'b')).status).toBe(200)
  expect((await new Client().post(onMessage, HURTFUL)).status).toBe(200)
})

test(
  'a folded photo is no longer the chosen main photo, and the portrait is instead',
  { tags: ['reported-is-no-cover'] },
  async () => {
    const stage = await reportable()
    const { owner, path, memorial } = stage
    await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
    const portrait = (await uploadFixture(owner, memorial.id, 'photo.png')).body.media
    await owner.patch(path, { profileMediaId: portrait.id, coverMediaId: stage.photo.id })
    await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
    await reportedBy(3, stage.onPhoto)
    const [row] = await rowsOf(memorials, { id: memorial.id })
    expect([row?.coverMediaId, row?.profileMediaId]).toEqual([portrait.id, portrait.id])
  },
)

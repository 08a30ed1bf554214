import { expect, test } from 'vitest'
import type { Comment, CommentPage } from '#shared/comments/comments.ts'
import type { ContributorPage } from '#shared/invites/contributors.ts'
import type { DecidedPage, HeldItems } from '#shared/removal/held.ts'
import { DAY_MS } from '#shared/limits.ts'
import type { MediaPage } from '#shared/media/media.ts'
import type { MemorialView } from '#shared/memorials/memorials.ts'
import { purgeDeleted } from '#worker/features/removal/removal.jobs.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { media } from '#worker/schema/media.table.ts'
import {
  contributorOf,
  invited,
  inviteTokenOf,
  joinedBy,
  memorialOf,
  signedIn,
  testCtx,
  visitorOf,
  type Client,
} from '../../../../test/worker/harness.ts'
import {
  acceptKeeping,
  handingOver,
  keeperIdOf,
  keeperOf,
  keeperToken,
} from '../../../../test/worker/keepers.ts'
import { fixture } from '../../../../test/worker/fixtures.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { auditOf, changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { uploadFixture } from '../../../../test/worker/uploads.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

async function withCousin() {
  const stage = await invited()
  const { owner, memorial, path, relative } = stage
  const cousin = await contributorOf(owner, memorial.id, 'Rumbidzai')
  const post = async (body: string) =>
    (await relative.post<{ comment: Comment }>(`${path}/comments`, { body })).body.comment
  const seen = async (person: Client) => ({
    words: (await person.get<CommentPage>(`${path}/comments`)).body.comments.map(
      ({ body, isHeld }) => `${body}${isHeld ? ' (waits)' : ''}`,
    ),
    photos: (await person.get<MediaPage>(`${path}/media`)).body.media.length,
  })
  const block = `${path}/contributors/${relative.session.contributorId}/block`
  const held = async () => (await owner.get<HeldItems>(`${path}/held`)).body
  return { ...stage, cousin, post, seen, block, held }
}

test(
  'one press hides a blocked person’s things, another undoes it; they see no change',
  { tags: ['blocked-person-held', 'block-own-memorial', 'block-unnoticed'] },
  async () => {
    const { owner, memorial, path, relative, cousin, post, seen, block, held } = await withCousin()
    await uploadFixture(relative, memorial.id, 'photo.png')
    await post('Shown')
    await owner.patch(path, { holdNew: true })
    await post('Unread')
    await owner.patch(path, { holdNew: false })
    const before = await seen(relative)
    expect(before).toEqual({ words: ['Unread (waits)', 'Shown'], photos: 1 })

    const stranger = await memorialOf()
    const elsewhere = block.replace(memorial.id, stranger.memorial.id)
    expect((await stranger.owner.post(elsewhere)).status).toBe(404)
    expect((await relative.post(block)).status).toBe(403)
    expect((await owner.post(block)).status).toBe(204)
    expect((await owner.post(block)).status).toBe(204)
    const nothing = { words: [], photos: 0 }
    for (const person of [cousin, owner]) expect(await seen(person)).toEqual(nothing)
    expect(await seen(relative)).toEqual(before)
    expect((await post('Later')).isHeld).toBeUndefined()
    expect((await seen(relative)).words).toEqual(['Later', 'Unread (waits)', 'Shown'])
    for (const person of [cousin, owner]) expect(await seen(person)).toEqual(nothing)
    expect(await held()).toMatchObject({
      media: [],
      comments: [],
      count: 0,
      mayHurt: [],
      hasDecided: false,
    })
    const { contributors } = (await owner.get<ContributorPage>(`${path}/contributors`)).body
    expect(contributors).toMatchObject([{ id: relative.session.contributorId, isBlocked: true }])

    expect((await owner.delete(block)).status).toBe(204)
    expect(await seen(cousin)).toEqual({ words: ['Shown'], photos: 1 })
    expect((await held()).comments.map(({ body }) => body)).toEqual(['Later', 'Unread'])
    expect((await post('Free')).isHeld).toBeUndefined()
    expect((await seen(cousin)).words).toEqual(['Free', 'Shown'])
  },
)

async function withVideo(holdNew: boolean) {
  const stage = await withCousin()
  const { owner, memorial, path, relative, cousin } = stage
  const { id } = (await uploadFixture(relative, memorial.id, 'video-2s.mp4')).body.media
  await owner.patch(path, { holdNew })
  const poster = await fixture('photo.webp')
  const change = async () => [
    (await relative.patch(`/api/media/${id}`, { caption: 'Good riddance' })).status,
    (await relative.fetch(`/api/media/${id}/poster`, { method: 'PUT', body: poster })).status,
  ]
  const captions = async () =>
    (await cousin.get<MediaPage>(`${path}/media`)).body.media.map(({ caption }) => caption)
  return { ...stage, id, change, captions }
}

test(
  'if the family reads first, nobody changes shown items under a block or reports',
  { tags: ['unnoticed-until-changed'] },
  async () => {
    const { owner, id, block, change, captions } = await withVideo(true)
    expect(await change()).toEqual([409, 409])
    await owner.post(block)
    expect(await change()).toEqual([409, 409])
    await owner.delete(block)
    expect(await captions()).toEqual([null])
    await changeRows(media, { id }, { isHeld: true, heldAs: 'MAY_HURT', heldReason: 'REPORTS' })
    expect(await change()).toEqual([409, 409])
  },
)

test(
  'what somebody changes while they’re blocked waits when the block ends',
  { tags: ['changed-while-blocked-waits'] },
  async () => {
    const { owner, id, relative, seen, block, held, change, captions } = await withVideo(false)
    expect(await change()).toEqual([200, 200])
    const before = await seen(relative)
    await owner.post(block)
    await owner.delete(block)
    expect(await captions()).toEqual(['Good riddance'])

    await owner.post(block)
    const during = await change()
    expect([during, await seen(relative)]).toEqual([[200, 200], before])
    await owner.delete(block)
    expect([await captions(), (await rowsOf(media, { id }))[0]?.isHeld]).toEqual([[], true])
    // Also if the family once kept it after reports: those are no reason any more.
    await changeRows(media, { id }, { isHeld: false, heldAs: 'WAITING', heldReason: 'REPORTS' })
    await owner.post(block)
    await relative.patch(`/api/media/${id}`, { caption: 'Again' })
    await owner.delete(block)
    expect((await held()).media).toMatchObject([{ id, caption: 'Again' }])
  },
)

test('blocking and unblocking at the same time ends in one of both', async () => {
  const { owner, post, seen, block, cousin } = await withCousin()
  await post('Shown')
  await atOnce(6, (n) => (n % 2 === 0 ? owner.post(block) : owner.delete(block)))
  await owner.delete(block)
  expect((await seen(cousin)).words).toEqual(['Shown'])
})

test('what was declined before a block stays declined after it', async () => {
  const { owner, path, post, block, held } = await withCousin()
  await owner.patch(path, { holdNew: true })
  const { id } = await post('No')
  await owner.post(`${path}/held/decline`, { ids: [id] })
  await owner.post(block)
  await owner.delete(block)
  expect([(await held()).count, (await rowsOf(comments, { id }))[0]?.heldAs]).toEqual([0, 'DECLINED'])
  const { body } = await owner.get<DecidedPage>(`${path}/held/decided`)
  expect(body.comments).toMatchObject([{ id }])
})

test(
  'a blocked person’s cover photo stops being one, and an admin’s block is recorded',
  { tags: ['blocked-is-no-cover'] },
  async () => {
    const { owner, memorial, path, relative, block } = await withCousin()
    const { id } = (await uploadFixture(relative, memorial.id, 'photo.png')).body.media
    await owner.patch(path, { coverMediaId: id })
    const admin = await signedIn({ admin: true })
    await admin.post(block)
    expect((await owner.get(path)).body.memorial.coverMediaId).toBeNull()
    await admin.delete(block)
    expect((await auditOf({ memorialId: memorial.id }, 'action')).map(({ action }) => action)).toEqual([
      'block_contributor',
      'unblock_contributor',
    ])
  },
)

test(
  'a photo that comes back while its sender is blocked is not the cover again',
  { tags: ['restored-held-is-no-cover'] },
  async () => {
    const { owner, memorial, path, relative, block } = await withCousin()
    const { id } = (await uploadFixture(relative, memorial.id, 'photo.png')).body.media
    await owner.patch(path, { coverMediaId: id, profileMediaId: id })
    await owner.delete(`/api/media/${id}`)
    await owner.post(block)
    expect((await owner.post(`/api/media/${id}/restore`)).status).toBe(200)
    const { memorial: read, portraitPlaceholder } = (await owner.get<MemorialView>(path)).body
    expect([read.coverMediaId, read.profileMediaId, portraitPlaceholder]).toEqual([null, null, null])
  },
)

test('a blocked phone that joins under another name is held apart for the family only', async () => {
  const { owner, memorial, path, relative, cousin, block, seen, held } = await withCousin()
  await owner.post(block)
  const token = await inviteTokenOf(owner, memorial.id)
  const again = await joinedBy(token, 'Somebody else', relative.ip)
  await again.post(`${path}/comments`, { body: 'It is me' })
  const other = await joinedBy(token, 'Somebody else')
  await other.post(`${path}/comments`, { body: 'It is not me' })
  expect([(await seen(cousin)).words, (await seen(owner)).words]).toEqual([
    ['It is not me'],
    ['It is not me'],
  ])
  expect((await held()).mayHurt).toMatchObject([{ reason: 'DEVICE', count: 1 }])
})

test('a visitor whom the family blocked stays blocked when they open the invitation', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  const token = await inviteTokenOf(owner, memorial.id)
  const visitor = await visitorOf(owner, memorial)
  const [waiting] = (await owner.get<HeldItems>(`${path}/held`)).body.comments
  await owner.post(`${path}/contributors/${waiting?.authorContributorId ?? ''}/block`)
  await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
  const name = { displayName: 'Farai', email: '' }
  expect((await visitor.post(`/api/invite/${token}/session`, name)).status).toBe(201)
  await visitor.post(`${path}/comments`, { body: 'Now with an invitation' })
  const cousin = await contributorOf(owner, memorial.id)
  expect((await cousin.get<CommentPage>(`${path}/comments`)).body.comments).toEqual([])
})

test('what was shown before a block isn’t deleted as declined, nor undone one by one', async () => {
  const { owner, memorial, path, cousin, post, block, seen, held } = await withCousin()
  await owner.patch(path, { holdNew: true })
  const { id } = await post('Shown')
  await owner.post(`${path}/held/show`, { ids: [id] })
  await owner.post(block)
  expect((await owner.post(`${path}/held/undo`, { ids: [id] })).body).toEqual({ undone: 0 })
  expect((await owner.get<DecidedPage>(`${path}/held/decided`)).body.comments).toEqual([])
  await changeRows(comments, { id }, { decidedAt: Date.now() - 31 * DAY_MS })
  await purgeDeleted(testCtx())
  await owner.delete(block)
  expect([(await seen(cousin)).words, (await held()).count]).toEqual([['Shown'], 0])
  expect((await rowsOf(comments, { memorialId: memorial.id }))[0]?.decidedAt).toBeNull()
})

test('what comes back after a removal is held as its sender is by then', async () => {
  const { owner, path, relative, cousin, post, block, seen, held } = await withCousin()
  await post('Shown')
  await owner.post(block)
  const contributorId = relative.session.contributorId
  const { body } = await owner.post(`${path}/removals`, { contributorId })
  await owner.delete(block)
  await owner.post(`${path}/removals/${body.removal.id}/restore`)
  expect((await held()).comments.map((comment) => comment.body)).toEqual(['Shown'])
  await owner.post(`${path}/held/show`)
  const again = await owner.post(`${path}/removals`, { contributorId })
  await owner.post(block)
  await owner.post(`${path}/removals/${again.body.removal.id}/restore`)
  expect([(await seen(cousin)).words, (await held()).count]).toEqual([[], 0])
  await owner.delete(block)
  expect((await seen(cousin)).words).toEqual(['Shown'])
})

test('a blocked person who gives their name again still sees no difference', async () => {
  const { owner, memorial, path, relative, block, seen, held } = await withCousin()
  await owner.post(block)
  const name = { displayName: 'Farai again', email: '' }
  const token = await inviteTokenOf(owner, memorial.id)
  expect((await relative.post(`/api/invite/${token}/session`, name)).status).toBe(201)
  await relative.post(`${path}/comments`, { body: 'Hello' })
  expect((await seen(relative)).words).toEqual(['Hello'])
  expect(await held()).toMatchObject({ count: 0, mayHurt: [] })
})

test(
  'nobody blocks those who look after the memorial, nor its former owner',
  { tags: ['keepers-are-not-blocked'] },
  async () => {
    const { owner, keeper, memorial, path, handOver } = await handingOver()
    const helper = await keeperOf(owner, memorial.id, 'HELPER')
    const removed = await signedIn()
    await acceptKeeping(removed, await keeperToken(owner, memorial.id, { role: 'KEEPER' }))
    const relative = await contributorOf(owner, memorial.id)
    const wordsOf: [Client, string][] = [
      [owner, 'Daughter'],
      [helper, 'Aunt'],
      [removed, 'Cousin'],
    ]
    for (const [person, body] of wordsOf) await person.post(`${path}/comments`, { body })
    const ids = [
      await keeperIdOf(owner, memorial.id, helper.user.email),
      await keeperIdOf(owner, memorial.id, removed.user.email),
    ]
    await owner.delete(`${path}/keepers/${ids[1]}`)
    const block = async (by: Client, id: string) => {
      const { status, body } = await by.post(`${path}/contributors/${id}/block`)
      return [status, body?.message]
    }
    const unknown = await block(keeper, 'con_none')
    expect(unknown).toEqual([404, serverMessages.removed.personUnknown])
    for (const id of ids) expect(await block(keeper, id)).toEqual(unknown)
    await handOver()
    const formerId = await keeperIdOf(keeper, memorial.id, owner.user.email)
    expect(formerId).toMatch(/^con_/u)
    expect(await block(keeper, formerId)).toEqual(unknown)
    const { comments: seen } = (await relative.get<CommentPage>(`${path}/comments`)).body
    expect(seen.map(({ body }) => body)).toEqual(['Cousin', 'Aunt', 'Daughter'])
  },
)

import { expect, test } from 'vitest'
import type { TokenPool } from '#shared/admin/admin.ts'
import type { Comment, CommentPage } from '#shared/comments/comments.ts'
import type { ContributorPage } from '#shared/invites/contributors.ts'
import { memorialExport } from '#shared/export.ts'
import type { HeldItems } from '#shared/removal/held.ts'
import { HOUR_MS, LINKS_LISTED_MAX } from '#shared/limits.ts'
import type { BulkRemoval, RemovedPage } from '#shared/removal/removed.ts'
import { inviteTokens } from '#worker/schema/invites.table.ts'
import { download } from '../../../../test/worker/exported.ts'
import {
  Client,
  invited,
  inviteTokenOf,
  memorialOf,
  signedIn,
  testCtx,
} from '../../../../test/worker/harness.ts'

const NOTHING = { IMAGE: 0, VIDEO: 0, AUDIO: 0, comments: 0 }
const INSTANT = expect.stringMatching(/^\d{4}-.+Z$/u)
const LINK_ID = expect.stringMatching(/^lnk_/u)
const anHourAgo = () => new Date(Date.now() - HOUR_MS).toISOString()

async function leave({ slug }: { slug: string }, name: string, relation?: string): Promise<Comment> {
  const input = { name, relation, body: `Words of ${name}` }
  const { status, body } = await new Client().post<{ comment: Comment }>(
    `/api/memorial/${slug}/visitor-messages`,
    input,
  )
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.comment
}

/** A public memorial with a message of a relative from before, and one of a visitor. */
async function visited() {
  const stage = await invited()
  const { owner, memorial, path, relative } = stage
  await relative.post(`${path}/comments`, { body: 'Rest well' })
  await owner.patch(path, { visitorMessages: 'AT_ONCE' })
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  return { ...stage, words: await leave(memorial, 'Tawanda', 'her pupil') }
}

const list = async (owner: Client, path: string) =>
  (await owner.get<ContributorPage>(`${path}/contributors`)).body
const guestbook = async (owner: Client, path: string) =>
  (await owner.get<CommentPage>(`${path}/comments`)).body.comments.map(({ body }) => body)
const remove = async (owner: Client, path: string, what: object) =>
  (await owner.post<{ removal: BulkRemoval | null }>(`${path}/removals`, what)).body

test('lists of people and removals mark names that may hurt, so that screens fold them', async () => {
  const { owner, memorial, path } = await visited()
  await leave(memorial, 'Good riddance')
  const { contributors } = await list(owner, path)
  expect(contributors.map(({ displayName, mayNameHurt }) => [displayName, mayNameHurt])).toEqual([
    ['Good riddance', true],
    ['Tawanda', undefined],
    ['Farai Chikomo', undefined],
  ])
  for (const { id } of contributors) await remove(owner, path, { contributorId: id })
  const { removals } = (await owner.get<RemovedPage>(`${path}/removed`)).body
  const marks = removals.map(({ contributorName, mayNameHurt }) => [contributorName, mayNameHurt] as const)
  expect(new Map(marks)).toEqual(
    new Map([
      ['Farai Chikomo', undefined],
      ['Good riddance', true],
      ['Tawanda', undefined],
    ]),
  )
})

test('visitors of the public page are listed as such, with a link of their own', async () => {
  const { owner, path, relative } = await visited()
  const { contributors, links } = await list(owner, path)
  expect(links).toStrictEqual([
    { id: LINK_ID, assignedAt: INSTANT, revokedAt: null },
    { id: LINK_ID, assignedAt: INSTANT, revokedAt: null, isVisitors: true },
  ])
  expect(contributors).toStrictEqual([
    {
      id: expect.stringMatching(/^con_/u),
      displayName: 'Tawanda',
      joinedAt: INSTANT,
      linkId: links[1]?.id,
      isVisitor: true,
      added: { ...NOTHING, comments: 1 },
    },
    {
      id: relative.session.contributorId,
      displayName: relative.session.displayName,
      joinedAt: INSTANT,
      linkId: links[0]?.id,
      added: { ...NOTHING, comments: 1 },
    },
  ])
})

test('what visitors left is removed together, and never as what an invitation brought', async () => {
  const { owner, path } = await visited()
  const since = anHourAgo()
  const byInvitation = await remove(owner, path, { since })
  expect(byInvitation.removal?.removed).toEqual({ ...NOTHING, comments: 1 })
  expect(await guestbook(owner, path)).toEqual(['Words of Tawanda'])
  const { links } = await list(owner, path)
  const byVisitors = await remove(owner, path, { since, linkId: links[1]?.id })
  expect(byVisitors.removal?.removed).toEqual({ ...NOTHING, comments: 1 })
  expect(await guestbook(owner, path)).toEqual([])
  await owner.post(`${path}/removals/${byVisitors.removal?.id}/restore`)
  expect(await guestbook(owner, path)).toEqual(['Words of Tawanda'])
})

test('without an invitation, nothing but the choice of visitors removes theirs', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'LOCKED' })
  await owner.patch(path, { visitorMessages: 'AT_ONCE' })
  await leave(memorial, 'Tawanda')
  const { links } = await list(owner, path)
  expect(links.map(({ isVisitors }) => isVisitors)).toEqual([true])
  expect(await remove(owner, path, { since: anHourAgo() })).toMatchObject({ code: 'not_found' })
  // Their stand-in for a link leaves the place of the invitation free.
  expect(await inviteTokenOf(owner, memorial.id)).not.toContain('visitors')
})

test('however many links have ended since, the one that works and visitors stay listed', async () => {
  const { owner, memorial, path } = await visited()
  const assignedAt = Date.now() + HOUR_MS
  const ended = Array.from({ length: LINKS_LISTED_MAX }, (_, index) => ({
    token: crypto.randomUUID(),
    status: 'REVOKED' as const,
    memorialId: memorial.id,
    assignedAt: assignedAt + index,
    revokedAt: assignedAt + index,
    createdAt: assignedAt,
  }))
  for (const row of ended) await testCtx().db.insert(inviteTokens).values(row)
  const { links } = await list(owner, path)
  expect(links).toHaveLength(LINKS_LISTED_MAX)
  expect(links.slice(0, 3).map(({ revokedAt, isVisitors }) => [revokedAt === null, isVisitors])).toEqual([
    [true, undefined],
    [true, true],
    [false, undefined],
  ])
})

test('a new invitation link leaves visitors and their words as they are', async () => {
  const { owner, memorial, path } = await visited()
  await owner.post(`${path}/invite-link/rotate`)
  const { links } = await list(owner, path)
  expect(links.map(({ revokedAt, isVisitors }) => [revokedAt === null, isVisitors])).toEqual([
    [true, undefined],
    [true, true],
    [false, undefined],
  ])
  await leave(memorial, 'Rumbidzai')
  expect(await guestbook(owner, path)).toEqual(['Words of Rumbidzai', 'Words of Tawanda', 'Rest well'])
})

test('the stand-in of visitors doesn’t count in the pool of invitation links', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorial, path } = await memorialOf({ privacy: 'LOCKED' })
  await owner.patch(path, { visitorMessages: 'AT_ONCE' })
  const pool = async () => (await admin.get<TokenPool>('/api/admin/tokens')).body
  const before = await pool()
  await leave(memorial, 'Tawanda')
  expect(await pool()).toEqual(before)
})

test('how a visitor knew the person is with what waits, was removed, and is exported', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'LOCKED' })
  await owner.patch(path, { visitorMessages: 'APPROVED' })
  const { id } = await leave(memorial, 'Tawanda', 'her <pupil>')
  const held = (await owner.get<HeldItems>(`${path}/held`)).body
  expect(held.comments).toMatchObject([{ id, authorName: 'Tawanda', visitorRelation: 'her <pupil>' }])
  await owner.delete(`/api/comments/${id}`)
  const removed = (await owner.get<RemovedPage>(`${path}/removed`)).body
  expect(removed.comments).toMatchObject([{ id, authorName: 'Tawanda', visitorRelation: 'her <pupil>' }])
  await owner.post(`/api/comments/${id}/restore`)
  await owner.post(`${path}/held/show`, {})
  const { text } = await download(owner, memorial.id)
  const exported = memorialExport.parse(JSON.parse(text('memorial.json')))
  expect(exported.memorial.visitorMessages).toBe('APPROVED')
  expect(exported.messages).toMatchObject([{ writtenBy: 'Tawanda', relation: 'her <pupil>' }])
  expect(text('index.html')).toContain('Tawanda</bdi>, <bdi>her &lt;pupil&gt;</bdi> ·')
})

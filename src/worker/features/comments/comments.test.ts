import { expect, test } from 'vitest'
import type { Comment } from '#shared/comments/comments.ts'
import { WRITTEN_BY_HEADER } from '#shared/ids.ts'
import { setLike } from '#worker/features/comments/comments.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { newId } from '#worker/platform/random.ts'
import { Client, contributorOf, memorialOf, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { rowsOf, auditOf } from '../../../../test/worker/rows.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'

async function guestbook() {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const relative = await contributorOf(owner, memorial.id, 'Farai Chikomo')
  return { owner, memorial, relative, path: `/api/memorials/${memorial.id}/comments` }
}

async function post(person: Client, path: string, body: string): Promise<Comment> {
  const answer = await person.post<{ comment: Comment }>(path, { body })
  expect(answer.status).toBe(201)
  return answer.body.comment
}

test('a posted comment is returned in full, with its author and who may delete it', async () => {
  const { owner, memorial, relative, path } = await guestbook()
  const theirs = await post(relative, path, '  Rest in peace,\r\nSekuru <b>Tendai</b> ')
  expect(theirs).toEqual({
    id: expect.stringMatching(/^com_/u),
    body: 'Rest in peace,\nSekuru <b>Tendai</b>',
    createdAt: expect.any(String),
    authorUserId: null,
    authorContributorId: relative.session.contributorId,
    authorName: 'Farai Chikomo',
    isOwner: false,
    likeCount: 0,
    likedByMe: false,
    canDelete: true,
  })
  const own = await post(owner, path, 'Thank you all')
  expect(own).toMatchObject({
    authorUserId: owner.user.id,
    authorContributorId: null,
    authorName: 'Rudo Moyo',
    isOwner: true,
  })
  const byId = async (person: Client) =>
    Object.fromEntries(
      (await person.get<{ comments: Comment[] }>(path)).body.comments.map((comment) => [
        comment.id,
        comment.canDelete,
      ]),
    )
  expect(await byId(owner)).toEqual({ [theirs.id]: true, [own.id]: true })
  expect(await byId(relative)).toEqual({ [theirs.id]: true, [own.id]: false })
  const another = await contributorOf(owner, memorial.id, 'Rudo Moyo')
  expect(await byId(another)).toEqual({ [theirs.id]: false, [own.id]: false })
  expect((await post(another, path, 'x')).isOwner).toBe(false)
})

test('comments come newest first in pages of 20, each once, even with equal times', async () => {
  const { owner, memorial, path } = await guestbook()
  const rows = Array.from({ length: 45 }, (_, n) => ({
    id: newId('comment'),
    memorialId: memorial.id,
    body: `${n}`,
    authorUserId: owner.user.id,
    createdAt: 1_000 + Math.floor(n / 10),
  }))
  for (const row of rows) await testCtx().db.insert(comments).values(row)
  const pages: Comment[][] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body }: { body: { comments: Comment[]; nextCursor: string | null } } = await owner.get(
      `${path}${cursor === '' ? '' : `?cursor=${cursor}`}`,
    )
    pages.push(body.comments)
    cursor = body.nextCursor
  }
  expect(pages.map((page) => page.length)).toEqual([20, 20, 5])
  const all = pages.flat()
  expect(new Set(all.map((comment) => comment.id)).size).toBe(45)
  const times = all.map((comment) => Date.parse(comment.createdAt))
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  expect((await owner.get(`${path}?cursor=nonsense`)).body.comments).toEqual(pages[0])
})

test.each([
  ['', 'Please write a message'],
  [' \n ', 'Please write a message'],
  ['x'.repeat(2001), 'A message can have up to 2,000 characters'],
  ['a\u0000b', 'This contains characters that cannot be used'],
])('an invalid comment is refused: %j', async (body, message) => {
  const { relative, path } = await guestbook()
  const answer = await relative.post(path, { body })
  expect([answer.status, answer.body.fields]).toEqual([400, { body: message }])
})

test('the limit of 2,000 characters counts code points', async () => {
  const { relative, path } = await guestbook()
  expect((await post(relative, path, '😀'.repeat(2000))).body).toBe('😀'.repeat(2000))
})

test('an idempotency key creates one comment per author, even ten times at once', async () => {
  const { owner, relative, path } = await guestbook()
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  // The key counts once toward the ten of a minute.
  await atOnce(9, (n) => relative.post(path, { body: `${n}` }))
  const answers = await atOnce(10, () => relative.post(path, { body: 'Once' }, { headers }))
  expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 10 }, () => 201))
  expect(new Set(answers.map(({ body }) => body.comment.id)).size).toBe(1)
  expect((await relative.post(path, { body: 'Another' })).status).toBe(429)
  await owner.post(path, { body: 'Mine' }, { headers })
  expect((await owner.get(path)).body.comments).toHaveLength(11)
  const bad = await relative.post(path, { body: 'x' }, { headers: { 'Idempotency-Key': 'one' } })
  expect(bad.status).toBe(400)
})

test('a contributor can post at most ten comments a minute', async () => {
  const { owner, relative, path } = await guestbook()
  const answers = await atOnce(13, (n) => relative.post(path, { body: `${n}` }))
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(10)
  const refused = answers.filter((answer) => answer.status !== 201)
  expect(refused.map((answer) => [answer.status, answer.body.code])).toEqual(
    Array.from({ length: 3 }, () => [429, 'too_many_requests']),
  )
  expect(Number(refused[0]?.headers.get('Retry-After'))).toBeGreaterThan(0)
  expect((await owner.get(path)).body.comments).toHaveLength(10)
})

test('nobody can comment on a locked memorial, not even with a request in flight', async () => {
  const { owner, memorial, relative, path } = await guestbook()
  const lock = owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
  const writes = await atOnce(10, (n) => (n % 2 ? relative : owner).post(path, { body: `${n}` }))
  await lock
  const refused = writes.filter((answer) => answer.status !== 201)
  expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
    new Set(refused.length > 0 ? ['409 memorial_locked'] : []),
  )
  const [row] = await rowsOf(memorials, { id: memorial.id })
  const late = await rowsOf(comments, { memorialId: memorial.id })
  expect(late).toHaveLength(10 - refused.length)
  expect(row?.privacy).toBe('LOCKED')
  for (const person of [owner, relative]) {
    const answer = await person.post(path, { body: 'Too late' })
    expect([answer.status, answer.body.code]).toEqual([409, 'memorial_locked'])
  }
})

test('repeating a comment after a lost response gets it back, even once locked', async () => {
  const { owner, memorial, relative, path } = await guestbook()
  const headers = {
    'Idempotency-Key': crypto.randomUUID(),
    [WRITTEN_BY_HEADER]: relative.session.contributorId,
  }
  const first = await relative.post<{ comment: Comment }>(path, { body: 'Written on the bus' }, { headers })
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
  const again = await relative.post<{ comment: Comment }>(path, { body: 'Written on the bus' }, { headers })
  expect([first.status, again.status, again.body.comment.id]).toEqual([201, 201, first.body.comment.id])
  const other = { ...headers, 'Idempotency-Key': crypto.randomUUID() }
  const late = await relative.post(path, { body: 'Too late' }, { headers: other })
  expect([late.status, late.body.code]).toEqual([409, 'memorial_locked'])
  expect((await owner.get(path)).body.comments).toHaveLength(1)
})

test('a comment sent later is posted under its original author or not at all', async () => {
  const { owner, memorial, relative, path } = await guestbook()
  const another = await contributorOf(owner, memorial.id, 'Another')
  const headers = {
    'Idempotency-Key': crypto.randomUUID(),
    [WRITTEN_BY_HEADER]: relative.session.contributorId,
  }
  for (const person of [another, owner]) {
    const answer = await person.post(path, { body: 'Mine' }, { headers })
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
  }
  const stranger = await new Client().post(path, { body: 'Mine' }, { headers })
  expect([stranger.status, stranger.body.code]).toEqual([403, 'invitation_needed'])
  expect((await relative.post(path, { body: 'Mine' }, { headers })).status).toBe(201)
  expect((await owner.get(path)).body.comments).toHaveLength(1)
})

test('a contributor deletes their own comments while INVITE; the owner deletes any', async () => {
  const { owner, memorial, relative, path } = await guestbook()
  const another = await contributorOf(owner, memorial.id, 'Another')
  const [one, two, three] = [
    await post(relative, path, 'one'),
    await post(relative, path, 'two'),
    await post(another, path, 'three'),
  ]
  const remove = async (person: Client, comment: Comment) =>
    (await person.delete(`/api/comments/${comment.id}`)).status
  expect(await remove(another, one)).toBe(403)
  expect(await remove(await signedIn(), one)).toBe(403)
  expect(await remove(new Client(), one)).toBe(403)
  expect(await remove(relative, one)).toBe(204)
  expect(await remove(relative, one)).toBe(404)
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
  expect(await remove(new Client(), two)).toBe(401)
  expect(await remove(another, two)).toBe(403)
  expect(await remove(relative, two)).toBe(204)
  expect(await remove(owner, two)).toBe(404)
  const admin = await signedIn({ admin: true })
  expect(await remove(admin, three)).toBe(204)
  expect(await auditOf({ memorialId: memorial.id }, 'actorId', 'targetId')).toEqual([
    { actorId: admin.user.id, targetId: three.id },
  ])
  expect((await owner.get(path)).body.comments).toEqual([])
})

test('repeated likes and unlikes of one person count once', async () => {
  const { owner, relative, path } = await guestbook()
  const comment = await post(relative, path, 'Hello')
  const like = `/api/comments/${comment.id}/like`
  await atOnce(10, () => owner.post(like))
  expect((await relative.post(like)).body).toEqual({ likeCount: 2, likedByMe: true })
  const seen = (await owner.get(path)).body.comments
  expect(seen).toEqual([{ ...comment, likeCount: 2, likedByMe: true }])
  await atOnce(10, () => owner.delete(like))
  expect((await owner.delete(like)).body).toEqual({ likeCount: 1, likedByMe: false })
  expect((await relative.get(path)).body.comments).toEqual([{ ...comment, likeCount: 1, likedByMe: true }])
  expect((await owner.post('/api/comments/com_none/like')).status).toBe(404)
})

test('liking a comment that was deleted at the same moment is a 404', async () => {
  const { relative } = await guestbook()
  const like = setLike(testCtx(), newId('comment'), relative.session.contributorId, true)
  await expect(like).rejects.toMatchObject({ code: 'not_found' })
})

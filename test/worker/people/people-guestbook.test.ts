import { expect, test } from 'vitest'
import type { Comment, CommentPage } from '#shared/comments/comments.ts'
import type { ContributorSession } from '#shared/invites/invites.ts'
import { RATE_LIMITS } from '#shared/limits.ts'
import { commentLikes, comments } from '#worker/schema/comments.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { hashToken, newId } from '#worker/platform/random.ts'
import { countRateLimit, requireRateLimitOnce, type RateLimitName } from '#worker/platform/rate-limiter.ts'
import { Client, contributorOf, inviteTokenOf, memorialOf, signedIn, testCtx } from '../harness.ts'
import { changeRows, rowsOf } from '../rows.ts'
import { silence, upload } from '../uploads.ts'

async function family() {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  const [farai, tariro] = [
    await contributorOf(owner, memorial.id, 'Farai Chikomo'),
    await contributorOf(owner, memorial.id, 'Tariro Dube'),
  ]
  return { owner, memorial, path, farai, tariro, token: await inviteTokenOf(owner, memorial.id) }
}

async function post(person: Client, path: string, body: string, key?: string) {
  const headers = key === undefined ? {} : { 'Idempotency-Key': key }
  return person.post<{ comment: Comment }>(`${path}/comments`, { body }, { headers })
}

test(
  'a contributor token opens only its own memorial, and no account',
  { tags: ['contributor-own-memorial'] },
  async () => {
    const { farai, path, memorial } = await family()
    const other = await family()
    const { authToken, contributorId } = farai.session
    const theirs = (await post(other.farai, other.path, 'Rest well')).body.comment
    const attacker = new Client()
    const shown = { headers: { 'X-Contributor-Token': authToken } }
    const inBody = { contributorToken: authToken }
    expect((await attacker.get(path, shown)).status).toBe(200)
    expect((await attacker.post(`${path}/comments`, { body: 'x', ...inBody })).status).toBe(201)
    const foreign = [
      await attacker.get(other.path, shown),
      await attacker.get(`${other.path}/comments`, shown),
      await attacker.get(`${other.path}/media`, shown),
      await attacker.get(`${other.path}/contributor-session`, shown),
      await attacker.post(`${other.path}/comments`, { body: 'x', ...inBody }),
      await attacker.post(`/api/comments/${theirs.id}/like`, inBody, shown),
      await attacker.delete(`/api/comments/${theirs.id}`, undefined, shown),
      // The same token under the name of the other memorial's cookie.
      await attacker.get(other.path, {
        headers: { Cookie: `contributor-${other.memorial.id}=${authToken}` },
      }),
    ]
    expect(foreign.map(({ status }) => status)).toEqual(foreign.map(() => 403))

    const asAddress = [
      `${path}?contributorToken=${authToken}`,
      `${path}?invite=${authToken}`,
      `${path}?X-Contributor-Token=${authToken}`,
      `${path}?contributorId=${contributorId}`,
    ]
    for (const address of asAddress)
      expect([address, (await attacker.get(address)).status]).toEqual([address, 403])
    const named = { contributorId, authorContributorId: contributorId, memorialId: memorial.id }
    expect((await attacker.post(`${path}/comments`, { body: 'x', ...named })).status).toBe(403)

    const asAccount = [
      { Cookie: `session=${authToken}` },
      { Cookie: `__Host-session=${authToken}` },
      { Authorization: `Bearer ${authToken}` },
      { 'X-Contributor-Token': authToken },
    ]
    for (const headers of asAccount) {
      for (const at of ['/api/auth/user', '/api/dashboard', '/api/user/payments', '/api/admin/stats']) {
        expect([at, (await attacker.get(at, { headers })).status]).toEqual([at, 401])
      }
    }
  },
)

test('an account’s session is no contributor token', async () => {
  const { path } = await family()
  const stranger = await signedIn()
  const [session = ''] = [...stranger.cookies.values()]
  const anyone = new Client()
  expect(session).not.toBe('')
  expect((await anyone.get(path, { headers: { 'X-Contributor-Token': session } })).status).toBe(403)
})

test(
  'a contributor deletes only their own comments, only by cookie and session',
  { tags: ['change-own-only', 'contributor-session-expires', 'cursor-own-memorial'] },
  async () => {
    const { owner, memorial, path, farai, tariro } = await family()
    const elsewhere = await family()
    await post(elsewhere.farai, elsewhere.path, 'in another guestbook')
    const [one, two] = [
      (await post(farai, path, 'one')).body.comment,
      (await post(farai, path, 'two')).body.comment,
    ]
    const remove = async (person: Client, id: string) => (await person.delete(`/api/comments/${id}`)).status
    expect(await remove(tariro, one.id)).toBe(403)
    expect(await remove(farai, one.id)).toBe(204)
    await changeRows(contributors, { id: farai.session.contributorId }, { expiresAt: Date.now() - 1 })
    // An invite-only memorial reveals nothing to a visitor without an invitation; a public one treats them as anonymous.
    expect(await remove(farai, two.id)).toBe(403)
    await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
    expect(await remove(farai, two.id)).toBe(401)
    const left = (await owner.get<CommentPage>(`${path}/comments`)).body.comments
    expect(left.map(({ id }) => id)).toEqual([two.id])
  },
)

async function fill(name: RateLimitName, key: string): Promise<void> {
  for (let n = 0; n < RATE_LIMITS[name].limit; n++) {
    expect(await countRateLimit(testCtx(), name, key)).toBe(0)
  }
}

test('twenty repeats of a key count once toward a limit, the next ones count again', async () => {
  const key = crypto.randomUUID()
  const hit = async (author: string) => requireRateLimitOnce(testCtx(), 'comments', author, key)
  for (let n = 0; n < 21 * RATE_LIMITS.comments.limit; n++) await hit('con_repeats')
  await expect(hit('con_repeats')).rejects.toMatchObject({ code: 'too_many_requests' })
  await hit('con_other')
})

test('a contributor may post 200 comments a day, and others are not affected', async () => {
  const { path, farai, tariro } = await family()
  await fill('commentsADay', farai.session.contributorId)
  const refused = await post(farai, path, 'One more')
  expect([refused.status, refused.body]).toEqual([
    429,
    {
      code: 'too_many_requests',
      message: 'You have written 200 messages today, the most we take. Please write again tomorrow.',
    },
  ])
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(80_000)
  expect((await post(tariro, path, 'Rest well')).status).toBe(201)
})

test('one link allows 1,000 comments a day; the owner or a new link may still post', async () => {
  const { owner, memorial, path, farai, tariro, token } = await family()
  await fill('guestbookADay', hashToken(token))
  for (const person of [farai, tariro]) {
    const refused = await post(person, path, 'One more')
    expect([refused.status, refused.body]).toEqual([
      429,
      {
        code: 'too_many_requests',
        message: 'This guestbook has taken 1,000 messages today, the most it can. Please try again tomorrow.',
      },
    ])
  }
  expect((await post(owner, path, 'Thank you all')).status).toBe(201)
  await owner.post(`${path}/invite-link/rotate`)
  expect((await post(farai, path, 'Spam')).status).toBe(403)
  const back = await contributorOf(owner, memorial.id, 'Tariro Dube')
  expect((await post(back, path, 'Rest well')).status).toBe(201)
  const elsewhere = await family()
  expect((await post(elsewhere.farai, elsewhere.path, 'Rest well')).status).toBe(201)
})

/** Everything that this person can read of a memorial, as text. */
async function readAll(
  person: Client,
  memorial: { id: string; slug: string },
  token: string,
): Promise<string> {
  const path = `/api/memorials/${memorial.id}`
  const answers = []
  for (const address of [
    path,
    `/api/memorial/${memorial.slug}`,
    `${path}/media`,
    `${path}/comments`,
    `${path}/funeral-events`,
    `${path}/funeral.ics`,
    `${path}/contributor-session`,
    `/api/invite/${token}`,
  ]) {
    const { status, body } = await person.get(address)
    answers.push(JSON.stringify({ address, status, body }))
  }
  return answers.join('\n')
}

test('readers of a memorial see names and texts, but no identifier of another person', async () => {
  const { owner, memorial, path, tariro, token } = await family()
  const farai = new Client()
  const input = { displayName: 'Farai Chikomo', email: 'farai.secret@family.test' }
  const { authToken, contributorId } = (
    await farai.post<ContributorSession>(`/api/invite/${token}/session`, input)
  ).body
  await post(farai, path, 'From Farai')
  await post(owner, path, 'From the owner')
  await post(tariro, path, 'From Tariro')
  await owner.put(`${path}/funeral`, { dateTime: '2026-12-06T10:00' })
  const recording = { bytes: silence(9000), name: 'Farai-0772-555-123.wav', type: 'AUDIO' }
  expect((await upload(farai, memorial.id, recording)).status).toBe(201)
  const guest = await contributorOf(owner, memorial.id, 'Guest Visitor')

  const secrets = [owner.user.id, owner.user.email, contributorId, authToken, input.email, '0772-555-123']
  for (const person of [guest, tariro]) {
    const read = await readAll(person, memorial, token)
    expect(read).toContain('From Farai')
    for (const secret of secrets) expect(read).not.toContain(secret)
  }
  const own = await readAll(farai, memorial, token)
  expect(own).not.toContain(owner.user.id)
  expect(own).not.toContain(tariro.session.contributorId)
  expect(own).toContain(contributorId)
  // The id shows who wrote a comment within one memorial, and links nothing across memorials.
  const idsIn = async (page: string) => {
    const { ownerId } = (await guest.get(page)).body.memorial
    const seen = (await guest.get<CommentPage>(`${page}/comments`)).body.comments
    return [ownerId, ...seen.filter(({ isOwner }) => isOwner).map(({ authorUserId }) => authorUserId)]
  }
  const second = await memorialOf({ owner, privacy: 'INVITE' })
  const secondPath = `/api/memorials/${second.memorial.id}`
  const secondToken = await inviteTokenOf(owner, second.memorial.id)
  await guest.post(`/api/invite/${secondToken}/session`, { displayName: 'Guest Visitor', email: '' })
  await post(owner, secondPath, 'From the owner')
  const [here, there] = [new Set(await idsIn(path)), new Set(await idsIn(secondPath))]
  expect([here.size, there.size, new Set([...here, ...there]).size]).toEqual([1, 1, 2])

  await owner.patch(path.concat('/privacy'), { privacy: 'LOCKED' })
  const anyone = await readAll(new Client(), memorial, token)
  expect(anyone).toContain('From the owner')
  for (const secret of [...secrets, tariro.session.contributorId]) expect(anyone).not.toContain(secret)
  const ownersOwn = await readAll(owner, memorial, token)
  for (const known of [owner.user.id, contributorId]) expect(ownersOwn).toContain(known)
  expect(ownersOwn).not.toContain(authToken)
})

test('an idempotency key belongs to one person and has one meaning forever', async () => {
  const { owner, path, farai, tariro } = await family()
  const other = await memorialOf({ owner, privacy: 'INVITE' })
  const key = crypto.randomUUID()
  const first = (await post(farai, path, 'From Farai', key)).body.comment
  const second = (await post(tariro, path, 'From Tariro', key)).body.comment
  expect([first.body, second.body]).toEqual(['From Farai', 'From Tariro'])
  // Another text with the same key: the first answer, and one row.
  const again = await post(farai, path, 'Other words', key)
  expect([again.status, again.body.comment]).toEqual([201, first])
  // Another memorial of the same person, and a deleted comment: neither gets the first result.
  await post(owner, path, 'From the owner', key)
  const elsewhere = await post(owner, `/api/memorials/${other.memorial.id}`, 'From the owner', key)
  expect([elsewhere.status, elsewhere.body]).toEqual([
    404,
    { code: 'not_found', message: 'This message could not be found' },
  ])
  await farai.delete(`/api/comments/${first.id}`)
  expect((await post(farai, path, 'From Farai', key)).status).toBe(404)
  const bodies = (await owner.get<CommentPage>(`${path}/comments`)).body.comments.map(({ body }) => body)
  expect(bodies).toEqual(['From the owner', 'From Tariro'])
})

test('fifty concurrent likes from each of two people count as two', async () => {
  const { owner, path, farai, tariro } = await family()
  const { id } = (await post(owner, path, 'Hello')).body.comment
  const like = `/api/comments/${id}/like`
  const both = Array.from({ length: 100 }, (_, n) => (n % 2 ? farai : tariro).post(like))
  for (const { status } of await Promise.all(both)) expect(status).toBe(200)
  const counted = async () => {
    const [row] = await rowsOf(comments, { id })
    return [(await rowsOf(commentLikes, { commentId: id })).length, row?.likeCount ?? 0]
  }
  expect(await counted()).toEqual([2, 2])
  await Promise.all(Array.from({ length: 30 }, (_, n) => (n % 3 ? farai.post(like) : farai.delete(like))))
  const [rows, shown] = await counted()
  expect(shown).toBe(rows)
  await owner.delete(`/api/comments/${id}`)
  expect(await counted()).toEqual([0, 0])
})

test('naming a guest five times at once leaves no guest and keeps the like count right', async () => {
  const { owner, memorial, path, token } = await family()
  const { id } = (await post(owner, path, 'Hello')).body.comment
  const guest = await contributorOf(owner, memorial.id, 'Guest Visitor')
  await guest.post(`/api/comments/${id}/like`)
  expect((await post(guest, path, 'No name yet')).body).toMatchObject({ code: 'name_required' })
  const named = await Promise.all(
    Array.from({ length: 5 }, (_, n) => {
      const tab = new Client()
      for (const [name, value] of guest.cookies) tab.cookies.set(name, value)
      return tab.post<ContributorSession>(`/api/invite/${token}/session`, {
        displayName: `Name ${n}`,
        email: '',
      })
    }),
  )
  expect(named.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
  expect(await rowsOf(contributors, { memorialId: memorial.id, isGuest: true })).toEqual([])
  const likes = await rowsOf(commentLikes, { commentId: id })
  expect(likes).toHaveLength(1)
  expect(named.map(({ body }) => body.contributorId)).toContain(likes[0]?.likedBy)
  expect((await guest.get(path)).status).toBe(403)
})

test('no cursor, however forged, shows a row of another memorial', async () => {
  const { owner, path } = await family()
  const other = await family()
  await post(other.owner, other.path, 'Elsewhere')
  const mine = (await post(owner, path, 'Here')).body.comment
  const theirs = (await other.owner.get<CommentPage>(`${other.path}/comments`)).body.comments[0]
  const at = Date.now() + 60_000
  for (const cursor of [
    `${at}.${theirs?.id ?? ''}`,
    `${at}.${newId('comment')}`,
    '999999999999999.com_zzzz',
    '9999999999999999999999.com_zzzz',
    '-1.com_zzzz',
    '1e308.com_zzzz',
    'NaN.com_zzzz',
    '0.com_0',
    `${at}.med_zzzz`,
    `${at}.com_zz' or 1=1 --`,
    `${at}.com_%`,
    '../../x',
    'x'.repeat(4000),
    '\u0000',
    '[object Object]',
  ]) {
    for (const list of ['comments', 'media']) {
      const { status, body } = await owner.get(`${path}/${list}?cursor=${encodeURIComponent(cursor)}`)
      const ids = (body[list] as { id: string }[]).map(({ id }) => id)
      expect([cursor, status, ids.filter((id) => id !== mine.id)]).toEqual([cursor, 200, []])
    }
  }
})

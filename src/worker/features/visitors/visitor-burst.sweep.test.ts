import { expect, test } from 'vitest'
import type { Comment, CommentPage, VisitorWords } from '#shared/comments/comments.ts'
import type { HeldItems } from '#shared/removal/held.ts'
import { HELD_GROUP, RATE_LIMITS } from '#shared/limits.ts'
import type { VisitorMessages } from '#shared/memorials/memorials.ts'
import { networkHash } from '#worker/access/pepper.ts'
import { clearRateLimit, countRateLimit } from '#worker/platform/rate-limiter.ts'
import { cachePurges } from '#worker/schema/jobs.table.ts'
import { Client, memorialOf, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { sweep } from '../../../../test/worker/faults/faults.ts'
import { nonceFor } from '../../../../test/worker/proofs.ts'

async function open(visitorMessages: VisitorMessages) {
  const { owner, memorial, path } = await memorialOf({ privacy: 'LOCKED' })
  await owner.patch(path, { visitorMessages })
  const words = `/api/memorial/${memorial.slug}/visitor-messages`
  let sent = 0
  const leave = (person: Client, body = `A flood, part ${sent++}`, browser = '') =>
    person.post<{ comment: Comment }>(words, { name: 'Farai', body }, { headers: { 'User-Agent': browser } })
  const from = (ip: string) => Object.assign(new Client(), { ip })
  const prove = (person: Client, id: string, isRight = true) =>
    person.post<{ isShown: boolean }>(`${words}/${id}/proof`, { nonce: nonceFor(id, isRight) })
  const unproven = async (person: Client) => (await person.get<VisitorWords>(words)).body.unproven
  const held = async () => (await owner.get<HeldItems>(`${path}/held`)).body
  const shown = async () =>
    (await new Client().get<CommentPage>(`${path}/comments`)).body.comments.map(({ body }) => body)
  /** As many messages as are usual, each from another network. */
  async function fill() {
    for (let n = 0; n < RATE_LIMITS.visitorBurst.limit; n++)
      expect((await leave(from(`198.51.100.${n + 1}`))).status).toBe(201)
  }
  return { owner, memorial, path, words, leave, from, prove, unproven, held, shown, fill }
}

test(
  'in a burst a message is held, not refused, until its author’s browser has worked',
  { tags: ['proof-of-own-message'] },
  async () => {
    const { leave, from, prove, unproven, held, shown, fill, memorial } = await open('AT_ONCE')
    await fill()
    expect((await held()).mayHurt).toEqual([])
    const loving = from('203.0.113.9')
    const { status, body } = await leave(loving, 'She taught me to whistle.')
    const { id } = body.comment
    expect([status, body.comment.isHeld, await unproven(loving)]).toEqual([201, true, [id]])
    expect(await held()).toMatchObject({ count: 0, mayHurt: [{ reason: 'BURST', count: 1 }] })
    expect(await shown()).not.toContain('She taught me to whistle.')

    const other = from('203.0.113.10')
    await leave(other)
    expect((await prove(other, id)).status).toBe(404)
    expect((await prove(new Client(), id)).status).toBe(404)
    expect((await prove(await signedIn(), id)).status).toBe(404)
    expect((await prove(loving, id, false)).status).toBe(400)
    expect(await unproven(loving)).toEqual([id])

    const { db } = testCtx()
    await db.delete(cachePurges)
    expect((await prove(loving, id)).body).toEqual({ isShown: true })
    expect((await db.select().from(cachePurges)).map(({ tag }) => tag)).toEqual([`memorial-${memorial.id}`])
    expect((await prove(loving, id)).body).toEqual({ isShown: true })
    expect([(await shown())[0], await unproven(loving)]).toEqual(['She taught me to whistle.', []])
  },
)

test(
  'one address, whatever it says of itself, changes nothing for others',
  { tags: ['burst-of-one-network'] },
  async () => {
    const { leave, from, held, shown } = await open('AT_ONCE')
    const statuses: number[] = []
    for (let n = 0; n < RATE_LIMITS.visitorBurstADay.limit + 1; n++) {
      statuses.push((await leave(from('192.0.2.1'), `Part ${n}`, `Browser ${n}`)).status)
    }
    const amount = (status: number) => statuses.filter((one) => one === status).length
    const stored = RATE_LIMITS.visitorBurstOfNetwork.limit + RATE_LIMITS.unprovenOfNetwork.limit
    expect([amount(201), amount(429)]).toEqual([stored, statuses.length - stored])
    const loving = from('203.0.113.9')
    expect((await leave(loving, 'She taught me to whistle.')).body.comment).not.toHaveProperty('isHeld')
    expect((await shown())[0]).toBe('She taught me to whistle.')
    expect((await held()).mayHurt).toMatchObject([{ reason: 'BURST', count: 20 }])
  },
)

test('one address reaches its own limit of a day before a memorial’s', async () => {
  const { leave, from } = await open('AT_ONCE')
  const ctx = testCtx()
  const { visitorBurstOfNetworkADay: ofNetwork, visitorBurstADay: ofMemorial } = RATE_LIMITS
  expect(ofNetwork.limit).toBeLessThan(ofMemorial.limit)
  for (let n = 0; n < ofNetwork.limit; n++)
    await countRateLimit(ctx, 'visitorBurstOfNetworkADay', networkHash(ctx, '192.0.2.2'))
  expect((await leave(from('192.0.2.2'))).body.comment.isHeld).toBe(true)
  expect((await leave(from('192.0.2.3'))).body.comment.isHeld).toBeUndefined()
})

test('what is refused makes no burst', { tags: ['refused-is-no-burst'] }, async () => {
  const { leave, from } = await open('AT_ONCE')
  const statuses: number[] = []
  for (let n = 0; n < RATE_LIMITS.visitorBurstOfNetwork.limit; n++)
    statuses.push((await leave(from('192.0.2.4'), `Part ${n}`, 'Of somebody hasty')).status)
  expect(new Set(statuses.slice(RATE_LIMITS.comments.limit))).toEqual(new Set([429]))
  const other = await leave(from('192.0.2.4'), 'Go well.', 'Of a cousin beside them')
  expect([other.status, other.body.comment.isHeld]).toEqual([201, undefined])
})

test(
  'a rented range of addresses can’t use up a memorial’s burst',
  { tags: ['unproven-of-range'] },
  async () => {
    const { leave, from, prove, memorial, fill } = await open('AT_ONCE')
    await fill()
    const ctx = testCtx()
    const first = (await leave(from('192.0.3.1'))).body.comment
    expect(first.isHeld).toBe(true)
    const range = `${memorial.id} ${networkHash(ctx, '192.0.3')}`
    for (let n = 1; n < RATE_LIMITS.unprovenOfRange.limit; n++)
      await countRateLimit(ctx, 'unprovenOfRange', range)
    expect((await leave(from('192.0.3.2'))).status).toBe(429)
    const loving = from('192.0.4.1')
    expect((await leave(loving)).status).toBe(201)
    // Somebody in the range shows that they are no script.
    const other = from('192.0.3.9')
    await clearRateLimit(ctx, 'unprovenOfRange', range)
    const { id } = (await leave(other)).body.comment
    for (let n = 1; n < RATE_LIMITS.unprovenOfRange.limit; n++)
      await countRateLimit(ctx, 'unprovenOfRange', range)
    expect((await leave(from('192.0.3.3'))).status).toBe(429)
    await prove(other, id)
    expect((await leave(from('192.0.3.3'))).status).toBe(201)
  },
)

test('beyond so many proofs a day what came in a burst stays held', { tags: ['proofs-a-day'] }, async () => {
  const { leave, from, prove, held, fill, memorial } = await open('AT_ONCE')
  await fill()
  const ctx = testCtx()
  for (let n = 0; n < RATE_LIMITS.provenADay.limit; n++) await countRateLimit(ctx, 'provenADay', memorial.id)
  const late = from('203.0.113.9')
  const { id } = (await leave(late, 'Go well.')).body.comment
  expect((await prove(late, id)).body).toEqual({ isShown: false })
  expect(await held()).toMatchObject({ count: 0, mayHurt: [{ reason: 'BURST', count: 1 }] })
})

test('a proven message still waits where the family reads first', async () => {
  const { leave, from, prove, held, fill } = await open('APPROVED')
  await fill()
  const loving = from('203.0.113.9')
  const { id } = (await leave(loving, 'Go well.')).body.comment
  expect((await prove(loving, id)).body).toEqual({ isShown: false })
  expect(await held()).toMatchObject({ count: RATE_LIMITS.visitorBurst.limit + 1, mayHurt: [] })
})

test('without script, a loving message in a flood reaches the family, who can show it', async () => {
  const { owner, memorial, path, from, held, shown, fill } = await open('APPROVED')
  await fill()
  const body = 'message=She+taught+me+to+whistle.&name=Farai&relation=&email='
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const page = `/m/${memorial.slug}/words`
  const sent = await from('203.0.113.9').fetch(page, { method: 'POST', body, headers })
  expect([sent.status, sent.headers.get('Location')]).toEqual([303, `${page}?left=1`])
  const [apart] = (await held()).mayHurt
  expect(apart).toMatchObject({
    reason: 'BURST',
    count: 1,
    comments: [{ body: 'She taught me to whistle.' }],
  })
  await owner.post(`${path}/held/show`, { ids: apart?.comments.map(({ id }) => id) })
  expect(await shown()).toEqual(['She taught me to whistle.'])
})

test('what a rule or the family decided isn’t changed by a proof', async () => {
  const { owner, path, leave, from, prove, held, fill } = await open('AT_ONCE')
  await fill()
  const person = from('203.0.113.9')
  const { id } = (await leave(person)).body.comment
  await owner.post(`${path}/held/decline`, { ids: [id] })
  expect((await prove(person, id)).body).toEqual({ isShown: false })
  expect(await held()).toMatchObject({ count: 0, mayHurt: [] })
})

test.each(sweep([200], [40]))(
  'a flood from %i networks leaves one screen to look at, and room for others',
  async (networks) => {
    const { path, owner, leave, from, prove, held, shown } = await open('AT_ONCE')
    const each = RATE_LIMITS.unprovenMessages.limit
    const done = new Map<number, number>()
    for (let n = 0; n < networks; n++) {
      const flood = from(`198.51.${n}.1`)
      for (let m = 0; m < each; m++) {
        const { status } = await leave(flood)
        done.set(status, (done.get(status) ?? 0) + 1)
      }
    }
    expect(done).toEqual(new Map([[201, networks * each]]))
    const { mayHurt, count } = await held()
    const burst = networks * each - RATE_LIMITS.visitorBurst.limit
    expect([count, mayHurt.map(({ reason, count: amount }) => [reason, amount])]).toEqual([
      0,
      [['BURST', burst]],
    ])
    expect(mayHurt[0]?.comments).toHaveLength(HELD_GROUP)
    // Another message of these networks is refused kindly; those of others arrive.
    expect((await leave(from('198.51.7.1'))).status).toBe(429)
    const loving = from('203.0.113.9')
    const { id } = (await leave(loving, 'She taught me to whistle.')).body.comment
    expect((await prove(loving, id)).body).toEqual({ isShown: true })
    expect((await shown())[0]).toBe('She taught me to whistle.')
    expect((await owner.post(`${path}/held/decline`, { reason: 'BURST' })).body).toMatchObject({
      declined: burst,
    })
    expect((await held()).mayHurt).toEqual([])
  },
)

import { afterEach, expect, test, vi } from 'vitest'
import { memorials, retiredSlugs } from '#worker/schema/memorials.table.ts'
import { findFreeSlug, slugPart } from '#worker/features/memorials/slug.ts'
import { Client, contributorOf, memorialOf, testCtx } from '../../../../test/worker/harness.ts'
import { inTurn, inOneMinute } from '../../../../test/worker/repeat.ts'

afterEach(() => void vi.restoreAllMocks())

test('every slug ends in six random characters from an alphabet of 32', async () => {
  const slugs = await inTurn(300, async () => await findFreeSlug(testCtx(), 'Tendai Móyo'))
  const ends = slugs.map((slug) => /^tendai-moyo-([a-hjkmnp-z02-9]{6})$/u.exec(slug)?.[1] ?? slug)
  expect(new Set(ends).size).toBe(300)
  // Each position uses the whole alphabet.
  for (let position = 0; position < 6; position++) {
    expect(new Set(ends.map((end) => end[position])).size).toBeGreaterThan(28)
  }
})

test('the slug of an existing, deleted or purged memorial is never reused', async () => {
  const ctx = testCtx()
  const { db } = ctx
  const { owner, memorial } = await memorialOf({ name: 'Rudo Chokwadi' })
  await owner.delete(`/api/memorials/${memorial.id}`, { confirmName: 'Rudo Chokwadi' })
  const [row] = await db.select().from(memorials)
  const randomEnds = ['aaaaaa', 'bbbbbb', 'cccccc', 'dddddd']
  await db.insert(retiredSlugs).values({ slug: `${slugPart('Rudo Chokwadi')}-aaaaaa` })
  await db.insert(memorials).values([
    { ...row!, id: 'mem_one', slug: 'rudo-chokwadi-bbbbbb' },
    { ...row!, id: 'mem_two', slug: 'rudo-chokwadi-cccccc', status: 'ACTIVE', deletedAt: null },
  ])
  const getRandomValues = vi.spyOn(crypto, 'getRandomValues').mockImplementation((bytes) => {
    const end = randomEnds.shift() ?? 'eeeeee'
    new Uint8Array(bytes.buffer).set([...end].map((letter) => letter.charCodeAt(0) - 97))
    return bytes
  })
  expect(await findFreeSlug(ctx, 'Rudo Chokwadi')).toBe('rudo-chokwadi-dddddd')
  expect(getRandomValues).toHaveBeenCalledTimes(4)
})

test('a recreated memorial gets another slug and keeps it when it is renamed', async () => {
  const { owner, memorial } = await memorialOf({ name: 'Rudo Moyo' })
  await owner.delete(`/api/memorials/${memorial.id}`, { confirmName: 'Rudo Moyo' })
  const { memorial: again } = await memorialOf({ owner, name: 'Rudo Moyo' })
  expect(again.slug).not.toBe(memorial.slug)
  await owner.patch(`/api/memorials/${again.id}`, { honoureeFullName: 'Somebody Else', slug: 'better' })
  expect((await owner.get(`/api/memorials/${again.id}`)).body.memorial.slug).toBe(again.slug)
  expect((await owner.get(`/api/memorial/${memorial.slug}`)).status).toBe(404)
})

test('a closed memorial reveals no name, and guessed slugs are not found', async () => {
  const { memorial } = await memorialOf({ name: 'Tatenda Sibanda', privacy: 'INVITE' })
  const found = await new Client().get(`/api/memorial/${memorial.slug}`)
  expect([found.status, found.body]).toEqual([
    403,
    { code: 'invitation_needed', message: 'You need an invitation to view this memorial' },
  ])
  const end = memorial.slug.slice(-6)
  const guesses = [
    'tatenda-sibanda',
    'tatenda-sibanda-',
    `tatenda-sibanda-${end.slice(0, 5)}`,
    `tatenda-sibanda-${end}a`,
    `tatenda-sibanda-${end.toUpperCase()}`,
    `Tatenda-Sibanda-${end}`,
    `-${end}`,
    end,
    'tatenda-sibanda-%25',
    'tatenda-sibanda-______',
    'tatenda-sibanda-*',
    `${memorial.slug}%20`,
    `${memorial.slug}%00`,
    memorial.id,
    ...Array.from({ length: 40 }, (_, i) => `tatenda-sibanda-${i}`),
  ]
  for (const guess of guesses) {
    expect([guess, (await new Client().get(`/api/memorial/${guess}`)).body.code]).toEqual([
      guess,
      'not_found',
    ])
  }
})

test('guessing slugs is rate limited, but permitted pages still open', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const open = await memorialOf({ privacy: 'LOCKED' })
  const hidden = `/api/memorial/${memorial.slug}`
  const { guesses, stopped, others } = await inOneMinute(async () => {
    const relative = await contributorOf(owner, memorial.id)
    const guesser = Object.assign(new Client(), { ip: relative.ip })
    return {
      guesses: await inTurn(60, (i) => relative.get(`/api/memorial/tendai-moyo-${i}`)),
      stopped: [await guesser.get(hidden), await guesser.get('/api/memorial/tendai-moyo-aaaaaa')],
      others: [
        await guesser.get(`/api/memorial/${open.memorial.slug}`),
        await relative.get(hidden),
        await new Client().get(hidden),
      ],
    }
  })
  expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([404]))
  expect(stopped.map(({ status, headers }) => [status, headers.get('Retry-After')])).toEqual([
    [429, '60'],
    [429, '60'],
  ])
  expect(stopped[0]?.body).toEqual(stopped[1]?.body)
  expect(others.map(({ status }) => status)).toEqual([200, 200, 403])
})

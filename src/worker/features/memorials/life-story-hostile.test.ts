import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { readableLifeStory, sanitizeLifeStory } from '#worker/features/memorials/life-story.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { memorialOf, testCtx } from '../../../../test/worker/harness.ts'
import { disallowedNodes } from '../../../../test/worker/hostile/story-allow-list.ts'
import { XSS_VECTORS } from '../../../../test/xss-vectors.ts'

/** All vectors, joined into stories of 40, so that an element left open by one vector affects the next. */
const STORIES = Array.from({ length: Math.ceil(XSS_VECTORS.length / 40) }, (_, index) =>
  XSS_VECTORS.slice(index * 40, index * 40 + 40).join('\n'),
)

test('thousands of hostile stories are reduced to the allow-list and stay stable', () => {
  expect(XSS_VECTORS.length).toBeGreaterThan(3500)
  const wrong = XSS_VECTORS.concat(STORIES).flatMap((vector) => {
    const clean = sanitizeLifeStory(`<p>Before</p>${vector}`) ?? ''
    const problems = disallowedNodes(clean)
    if (!clean.startsWith('<p>Before')) problems.push('lost the text before it')
    if (sanitizeLifeStory(clean) !== clean) problems.push('changed when sanitised again')
    return problems.length > 0 ? [{ vector, clean, problems }] : []
  })
  expect(wrong).toEqual([])
})

test('hostile stories are stored as answered and never break the Worker', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  const statuses = new Set<number>()
  for (const lifeStory of STORIES) {
    const { status, body } = await owner.patch(`/api/memorials/${memorial.id}`, { lifeStory })
    statuses.add(status)
    expect(disallowedNodes(body.lifeStory ?? '')).toEqual([])
  }
  expect([...statuses]).toEqual([200])
})

const HUGE: [string, string][] = [
  ['100,000 levels', '<b>'.repeat(100_000)],
  ['33,000 levels within the size', '<b>'.repeat(33_000)],
  ['33,000 levels of SVG', '<g>'.repeat(33_000)],
  ['6,000 levels of tables', '<table><tr><td>'.repeat(6000)],
  ['10,000 templates', '<template>'.repeat(9999)],
  ['10,000 misnested links', '<a><p><b>'.repeat(11_000)],
  ['100,000 attributes', `<p ${Array.from({ length: 100_000 }, (_, n) => `a${n}`).join(' ')}>x`],
  [
    '16,000 attributes within the size',
    `<p ${Array.from({ length: 16_000 }, (_, n) => n.toString(36)).join(' ')}>x`,
  ],
  ['30,000 attributes left open', `<b ${'x '.repeat(30_000)}>${'<p>x'.repeat(9000)}`],
  ['one attribute of 99,000 characters', `<a href="https://a.example/${'x'.repeat(99_000)}">x</a>`],
  ['99,000 null characters', `<p>x${'\u0000'.repeat(99_000)}`],
  ['12,000 open comments', '<!--<p>x'.repeat(12_000)],
  ['99,000 brackets', '<'.repeat(99_000)],
  ['49,000 half entities', '&#'.repeat(49_000)],
  ['2,900 of the longest entity', '&CounterClockwiseContourIntegral;'.repeat(2900)],
  ['99,000 marks on one letter', `<p>a${'\u0301'.repeat(99_000)}`],
  ['12,000 characters that four bytes write', `<p>${'😀'.repeat(12_000)}`],
  ['511 KiB', `<p>${'x'.repeat(511 * 1024)}</p>`],
  ['over 512 KiB', `<p>${'x'.repeat(512 * 1024)}</p>`],
]

test.each(HUGE)('a story of %s is cleaned or refused, and the Worker survives', async (_what, lifeStory) => {
  const { owner, memorial } = await memorialOf()
  const { status, body } = await owner.patch(`/api/memorials/${memorial.id}`, { lifeStory })
  expect([200, 400, 413]).toContain(status)
  expect(disallowedNodes(body.lifeStory ?? '')).toEqual([])
  expect((await owner.patch(`/api/memorials/${memorial.id}`, { lifeStory: '<p>After</p>' })).status).toBe(200)
})

test('a story stored by an older sanitiser is cleaned on every read', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  const wrong = XSS_VECTORS.filter((vector) => disallowedNodes(readableLifeStory(vector, 0) ?? '').length > 0)
  expect(wrong).toEqual([])
  await testCtx()
    .db.update(memorials)
    .set({ lifeStory: `<p onclick=alert(1)>x</p>${XSS_VECTORS.slice(0, 300).join('')}`, lifeStoryVersion: 1 })
    .where(eq(memorials.id, memorial.id))
  const read = [
    (await owner.get(`/api/memorials/${memorial.id}`)).body.memorial.lifeStory,
    (await owner.get(`/api/memorial/${memorial.slug}`)).body.memorial.lifeStory,
    (await owner.get('/api/dashboard')).body.memorials[0].lifeStory,
  ]
  expect(read.map(disallowedNodes)).toEqual([[], [], []])
  expect(read.every((story: string) => story.startsWith('<p>x</p>'))).toBe(true)
})

test('a story has whole, composed characters and no invisible ones', () => {
  const bell = String.fromCharCode(7)
  expect(sanitizeLifeStory(`<p>a\u202eb\ud800<span>e</span>\u0301${bell}&#8238;&#7;&shy;c</p>`)).toBe(
    '<p>ab\ufffd\u00e9c</p>',
  )
  // Composing this mark with the character before it would change the bracket of a tag.
  expect(sanitizeLifeStory('<p>\u0338x</p>')).toBe('<p>\u0338x</p>')
  expect(() => sanitizeLifeStory('<b>'.repeat(33))).toThrow(AppError)
})

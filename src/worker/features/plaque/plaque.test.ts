import { parseFragment } from 'parse5'
import { expect, test } from 'vitest'
import { RATE_LIMITS } from '#shared/limits.ts'
import type { Plaque } from '#shared/memorials/plaque.ts'
import { LINE_WIDTH, layOutPlaque } from '#worker/features/plaque/plaque-svg.ts'
import { widthOf } from '#worker/features/previews/card-text.ts'
import { memorialOf, signedIn } from '../../../../test/worker/harness.ts'
import { exhaustRateLimit } from '../../../../test/worker/uploads.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

const DATES = { dateOfBirth: '1948-03-14', dateOfDeath: '2026-06-02' }
/** All that an outlined plaque may contain: a white background, letter outlines, the code and crop marks. */
const OUTLINED =
  /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+mm" height="\d+mm" viewBox="-?\d+ -?\d+ \d+ \d+"><rect x="-?\d+" y="-?\d+" width="\d+" height="\d+" fill="#fff"\/><path fill="#000" d="[MLQCZ\d. -]+"\/><path fill="#000" shape-rendering="crispEdges" d="[Mhvz\d. -]+"\/>(?:<path fill="none" stroke="#000" stroke-width="0\.1" d="[Mhv\d -]+"\/>)?<\/svg>\n$/u

async function plaqueOf(
  name: string,
  fields: { title?: string } & Partial<typeof DATES> = {},
  query = '',
): Promise<Plaque> {
  const { owner, memorial, path } = await memorialOf({ name })
  if (Object.keys(fields).length > 0) await owner.patch(path, fields)
  const { status, body } = await owner.get(`${path}/plaque${query}`)
  expect(status).toBe(200)
  expect(body.url).toBe(`http://localhost/m/${memorial.slug}`)
  return body
}

test('a plaque is an SVG in millimetres with outlined letters and a code', async () => {
  const { svg, ...facts } = await plaqueOf('Tendai Rudo Moyo', {
    title: 'She taught half of Mutare.',
    ...DATES,
  })
  expect(facts).toEqual({
    url: expect.any(String),
    widthMm: 100,
    heightMm: 140,
    codeMm: expect.any(Number),
    moduleMm: expect.any(Number),
    nameMm: 10,
    sentenceMm: 5,
    isOutlined: true,
  })
  expect(facts.codeMm).toBeGreaterThanOrEqual(40)
  expect(facts.moduleMm).toBeGreaterThanOrEqual(1)
  expect(svg).toMatch(OUTLINED)
  expect(svg).toContain('width="100mm" height="140mm" viewBox="0 0 100 140"')
})

test('approximate years fit into the width of the plaque in one line', () => {
  const years = 'about 1931 – about 2019'
  for (const width of Object.values(LINE_WIDTH)) {
    const { lines } = layOutPlaque({ name: 'Li', years, sentence: null }, 33, width)
    expect(lines.map(({ text }) => text)).toEqual(['Li', years])
    expect(Math.max(...lines.map(({ text, size }) => widthOf(text, size)))).toBeLessThanOrEqual(width)
  }
})

test('crop marks are drawn outside the plaque, and only on request', async () => {
  const title = 'One sentence'
  const without = await plaqueOf('Tendai', { title })
  const marked = await plaqueOf('Tendai', { title }, '?marks=yes')
  expect(without.svg).not.toContain('stroke')
  expect([marked.widthMm, marked.heightMm]).toEqual([116, 156])
  expect(marked.svg).toMatch(OUTLINED)
  expect(marked.svg).toContain('width="116mm" height="156mm" viewBox="-8 -8 116 156"')
  const marks = /stroke-width="0\.1" d="([^"]*)"/u.exec(marked.svg)?.[1] ?? ''
  const starts = [...marks.matchAll(/M(-?\d+) (-?\d+)/gu)].map(([, x, y]) => [Number(x), Number(y)])
  expect(starts).toHaveLength(8)
  expect(starts.every(([x = 0, y = 0]) => x < 0 || x > 100 || y < 0 || y > 140)).toBe(true)
})

test('the plaque shows the sentence unless the owner leaves it out', async () => {
  const title = 'She taught half of Mutare to read.'
  const [withSentence, without] = [
    await plaqueOf('Tendai', { title }),
    await plaqueOf('Tendai', { title }, '?sentence=no'),
  ]
  const none = await plaqueOf('Tendai')
  expect([withSentence.sentenceMm, without.sentenceMm, none.sentenceMm]).toEqual([5, null, null])
  expect(withSentence.svg.length).toBeGreaterThan(without.svg.length + 2000)
})

test('the longest name and sentence shrink the letters but not the code', async () => {
  const short = await plaqueOf('Bo')
  const long = await plaqueOf('W'.repeat(100), { title: 'W'.repeat(200), ...DATES })
  expect(long.codeMm).toBeGreaterThanOrEqual(short.codeMm)
  expect(long.nameMm).toBeLessThan(5)
  expect(long.sentenceMm).toBeLessThan(3.5)
})

test.each(['Тендаи Мойо', '田代 文子', 'تنداي مويو'])(
  'a name outside our font is written as text for the engraver to set: %s',
  async (name) => {
    const { svg, isOutlined } = await plaqueOf(name, DATES)
    expect(isOutlined).toBe(false)
    const written = [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/gu)].map(([, text]) => text)
    expect(written.join(' ')).toBe(`${name} 1948–2026`)
  },
)

test('emoji are left out, and a sentence of only emoji is omitted', async () => {
  const { svg, isOutlined, sentenceMm } = await plaqueOf('Tendai 🌻', { title: '🌻🌻' })
  expect([isOutlined, sentenceMm]).toEqual([true, null])
  expect(svg).toMatch(OUTLINED)
})

test('no user text becomes an element of the plaque', async () => {
  const evil = '"/><script>alert(1)</script><a href="//evil.example">'
  const outlined = await plaqueOf(evil, { title: '</text></svg><svg onload=alert(1)>' })
  expect(outlined.svg).toMatch(OUTLINED)
  const { svg, isOutlined } = await plaqueOf(`Ж${evil}`, { title: '</text></svg><svg onload=alert(1)>' })
  expect(isOutlined).toBe(false)
  const [root] = parseFragment(svg).childNodes
  const names = root && 'childNodes' in root ? root.childNodes.map(({ nodeName }) => nodeName) : []
  expect(new Set(names)).toEqual(new Set(['rect', 'text', 'path']))
  expect(svg).not.toContain('<script')
})

test('plaques are limited per account', async () => {
  const { owner, memorial } = await memorialOf()
  await exhaustRateLimit('plaques', owner.user.id, RATE_LIMITS.plaques.limit - 1)
  const path = `/api/memorials/${memorial.id}/plaque`
  expect((await owner.get(path)).status).toBe(200)
  const { status, body, headers } = await owner.get(path)
  expect([status, body.message]).toEqual([429, serverMessages.system.tooManyRequests])
  expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
  const admin = await signedIn({ admin: true })
  expect((await admin.get(path)).status, 'an admin has a count of their own').toBe(200)
})

import { parseFragment } from 'parse5'
import { expect, test } from 'vitest'
import { cardSvg, neutralCardSvg } from '#worker/features/previews/card-svg.ts'
import { fitName, widthOf, writableName } from '#worker/features/previews/card-text.ts'

const WIDTH = 568
const NAMES = [
  'Bo Li',
  'Tendai Rudo Moyo',
  'Ngonidzashe Chikwanha',
  'Nomathemba Thandekile Sibongile Ndlovu-Mkhwananzi wokuzalwa eMatshobana kaMthwakazi',
  'Ndabaningi-Nkosilathi-Mthwakazi-Mzilikazi',
  'W'.repeat(100),
  `${'i '.repeat(49)}i`,
]
const portrait = 'data:image/jpeg;base64,AAAA'

test.each(NAMES)('a card shows the whole name within its width and height: %j', (name) => {
  const { lines, size } = fitName(name, WIDTH)
  expect(Math.max(...lines.map((line) => widthOf(line, size)))).toBeLessThanOrEqual(WIDTH)
  expect(lines.join('').replaceAll(' ', '')).toBe(name.replaceAll(' ', ''))
  expect(lines.length * size).toBeLessThanOrEqual(270)
})

test('a short name is larger than a long one, and no last word is left alone', () => {
  const sizes = NAMES.slice(1, 4).map((name) => fitName(name, WIDTH).size)
  expect(sizes).toEqual([84, 84, 46])
  expect(fitName('Tendai Rudo Moyo', WIDTH).lines).toEqual(['Tendai', 'Rudo Moyo'])
  expect(fitName('Maria Magdalena van der Merwe', WIDTH).lines).toEqual(['Maria Magdalena', 'van der Merwe'])
})

test('a name is written with every letter or not at all, except for emoji', () => {
  const written = [
    'Zoë Müller-Łukasz',
    'Gogo 🕊️ Moyo ❤',
    'Nomsa 🇿🇼',
    'Александр',
    'Tendai 王',
    '🕊️',
    'نور',
  ].map(writableName)
  expect(written).toEqual(['Zoë Müller-Łukasz', 'Gogo Moyo', 'Nomsa', null, null, null, null])
})

test('a name outside the font is replaced by portrait and years, or gives no card', () => {
  const shown = cardSvg({ name: 'Александр Пушкин', years: '1799–1837', portrait, gathering: null }) ?? ''
  expect([shown.includes(portrait), shown.includes('1799–1837'), /\p{Script=Cyrillic}/u.test(shown)]).toEqual(
    [true, true, false],
  )
  expect(
    cardSvg({ name: 'Александр Пушкин', years: '1799–1837', portrait: null, gathering: null }),
  ).toBeNull()
})

test('without a portrait the card shows the initials', () => {
  const svg = cardSvg({ name: 'Tendai Rudo Moyo', years: null, portrait: null, gathering: null }) ?? ''
  expect([svg.includes('>TM<'), svg.includes('<image')]).toEqual([true, false])
})

test('a hostile name stays text on a card', () => {
  const tags = (svg: string | null) => [...(svg ?? '').matchAll(/<([a-z]+)/gu)].map(([, tag]) => tag)
  const name = '"/><image href="https://evil.test/x"/><script>&amp;'
  const svg = cardSvg({ name, years: null, portrait, gathering: null })
  expect(new Set(tags(svg))).toEqual(new Set(['svg', 'rect', 'image', 'text']))
  expect(tags(svg).filter((tag) => tag === 'image')).toHaveLength(1)
  const texts = parseFragment(svg ?? '').childNodes.flatMap((root) =>
    'childNodes' in root ? root.childNodes : [],
  )
  const written = texts.flatMap((node) => ('childNodes' in node ? node.childNodes : []))
  const letters = written.map((node) => ('value' in node ? node.value : '')).join('')
  expect(letters.replaceAll(' ', '')).toContain(name.replaceAll(' ', ''))
})

test('a card with only one known year says so in words', () => {
  const svg = cardSvg({ name: 'Bo Li', years: 'died 2026', portrait, gathering: null }) ?? ''
  expect(svg).toContain('>Died 2026</text>')
})

test('approximate years fit onto a card in every place they can have', () => {
  const years = 'about 1931 – about 2019'
  for (const name of ['Bo Li', 'Александр Пушкин']) {
    const svg = cardSvg({ name, years, portrait, gathering: null }) ?? ''
    const size = Number(/font-size="([\d.]+)"[^>]*>About 1931/u.exec(svg)?.[1])
    expect(size).toBeGreaterThan(30)
    expect(widthOf('About 1931 – about 2019', size)).toBeLessThanOrEqual(WIDTH)
  }
})

test('the service card names nobody', () => {
  const texts = [...neutralCardSvg().matchAll(/>([^<>]+)<\/text>/gu)].map(([, text]) => text)
  expect(texts).toEqual(['Keeping Legacies Alive', 'A lasting place for their story'])
})

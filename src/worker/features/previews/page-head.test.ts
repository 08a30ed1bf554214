import { parse, type DefaultTreeAdapterTypes } from 'parse5'
import { expect, test } from 'vitest'
import { aGathering } from '#shared/funeral/a-gathering.ts'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { pageHead } from '#worker/features/previews/page-head.ts'

const ORIGIN = 'https://nhaka.example'
const MEMORIAL: Memorial = {
  id: 'mem_1',
  ownerId: 'usr_1',
  slug: 'tendai-moyo-k7q2mx',
  title: 'She taught half of Mutare to read',
  honoureeFullName: 'Tendai Rudo Moyo',
  dateOfBirth: '1948-03-14',
  dateOfBirthPrecision: 'DAY',
  dateOfDeath: '2026-06-02',
  dateOfDeathPrecision: 'DAY',
  coverMediaId: null,
  profileMediaId: 'med_1',
  lifeStory: '<p>Born in Chipinge</p>',
  status: 'ACTIVE',
  privacy: 'LOCKED',
  lockedAt: null,
  showLocation: false,
  allowSearchEngines: false,
  showInvitePreview: false,
  holdNew: false,
  visitorMessages: 'NOBODY',
  isPaid: true,
  createdAt: '2026-06-03T00:00:00.000Z',
  updatedAt: '2026-06-03T00:00:00.000Z',
}

const NOW = Date.parse('2026-06-04T00:00:00.000Z')
const headOf = (path: string, memorial: Memorial | null = null, funeralEvents: FuneralEvent[] = []) =>
  pageHead({
    view: memorial && { memorial, funeralEvents, now: NOW },
    url: new URL(path, 'http://edge.test'),
    origin: ORIGIN,
  })

type Read = {
  meta: Record<string, string>
  title: string
  canonical: string | null
  data: unknown[]
  names: string[]
}

/** The head as a browser parses it: its values, and the names of all elements in the document. */
function read(head: string): Read {
  const found: Read = { meta: {}, title: '', canonical: null, data: [], names: [] }
  const walk = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('tagName' in node) {
      found.names.push(node.tagName)
      const given = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]))
      const text = node.childNodes.map((child) => ('value' in child ? child.value : '')).join('')
      if (node.tagName === 'title') found.title = text
      if (node.tagName === 'meta')
        found.meta[given['name'] ?? given['property'] ?? ''] = given['content'] ?? ''
      if (given['rel'] === 'canonical') found.canonical = given['href'] ?? null
      if (node.tagName === 'script') found.data.push(parsed(text))
    }
    if ('childNodes' in node) node.childNodes.forEach(walk)
  }
  walk(parse(`<!doctype html><html><head>${head}</head><body></body></html>`))
  return found
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return 'invalid JSON'
  }
}

test('the head of a public memorial has its name, years, address and card', () => {
  const { meta, title, canonical, data } = read(headOf('/m/tendai-moyo-k7q2mx/?photo=med_2', MEMORIAL))
  const image = expect.stringMatching(
    /^https:\/\/nhaka\.example\/m\/tendai-moyo-k7q2mx\/card\.jpg\?v=[0-9a-f]{16}$/u,
  )
  const description =
    'She taught half of Mutare to read · Their story, photos and the words of those who knew them.'
  expect([title, canonical]).toEqual([
    'Tendai Rudo Moyo 1948–2026 · Keeping Legacies Alive',
    'https://nhaka.example/m/tendai-moyo-k7q2mx',
  ])
  expect(meta).toEqual({
    description,
    robots: 'noindex',
    'og:site_name': 'Keeping Legacies Alive',
    'og:locale': 'en_GB',
    'og:type': 'profile',
    'og:title': 'Tendai Rudo Moyo 1948–2026',
    'og:description': description,
    'og:url': 'https://nhaka.example/m/tendai-moyo-k7q2mx',
    'og:image': image,
    'og:image:type': 'image/jpeg',
    'og:image:width': '1200',
    'og:image:height': '630',
    'og:image:alt': 'Tendai Rudo Moyo, 1948–2026, with a portrait',
    'twitter:card': 'summary_large_image',
    'twitter:title': 'Tendai Rudo Moyo 1948–2026',
    'twitter:description': description,
    'twitter:image': image,
    'twitter:image:alt': 'Tendai Rudo Moyo, 1948–2026, with a portrait',
  })
  expect(data).toEqual([
    {
      '@context': 'https://schema.org',
      '@type': 'ProfilePage',
      url: 'https://nhaka.example/m/tendai-moyo-k7q2mx',
      name: 'Tendai Rudo Moyo 1948–2026',
      inLanguage: 'en',
      mainEntity: {
        '@type': 'Person',
        name: 'Tendai Rudo Moyo',
        description: 'She taught half of Mutare to read',
        birthDate: '1948-03-14',
        deathDate: '2026-06-02',
        image,
        url: 'https://nhaka.example/m/tendai-moyo-k7q2mx',
      },
    },
  ])
})

test('the head invents nothing for a missing sentence, dates or portrait', () => {
  const bare = { ...MEMORIAL, title: null, dateOfBirth: null, dateOfDeath: null, profileMediaId: null }
  const { meta, title, data } = read(headOf('/m/tendai-moyo-k7q2mx', bare))
  expect([title, meta['description'], meta['og:image:alt']]).toEqual([
    'Tendai Rudo Moyo · Keeping Legacies Alive',
    'The memorial of Tendai Rudo Moyo. Their story, photos and the words of those who knew them.',
    'Tendai Rudo Moyo',
  ])
  expect(Object.keys((data[0] as { mainEntity: object }).mainEntity)).toEqual([
    '@type',
    'name',
    'image',
    'url',
  ])
})

test('search engines read no more of a date than is known', () => {
  const dates = { dateOfBirth: '1931-01-01', dateOfDeath: '2026-06-01' }
  const { title, meta, data } = read(
    headOf('/m/x', {
      ...MEMORIAL,
      ...dates,
      dateOfBirthPrecision: 'ABOUT',
      dateOfDeathPrecision: 'MONTH',
    }),
  )
  expect([title, meta['og:image:alt'], data]).toEqual([
    'Tendai Rudo Moyo, about 1931 – 2026 · Keeping Legacies Alive',
    'Tendai Rudo Moyo, about 1931 – 2026, with a portrait',
    [
      expect.objectContaining({
        mainEntity: expect.objectContaining({ birthDate: '1931', deathDate: '2026-06' }),
      }),
    ],
  ])
})

test('robots are told to stay away unless the owner lets them in', () => {
  const allowed = { ...MEMORIAL, allowSearchEngines: true }
  const robots = [MEMORIAL, allowed].map((one) => read(headOf('/m/x', one)).meta['robots'])
  expect(robots).toEqual(['noindex', undefined])
})

test('every page without a public memorial has the same bytes in its head', () => {
  const paths = ['/m/tendai-moyo-k7q2mx', '/m/nobody-aaaaaa', '/memorial/mem_1', '/login', '/nope']
  expect(new Set(paths.map((path) => headOf(path))).size).toBe(1)
  const { meta, title, canonical, data } = read(headOf('/m/tendai-moyo-k7q2mx'))
  expect([title, canonical, meta['robots'], meta['og:url'], meta['og:type'], data]).toEqual([
    'Keeping Legacies Alive',
    null,
    'noindex',
    undefined,
    'website',
    [],
  ])
  expect(meta['og:image']).toBe('https://nhaka.example/card.jpg')
})

test('each service page has its own title, description and address, and is listed', () => {
  const heads = ['/', '/about', '/faq', '/contact', '/terms', '/privacy'].map((path) => read(headOf(path)))
  expect(new Set(heads.flatMap(({ title, meta }) => [title, meta['description']])).size).toBe(12)
  expect(heads.map(({ canonical, meta }) => [canonical, meta['robots']])).toEqual(
    ['/', '/about', '/faq', '/contact', '/terms', '/privacy'].map((path) => [ORIGIN + path, undefined]),
  )
})

test('another name, year or portrait changes the card URL; another day does not', () => {
  const imageOf = (changed: Partial<Memorial>) =>
    read(headOf('/m/x', { ...MEMORIAL, ...changed })).meta['og:image']
  const changes = [
    {},
    { honoureeFullName: 'Tendai Moyo' },
    { dateOfBirth: null },
    { dateOfDeath: '2025-06-02' },
    { dateOfDeathPrecision: 'ABOUT' as const },
    { profileMediaId: null },
    { profileMediaId: null, coverMediaId: 'med_3' },
  ]
  expect(new Set(changes.map(imageOf)).size).toBe(changes.length)
  expect(
    imageOf({
      lifeStory: null,
      title: 'Other',
      dateOfDeath: '2026-06-03',
      updatedAt: '2027-01-01T00:00:00.000Z',
    }),
  ).toBe(imageOf({}))
})

test('while a gathering is ahead, the description and the card tell of it', () => {
  const burial = aGathering({ city: 'Mutare', venueName: 'Yeovil Cemetery' })
  const of = (...events: FuneralEvent[]) => read(headOf('/m/x', MEMORIAL, events)).meta
  const plain = of()
  const line = 'Burial · Saturday 6 June 2026, 10:00, Harare time · Mutare'
  expect(of(burial)).toEqual({
    ...plain,
    description: `${line}. ${plain['description']}`,
    'og:description': `${line}. ${plain['description']}`,
    'twitter:description': `${line}. ${plain['description']}`,
    'og:image': expect.stringMatching(/card\.jpg\?v=[0-9a-f]{16}$/u),
    'og:image:alt': `${plain['og:image:alt']}. ${line}`,
    'twitter:image': expect.stringMatching(/card\.jpg\?v=[0-9a-f]{16}$/u),
    'twitter:image:alt': `${plain['og:image:alt']}. ${line}`,
  })
})

test('a changed or cancelled gathering changes the address of the card', () => {
  const burial = aGathering({ city: 'Mutare' })
  const imageOf = (...events: FuneralEvent[]) => read(headOf('/m/x', MEMORIAL, events)).meta['og:image']
  const changes = [
    [],
    [burial],
    [{ ...burial, isCancelled: true }],
    [{ ...burial, dateTime: '2026-06-06T09:00:00.000Z' }],
    [{ ...burial, city: 'Harare' }],
    [{ ...burial, kind: 'CREMATION' as const }],
  ]
  expect(new Set(changes.map((events) => imageOf(...events))).size).toBe(changes.length)
  const past = aGathering({ dateTime: '2026-06-01T08:00:00.000Z' })
  const invited = aGathering({ audience: 'INVITED' })
  expect([imageOf(past), imageOf(invited)]).toEqual([imageOf(), imageOf()])
  const other = aGathering({ dateTime: '2026-06-07T08:00:00.000Z' })
  expect(imageOf({ ...burial, isCancelled: true }, other)).toBe(imageOf(other))
})

const HOSTILE = [
  '"><script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  '</script><script>alert(1)</script>',
  '<!--<script>',
  '</script x',
  '<!--<script x',
  "' onload='alert(1)",
  '--></script><img src=x onerror=alert(1)>',
  'Tom &amp; Jerry &lt;b&gt; & co',
  '\\u003c/script>\\"',
]

test.each(HOSTILE)('a hostile name is only text in the head: %j', (name) => {
  const hostile = { ...MEMORIAL, honoureeFullName: name, title: name }
  const found = read(headOf('/m/tendai-moyo-k7q2mx', hostile))
  expect(found.names).toEqual(read(headOf('/m/tendai-moyo-k7q2mx', MEMORIAL)).names)
  expect(found.meta['og:title']).toBe(`${name} 1948–2026`)
  expect(found.title).toBe(`${name} 1948–2026 · Keeping Legacies Alive`)
  expect(found.data).toEqual([
    expect.objectContaining({ mainEntity: expect.objectContaining({ name, description: name }) }),
  ])
})

test('line separators and lone surrogates are harmless in the head', () => {
  const name = 'A\u2028B\u2029C\nD\u0000E\ud83dF'
  const head = headOf('/m/x', { ...MEMORIAL, honoureeFullName: name })
  expect(['\u2028', '\u2029', '\u0000'].filter((end) => head.includes(end))).toEqual([])
  expect(head.split('\n').length).toBe(headOf('/m/x', MEMORIAL).split('\n').length)
  expect(read(head).meta['og:title']).toBe('A B C D E\ufffdF 1948–2026')
})

import { createExecutionContext, env } from 'cloudflare:test'
import { expect, test, vi } from 'vitest'
import { COMMENTS_PAGE } from '#shared/limits.ts'
import type { Privacy } from '#shared/memorials/memorials.ts'
import { messages, withoutScriptMessages as words } from '#shared/messages.ts'
import { createCtx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { LIFE_STORY_VERSION } from '#worker/features/memorials/life-story.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { memorialPage } from '#worker/pages/memorial-page.ts'
import { newId } from '#worker/platform/random.ts'
import { PublicPages } from '#worker/public-pages.ts'
import { askWorker, Client, memorialOf, ORIGIN, type SignedIn, signedIn, testCtx } from '../harness.ts'
import { takeErrorLines } from '../runtime/error-lines.ts'
import { brokenBinding } from '../faults/faults.ts'
import { changeRows } from '../rows.ts'

const SOFT = 'data:image/webp;base64,UklGRg=='

async function addMessage(memorialId: string, owner: SignedIn, body: string, createdAt: number) {
  const row = { id: newId('comment'), memorialId, body, authorUserId: owner.user.id, createdAt }
  await testCtx().db.insert(comments).values(row)
}

async function addPhoto(memorialId: string, createdAt: number, caption: string) {
  const id = newId('media')
  const row = {
    id,
    memorialId,
    type: 'IMAGE',
    mimeType: 'image/jpeg',
    size: 5,
    originalFileName: 'x',
  } as const
  const shown = {
    objectKey: id,
    hasThumbnail: true,
    placeholder: SOFT,
    width: 640,
    height: 480,
    caption,
    createdAt,
  }
  await testCtx()
    .db.insert(media)
    .values({ ...row, ...shown })
  return id
}

/** A memorial with content of every kind; public unless the options say otherwise. */
async function full(privacy: Privacy = 'LOCKED') {
  const { owner, memorial } = await memorialOf()
  await owner.patch(`/api/memorials/${memorial.id}`, {
    title: 'She taught half of Mutare to read.',
    dateOfBirth: '1948-03-14',
    dateOfDeath: '2026-06-02',
    lifeStory: '<p>She was born in <strong>Chipinge</strong>.</p>',
  })
  const photos = [await addPhoto(memorial.id, 2, 'Her classroom'), await addPhoto(memorial.id, 1, 'At home')]
  await addMessage(memorial.id, owner, 'Go well, teacher.', 1)
  await owner.put(`/api/memorials/${memorial.id}/funeral`, {
    title: 'Burial service',
    dateTime: '2099-06-06T10:00',
    timeZone: 'Africa/Harare',
    venueName: 'Yeovil Cemetery',
  })
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy })
  return { owner, memorial, photos }
}

async function page(address: string, headers: Record<string, string> = {}) {
  const answer = await askWorker(`${ORIGIN}${address}`, { headers })
  return { answer, html: await answer.text() }
}

/** A whole page in a failure message is unreadable. */
const missing = (html: string, parts: string[]) => parts.filter((part) => !html.includes(part))
const found = (html: string, patterns: RegExp[]) => patterns.filter((pattern) => pattern.test(html))

/** The page's inline styles, and their hashes as its policy must state them. */
async function stylesOf(html: string): Promise<{ styles: string[]; hashes: string[] }> {
  const styles = [...html.matchAll(/<style>([\s\S]*?)<\/style>/gu)].map((match) => match[1] ?? '')
  const hashes = styles.map(async (style) => {
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style))
    return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`
  })
  return { styles, hashes: await Promise.all(hashes) }
}

/** What the page's policy allows as a style. */
function allowedStyles(answer: Response): string[] {
  const policy = answer.headers.get('Content-Security-Policy')?.split('; ') ?? []
  return (policy.find((directive) => directive.startsWith('style-src')) ?? '').split(' ').slice(1)
}

test('a public memorial arrives whole: person, funeral, story, photos and comments', async () => {
  const { memorial, photos } = await full()
  const { answer, html } = await page(`/m/${memorial.slug}`)
  expect(answer.status).toBe(200)
  const parts = [
    `<h1 tabindex="-1"`,
    memorial.honoureeFullName,
    '14 March 1948',
    '2 June 2026',
    'She taught half of Mutare to read.',
    'Burial service',
    'Saturday 6 June 2099, 10:00, Harare time',
    `href="/api/memorials/${memorial.id}/funeral.ics`,
    'She was born in <strong>Chipinge</strong>.',
    `href="/m/${memorial.slug}?photo=${photos[0] ?? ''}"`,
    'Her classroom',
    'Go well, teacher.',
    '<title>',
    'og:image',
  ]
  expect(missing(html, parts)).toEqual([])
})

test('a memorial that is not public gives everybody the same, anonymous document', async () => {
  const unknown = await page('/m/nobody-k7q2mx')
  for (const privacy of ['PRIVATE', 'INVITE'] as const) {
    const { owner, memorial } = await full(privacy)
    const cookies = [...owner.cookies].map((pair) => pair.join('=')).join('; ')
    const { html } = await page(`/m/${memorial.slug}`, { Cookie: cookies })
    expect(html === unknown.html).toBe(true)
  }
  const { owner, memorial } = await full()
  await owner.delete(`/api/memorials/${memorial.id}`, {
    confirmName: memorial.honoureeFullName,
  })
  expect((await page(`/m/${memorial.slug}`)).html === unknown.html).toBe(true)
})

test('without a script, an app page says what it is, whether a memorial exists or not', async () => {
  for (const [path, status, text] of [
    ['/m/nobody-k7q2mx', 200, words.memorialTitle],
    ['/invite/abc', 200, words.title],
    ['/admin', 200, words.title],
  ] as const) {
    // A session keeps the app's document at an address that doesn't open.
    const { answer, html } = await page(path, { Cookie: 'session=x' })
    expect([answer.status, answer.headers.get('X-Robots-Tag')]).toEqual([status, 'noindex'])
    expect(missing(html, [`<h1>${text}</h1>`, '<meta name="robots" content="noindex">'])).toEqual([])
    expect(allowedStyles(answer)).toEqual(["'self'", ...(await stylesOf(html)).hashes])
  }
})

test('while the database is down, no page says that there is no public memorial', async () => {
  const { memorial } = await full()
  const DB = brokenBinding(env.DB, 'the database is down')
  const pages = new PublicPages(createExecutionContext(), { ...env, DB })
  const answer = await pages.fetch(new Request(`${ORIGIN}/m/${memorial.slug}`))
  const html = await answer.text()
  expect([missing(html, [words.title]), missing(html, [words.memorialTitle])]).toEqual([
    [],
    [words.memorialTitle],
  ])
  expect(takeErrorLines().join()).toContain('page_not_written')
})

test('user text never becomes an element of the page', async () => {
  const { owner, memorial } = await memorialOf()
  const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
  await owner.put(`/api/memorials/${memorial.id}/funeral`, {
    title: hostile,
    dateTime: '2099-06-06T10:00',
    timeZone: 'Africa/Harare',
    venueName: hostile,
    notes: hostile,
  })
  const photo = await addPhoto(memorial.id, 1, hostile)
  await changeRows(media, { id: photo }, { placeholder: `");}</style>${hostile}` })
  await addMessage(memorial.id, owner, hostile, 1)
  await changeRows(
    memorials,
    { id: memorial.id },
    {
      honoureeFullName: hostile,
      title: hostile,
      lifeStory: `<p onclick="alert(1)">x<script>alert(1)</script><a href="javascript:alert(1)">y</a></p>`,
      lifeStoryVersion: LIFE_STORY_VERSION,
    },
  )
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
  const { html } = await page(`/m/${memorial.slug}?photo=${photo}`)
  expect(missing(html, ['&lt;script&gt;alert(1)'])).toEqual([])
  expect(missing(html, ['<script>'])).toHaveLength(1)
  expect(found(html, [/<img src=x/u])).toEqual([])
  expect(missing(html, ['onclick'])).toHaveLength(1)
  expect(missing(html, ['href="javascript'])).toHaveLength(1)
  expect(html.match(/<\/style>/gu)).toHaveLength(html.match(/<style>/gu)?.length ?? 0)
})

test('the page’s policy allows only its own styles, by their hashes', async () => {
  const { memorial } = await full()
  const { answer, html } = await page(`/m/${memorial.slug}`)
  const { styles, hashes } = await stylesOf(html)
  expect(styles).toHaveLength(2)
  expect(styles.join('')).toContain(SOFT)
  expect(allowedStyles(answer).toSorted()).toEqual(["'self'", ...hashes].toSorted())
  expect(found(html, [/<[^>]+\sstyle=/u])).toEqual([])
})

/** Except the QR code at the end of the booklet, which only loads for print. */
function imagesIn(html: string): string[] {
  return (html.match(/<img[^>]*>/gu) ?? []).filter((image) => !image.includes('/code.svg"'))
}

test('with data saver, the page has no script, font or thumbnails and works without', async () => {
  const { owner, memorial } = await full()
  const long = `<p>${'A long story. '.repeat(100)}</p>`
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'INVITE' })
  await owner.patch(`/api/memorials/${memorial.id}`, { lifeStory: long.repeat(3) })
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
  const { html } = await page(`/m/${memorial.slug}`, { 'Save-Data': 'on' })
  expect(found(html, [/<script(?! type="application\/ld\+json")/u])).toEqual([])
  expect(found(html, [/preload|@font-face|srcSet|srcset/u])).toEqual([])
  expect(imagesIn(html)).toHaveLength(0)
  expect(missing(html, ['2 photos, about 31 kB. Show'])).toEqual([])
  expect(missing(html, ['Show everything'])).toEqual([])
  expect(missing(html, ['Read the whole story'])).toHaveLength(1)
  const all = await page(`/m/${memorial.slug}?photos=all`, { Cookie: 'less-data=1' })
  expect(imagesIn(all.html)).toHaveLength(2)
})

test('without a script, lists and single photos continue through links', async () => {
  const { owner, memorial } = await memorialOf()
  for (let at = 1; at <= COMMENTS_PAGE + 1; at++)
    await addMessage(memorial.id, owner, `Message number ${at}.`, at)
  const photos: string[] = []
  for (let at = 1; at <= 8; at++) photos.push(await addPhoto(memorial.id, at, `Photo number ${at}.`))
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
  const address = `/m/${memorial.slug}`
  const first = (await page(address)).html
  expect(missing(first, ['Message number 21.'])).toEqual([])
  expect(missing(first, ['Message number 1.'])).toHaveLength(1)
  expect(missing(first, ['Photo number 2.'])).toHaveLength(1)
  expect(
    missing(first, [' action="#photos" method="get"><input type="hidden" name="photos" value="all"/>']),
  ).toEqual([])
  const cursor = /name="messages" value="([^"]+)"/u.exec(first)?.[1] ?? ''
  const older = (await page(`${address}?messages=${cursor}`)).html
  expect(missing(older, ['Message number 1.'])).toEqual([])
  expect(missing(older, ['Message number 2.'])).toHaveLength(1)
  expect(missing((await page(`${address}?photos=all`)).html, ['Photo number 1.'])).toEqual([])
  const one = (await page(`${address}?photo=${photos[3] ?? ''}`)).html
  const still = one.slice(one.indexOf('id="photo-still"'), one.indexOf('id="root"'))
  expect(missing(still, ['Photo number 4.'])).toEqual([])
  expect(missing(still, [`${address}?photo=${photos[4] ?? ''}">Previous`])).toEqual([])
  expect(missing(still, [`${address}?photo=${photos[2] ?? ''}">Next`])).toEqual([])
  expect(missing(still, [`${address}#photo-${photos[3] ?? ''}">Close`])).toEqual([])
})

test('a browser that has the current page gets a 304 without a body', async () => {
  const { owner, memorial } = await full()
  const { answer } = await page(`/m/${memorial.slug}`)
  const etag = answer.headers.get('ETag') ?? ''
  const again = await page(`/m/${memorial.slug}`, { 'If-None-Match': `W/"other", ${etag}` })
  expect([again.answer.status, again.html]).toEqual([304, ''])
  expect(again.answer.headers.get('ETag')).toBe(etag)
  // Without its own mark, the browser would keep that of the page it has.
  const known = await page(`/m/${memorial.slug}`, { 'If-None-Match': etag, Cookie: 'session=abc' })
  expect([known.answer.status, known.answer.headers.get('Server-Timing')]).toEqual([304, 'session'])
  await addMessage(memorial.id, owner, 'One more.', 5)
  expect((await page(`/m/${memorial.slug}`, { 'If-None-Match': etag })).answer.status).toBe(200)
})

const CACHED_A_MINUTE = [
  'public, max-age=0, must-revalidate',
  'public, max-age=60, stale-while-revalidate=600',
  'Save-Data, Cookie',
]
const cachingOf = ({ headers }: Response) =>
  ['Cache-Control', 'Cloudflare-CDN-Cache-Control', 'Vary'].map((name) => headers.get(name))

test('the page is tagged with its memorial, cached for a minute and revalidated', async () => {
  const { memorial } = await full()
  const { answer } = await page(`/m/${memorial.slug}`)
  expect(cachingOf(answer)).toEqual(CACHED_A_MINUTE)
  expect(answer.headers.get('Cache-Tag')).toBe(`memorial-${memorial.id}`)
})

test('the data saver choice is a cookie and redirects only to the memorial', async () => {
  const visitor = new Client()
  const chosen = await visitor.fetch('/less-data?less=1&to=%2Fm%2Ftendai-moyo-k7q2mx', { method: 'POST' })
  expect([chosen.status, chosen.headers.get('Location')]).toEqual([303, '/m/tendai-moyo-k7q2mx'])
  expect(visitor.cookies.get('less-data')).toBe('1')
  await visitor.fetch('/less-data?less=0&to=%2Fm%2Ftendai', { method: 'POST' })
  expect(visitor.cookies.get('less-data')).toBe('0')
  for (const to of ['//evil.example', 'https://evil.example', '/m/../admin', '/m/a?x=1', '\\\\evil', '']) {
    const answer = await visitor.fetch(`/less-data?less=1&to=${encodeURIComponent(to)}`, { method: 'POST' })
    expect(answer.headers.get('Location')).toBe('/')
  }
  const foreign = await visitor.fetch('/less-data?less=1', {
    method: 'POST',
    headers: { Origin: 'https://evil.example' },
  })
  expect([foreign.status, foreign.headers.get('Set-Cookie')]).toEqual([403, null])
  expect((await visitor.fetch('/less-data')).status).toBe(404)
})

test('a page is rendered once a minute while its data is the same', async () => {
  const { memorial } = await full()
  const digest = vi.spyOn(crypto.subtle, 'digest')
  const at = Date.now()
  /** The number of hashes computed: 0 if the page was not rendered. */
  const hashesAt = async (now: number, search = '') => {
    digest.mockClear()
    const ctx = createCtx({ env, waitUntil: () => {}, now: () => now })
    const answer = await memorialPage(ctx, new URL(`/m/${memorial.slug}${search}`, ORIGIN))
    expect(answer?.status).toBe(200)
    return digest.mock.calls.length
  }
  expect(await hashesAt(at)).toBeGreaterThan(0)
  expect(await hashesAt(at + 59_999)).toBe(0)
  expect(await hashesAt(at + 59_999, '?lite=1')).toBeGreaterThan(0)
  expect(await hashesAt(at + 60_000)).toBeGreaterThan(0)
  await changeRows(memorials, { id: memorial.id }, { title: 'Teacher.' })
  expect(await hashesAt(at + 60_001)).toBeGreaterThan(0)
})

test('a page shows every change the next time it is requested', async () => {
  const { owner, memorial, photos } = await full()
  const address = `/m/${memorial.slug}`
  const shown = async () => (await page(address)).html
  await shown()
  expect(missing(await shown(), ['Go well, teacher.', 'Her classroom'])).toEqual([])
  await owner.delete(`/api/media/${photos[0] ?? ''}`)
  expect(missing(await shown(), ['Her classroom'])).toHaveLength(1)
  await changeRows(comments, { memorialId: memorial.id }, { body: 'Stay well.' })
  expect(missing(await shown(), ['Stay well.'])).toEqual([])
  await changeRows(users, { id: owner.user.id }, { firstName: 'Chipo' })
  expect(missing(await shown(), ['Chipo'])).toEqual([])
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'PRIVATE' })
  expect(missing(await shown(), [memorial.honoureeFullName])).toHaveLength(1)
})

const home = (headers: Record<string, string> = {}, address = '/') => page(address, headers)

test('if the landing page cannot render, the app is served, and later the page', async () => {
  const load = async (bindings: typeof env) =>
    (await new PublicPages(createExecutionContext(), bindings).fetch(new Request(`${ORIGIN}/`))).text()
  const app = '<!doctype html><div id="root"></div></html>'
  const ASSETS = new Proxy(env.ASSETS, { get: () => async () => new Response(app) })
  expect(await load({ ...env, ASSETS })).toBe(app)
  expect(takeErrorLines().join()).toContain('page_not_written')
  expect(await load(env)).toContain('A lasting place for their story')
})

test('the landing page names the ways to pay that this deployment has', async () => {
  const ways = async (bindings: typeof env) => {
    const answer = await new PublicPages(createExecutionContext(), bindings).fetch(new Request(`${ORIGIN}/`))
    return /Pay by card[^<]*/u.exec(await answer.text())?.[0]
  }
  expect(await ways(env)).toBe('Pay by card, EcoCash, OneMoney, InnBucks, O’mari or Zimswitch.')
  // Another deployment, with files of its own.
  const ASSETS = new Proxy(env.ASSETS, {
    get: () => async (request: Request) => env.ASSETS.fetch(request),
  })
  expect(await ways({ ...env, ASSETS, PAYNOW_INTEGRATION_ID: '' })).toBe(
    `Pay by card. ${messages.payment.paynowUnavailable}`,
  )
})

test('the landing page arrives whole: purpose, price, questions and links', async () => {
  const { answer, html } = await home()
  expect([answer.status, answer.headers.get('X-Robots-Tag')]).toEqual([200, 'all'])
  const parts = [
    'A lasting place for their story</h1>',
    'US<!-- -->$60<!-- --> once. No monthly fee.',
    'What’s in a memorial',
    'Take the plaque’s file to any engraver, or ask us for a price.',
    'Introductory Offer',
    'Is there a monthly fee?',
    'You pay US',
    'href="/register"',
    'href="/about"',
    'href="/login"',
    'href="/faq"',
    'og:image',
    '<link rel="canonical"',
    `https://wa.me/?text=${encodeURIComponent('Keeping Legacies Alive')}`,
    encodeURIComponent(`${env.PUBLIC_ORIGIN}/`),
    'Use less data',
  ]
  expect(missing(html, parts)).toEqual([])
  expect(html.match(/<title>/gu)).toHaveLength(1)
})

test('the landing page leads to an example if the deployment names one', async () => {
  const load = async (slug: string) => {
    // Another object stands for another deployment, whose page is not rendered yet.
    const ASSETS = new Proxy(env.ASSETS, { get: () => async (request: Request) => env.ASSETS.fetch(request) })
    const bindings = { ...env, ASSETS, EXAMPLE_MEMORIAL_SLUG: slug }
    const pages = new PublicPages(createExecutionContext(), bindings)
    return (await pages.fetch(new Request(`${ORIGIN}/`))).text()
  }
  expect(missing(await load('tendai-moyo'), ['href="/m/tendai-moyo"', 'See an example'])).toEqual([])
  expect(found(await load(''), [/See an example/u, /href="\/m\//u])).toEqual([])
})

test('the landing page is byte-identical for everybody without a session', async () => {
  const { html } = await home()
  for (const [headers, address] of [
    [{ Cookie: 'contributor-mem_a=abc; less-data=0; theme=dark', 'Save-Data': 'on' }, '/'],
    [{ Authorization: 'Bearer abc', 'Accept-Language': 'sn-ZW', 'User-Agent': 'a phone' }, '/'],
    [{ 'CF-IPCountry': 'ZW', 'CF-Connecting-IP': '10.1.2.3' }, '/?fbclid=1&app=1&lite=1#x'],
  ] as const)
    expect((await home(headers, address)).html === html).toBe(true)
})

test('a browser with a session gets the app shell without personal data', async () => {
  const { cookies, user } = await signedIn()
  const Cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
  const { html, answer } = await home({ Cookie })
  expect(missing(html, ['<div id="root"></div>', '<title>'])).toEqual([])
  expect(missing(html, ['A lasting place for their story', user.email])).toHaveLength(2)
  expect((await home({ Cookie: 'session=abc', 'Save-Data': 'on' })).html === html).toBe(true)
  expect([answer.headers.get('ETag'), answer.headers.get('Server-Timing')]).toEqual([null, 'session'])
  const stranger = await home()
  expect(stranger.answer.headers.get('Server-Timing')).toBe('no-session')
})

test('a browser with the current landing page gets a 304, unless it has signed in', async () => {
  const etag = (await home()).answer.headers.get('ETag') ?? ''
  const again = await home({ 'If-None-Match': `W/"other", ${etag}` })
  expect([again.answer.status, again.html, again.answer.headers.get('ETag')]).toEqual([304, '', etag])
  expect(again.answer.headers.get('Server-Timing')).toBe('no-session')
  expect((await home({ 'If-None-Match': etag, Cookie: 'session=abc' })).answer.status).toBe(200)
})

test('the edge caches the landing page for a minute, and browsers revalidate it', async () => {
  for (const headers of [{}, { Cookie: 'session=abc' }]) {
    const { answer } = await home(headers)
    expect(cachingOf(answer)).toEqual(CACHED_A_MINUTE)
  }
})

test('with data saver, the landing page has no script or font and one lazy image', async () => {
  const { html } = await home({ Cookie: 'less-data=1' })
  expect(found(html, [/<script/u, /preload|@font-face/u, /loading="eager"/u])).toEqual([])
  expect(html.match(/<img/gu)).toHaveLength(1)
  expect(missing(html, ['Show everything', 'Is there a monthly fee?'])).toEqual([])
  const { html: byBrowser } = await home({ 'Save-Data': 'on' })
  expect(byBrowser === html).toBe(true)
})

test('the landing page’s policy allows only its own style, by its hash', async () => {
  const { answer, html } = await home()
  const { hashes } = await stylesOf(html)
  expect(hashes).toHaveLength(1)
  expect(allowedStyles(answer)).toEqual(["'self'", ...hashes])
  expect(found(html, [/<[^>]+\sstyle=/u])).toEqual([])
})

import { createExecutionContext, env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { PublicPages } from '#worker/public-pages.ts'
import { takeErrorLines } from '../error-lines.ts'
import { ORIGIN, signedIn, askWorker } from '../harness.ts'

async function home(headers: Record<string, string> = {}, address = '/') {
  const answer = await askWorker(`${ORIGIN}${address}`, { headers })
  return { answer, html: await answer.text() }
}

/** A whole page in a failure message is unreadable. */
const missing = (html: string, parts: string[]) => parts.filter((part) => !html.includes(part))
const found = (html: string, patterns: RegExp[]) => patterns.filter((pattern) => pattern.test(html))

test('if the landing page cannot render, the app is served, and later the page', async () => {
  const load = async (bindings: typeof env) =>
    (await new PublicPages(createExecutionContext(), bindings).fetch(new Request(`${ORIGIN}/`))).text()
  const app = '<!doctype html><div id="root"></div></html>'
  const ASSETS = new Proxy(env.ASSETS, { get: () => async () => new Response(app) })
  expect(await load({ ...env, ASSETS })).toBe(app)
  expect(takeErrorLines().join()).toContain('page_not_written')
  expect(await load(env)).toContain('A lasting place for their story')
})

test('the landing page arrives whole: purpose, price, questions and links', async () => {
  const { answer, html } = await home()
  expect([answer.status, answer.headers.get('X-Robots-Tag')]).toEqual([200, 'all'])
  const parts = [
    'A lasting place for their story</h1>',
    'US<!-- -->$60<!-- --> once. No monthly fee.',
    'What a memorial holds',
    'Plaques are currently shipped to Zimbabwe.',
    'Introductory Offer',
    'Is there a monthly fee?</summary>',
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
  expect([answer.headers.get('ETag'), answer.headers.get('Server-Timing')]).toEqual([null, null])
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
  const named = ['Cache-Control', 'Cloudflare-CDN-Cache-Control', 'Vary']
  for (const headers of [{}, { Cookie: 'session=abc' }]) {
    const { answer } = await home(headers)
    expect(named.map((name) => answer.headers.get(name))).toEqual([
      'public, max-age=0, must-revalidate',
      'public, max-age=60, stale-while-revalidate=600',
      'Save-Data, Cookie',
    ])
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
  const styles = [...html.matchAll(/<style>([\s\S]*?)<\/style>/gu)].map((match) => match[1] ?? '')
  expect(styles).toHaveLength(1)
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(styles[0]))
  const hash = btoa(String.fromCharCode(...new Uint8Array(digest)))
  expect(answer.headers.get('Content-Security-Policy')).toContain(`style-src 'self' 'sha256-${hash}';`)
  expect(found(html, [/<[^>]+\sstyle=/u])).toEqual([])
})

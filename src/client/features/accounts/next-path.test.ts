import { expect, test } from 'vitest'
import { nextPath } from './next-path.ts'

const next = (value: string) => nextPath(`?next=${encodeURIComponent(value)}`)

test('a path on this site is accepted', () => {
  expect(nextPath('?next=%2Fcreate-memorial%2Fmem_1%3Fstep%3D2')).toBe('/create-memorial/mem_1?step=2')
  expect(next('/memorial/mem_1?photo=1#guestbook')).toBe('/memorial/mem_1?photo=1#guestbook')
  expect(next('/a\\b')).toBe('/a/b')
  expect(next('/%09/evil.example')).toBe('/%09/evil.example')
  expect(next('//evil.example@here.invalid')).toBe('/')
  expect(nextPath('')).toBe('/dashboard')
})

/** Values that browsers, proxies and careless checks have taken for a path (PayloadsAllTheThings, OWASP, the URL standard). */
const AWAY = [
  '',
  ' ',
  'dashboard',
  '//evil.example',
  '///evil.example',
  '////evil.example/%2e%2e',
  '/\\evil.example',
  '\\\\evil.example',
  '\\/evil.example',
  '/\\/evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\n/evil.example',
  '\t//evil.example',
  '\u0000//evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/%2e//evil.example',
  '/%2e%2e//evil.example',
  '/a/..//evil.example',
  '/./\\evil.example',
  '//here.invalid@evil.example',
  '//[::1]/',
  '//evil.example:443/',
  'https://evil.example',
  'https:evil.example',
  'https:/evil.example',
  'HTTPS://evil.example',
  'http:\\\\evil.example',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  '\u0001javascript:alert(1)',
  'javascript://here.invalid/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'blob:https://evil.example/1',
  '@evil.example',
  '.evil.example',
  '?next=//evil.example',
  '#//evil.example',
  '\u2215\u2215evil.example',
  '\uff0f\uff0fevil.example',
  '\u3002evil.example',
]

test.each(AWAY)('a URL that could leave the site (%s) becomes the dashboard', (value) => {
  expect(next(value)).toBe('/dashboard')
})

test('every accepted value stays on this site, however it is parsed', () => {
  const parts = [
    '/',
    '\\',
    '\t',
    '\n',
    '.',
    '..',
    '%2f',
    '%5c',
    '%09',
    '@',
    ':',
    'evil.example',
    '\uff0f',
    '?',
    '#',
    'a',
  ]
  let accepted = 0
  for (const a of parts)
    for (const b of parts)
      for (const c of parts) {
        const path = next(`/${a}${b}${c}`)
        const once = new URL(path, 'https://nhaka.test').pathname
        const host = URL.canParse(once, 'https://nhaka.test') && new URL(once, 'https://nhaka.test').host
        expect([a, b, c, path.startsWith('/'), host]).toEqual([a, b, c, true, 'nhaka.test'])
        if (path !== '/dashboard') accepted++
      }
  expect(accepted).toBeGreaterThan(1000)
})

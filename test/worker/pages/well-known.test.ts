import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { DAY_MS } from '#shared/limits.ts'
import { findWellKnown } from '#worker/http/well-known.ts'
import { ORIGIN, askWorker } from '../harness.ts'
import { headerProblems } from '../../expected-headers.ts'

const FILES = ['/robots.txt', '/.well-known/security.txt', '/.well-known/security-policy.txt']

const fieldsOf = (text: string) =>
  Object.fromEntries(
    text
      .trimEnd()
      .split('\n')
      .map((row) => [row.split(': ')[0], row.slice(row.indexOf(': ') + 2)]),
  )

test('security.txt says where to report a vulnerability, in the form of RFC 9116', async () => {
  const answer = await askWorker(`${ORIGIN}/.well-known/security.txt`)
  const text = await answer.text()
  expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(text.endsWith('\n')).toBe(true)
  expect(fieldsOf(text)).toEqual({
    Contact: `mailto:${env.SUPPORT_EMAIL}`,
    Expires: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T00:00:00\.000Z$/u),
    'Preferred-Languages': 'en',
    Canonical: `${env.PUBLIC_ORIGIN}/.well-known/security.txt`,
    Policy: `${env.PUBLIC_ORIGIN}/.well-known/security-policy.txt`,
  })
})

test('security.txt is always valid for another half year', async () => {
  for (const now of [Date.UTC(2026, 10, 21, 9, 30), Date.UTC(2031, 1, 28, 23, 59)]) {
    const answer = findWellKnown(new Request(`${ORIGIN}/.well-known/security.txt`), env, now)
    const days = (Date.parse(fieldsOf((await answer?.text()) ?? '')['Expires'] ?? '') - now) / DAY_MS
    expect(days).toBeGreaterThan(178)
    expect(days).toBeLessThanOrEqual(180)
  }
})

test('the security policy states what to do, in lines that fit a screen', async () => {
  const text = await (await askWorker(`${ORIGIN}/.well-known/security-policy.txt`)).text()
  expect(text).toContain('We answer within 3 working days')
  expect(Math.max(...text.split('\n').map((row) => row.length))).toBeLessThanOrEqual(130)
})

test('robots.txt excludes calls and photos, except what a public page needs', async () => {
  const text = await (await askWorker(`${ORIGIN}/robots.txt`)).text()
  expect(text.trimEnd().split('\n')).toEqual([
    'User-agent: *',
    'Disallow: /api/',
    'Disallow: /media/',
    'Allow: /api/memorial/',
    'Allow: /api/config',
    '',
    `Sitemap: ${env.PUBLIC_ORIGIN}/sitemap.xml`,
  ])
})

test('files at fixed addresses are plain text with all headers, for GET and HEAD only', async () => {
  for (const path of FILES) {
    for (const method of ['GET', 'HEAD']) {
      const answer = await askWorker(ORIGIN + path, { method })
      await answer.arrayBuffer()
      expect([path, answer.status, headerProblems(answer, 'text')]).toEqual([path, 200, []])
    }
    const written = await askWorker(ORIGIN + path, { method: 'POST', headers: { Origin: ORIGIN } })
    expect([path, written.status, (await written.json<{ code: string }>()).code]).toEqual([
      path,
      405,
      'method_not_allowed',
    ])
  }
})

import { expect, test } from 'vitest'
import { isCachedWidth, keyOf, planOf } from './plan.ts'

const ORIGIN = 'https://nhaka.test'

function plan(path: string, over: Partial<{ method: string; mode: RequestMode; headers: Headers }> = {}) {
  const url = path.startsWith('http') ? path : ORIGIN + path
  return planOf({ method: 'GET', mode: 'cors', headers: new Headers(), url, ...over }, ORIGIN)
}

test('a memorial, its lists, its smaller images and hashed files may be cached', () => {
  expect([
    plan('/api/memorial/tendai-moyo-k7q2mx'),
    plan('/api/memorials/mem_1?invite=abc'),
    plan('/api/memorials/mem_1/media?cursor=x'),
    plan('/api/memorials/mem_1/comments'),
    plan('/media/stream/med_1?w=320'),
    plan('/media/stream/med_1?thumbnail=1'),
    plan('/assets/index-BvGebfuR.js'),
    plan('/assets/source-serif-4.woff2'),
  ]).toEqual([
    { kind: 'memorial', slug: 'tendai-moyo-k7q2mx', id: null },
    { kind: 'memorial', slug: null, id: 'mem_1' },
    { kind: 'list', id: 'mem_1' },
    { kind: 'list', id: 'mem_1' },
    { kind: 'picture', mediaId: 'med_1' },
    { kind: 'picture', mediaId: 'med_1' },
    { kind: 'asset' },
    { kind: 'asset' },
  ])
})

test('account, payment and admin calls and all unlisted URLs bypass the worker', () => {
  const calls = [
    '/api/auth/user',
    '/api/dashboard',
    '/api/dashboard/deleted',
    '/api/account/export',
    '/api/memorials/mem_1/export',
    '/api/memorials/mem_1/export/plan',
    '/api/user/payments',
    '/api/admin/stats',
    '/api/admin/memorials/mem_1',
    '/api/config',
    '/api/invite/3f0c7b1e',
    '/api/memorials/mem_1/contributor-session',
    '/api/memorials/mem_1/invite-link',
    '/api/memorials/mem_1/admin-actions',
    '/api/memorials/mem_1/location/map',
    '/api/memorials/mem_1/funeral-program',
    '/sw.js',
    '/robots.txt',
  ]
  expect(calls.map((path) => plan(path))).toEqual(calls.map(() => null))
})

test('videos, recordings, originals and range requests bypass the worker', () => {
  const range = new Headers({ Range: 'bytes=0-' })
  expect([
    plan('/media/stream/med_1'),
    plan('/media/stream/med_1?original=1'),
    plan('/media/stream/med_1?original=1&w=320'),
    plan('/media/stream/med_1?as=caf&w=320'),
    plan('/media/stream/med_1?w=320', { headers: range }),
    plan('/assets/album-BvGebfuR.avif'),
  ]).toEqual([null, null, null, null, null, null])
  expect(
    ['?w=320', '?thumbnail=1', '?w=1280', '?w=1920'].map((query) => isCachedWidth(ORIGIN + query)),
  ).toEqual([true, true, true, false])
})

test('requests that write, and those to other sites, bypass the worker', () => {
  expect([
    plan('/api/memorials/mem_1', { method: 'PATCH' }),
    plan('/api/memorials/mem_1/comments', { method: 'POST' }),
    plan('/m/tendai-moyo-k7q2mx', { method: 'POST', mode: 'navigate' }),
    plan('https://js.stripe.com/assets/v3.js'),
  ]).toEqual([null, null, null, null])
})

test("a document's plan names its memorial; a download is not a document", () => {
  const open = (path: string) => plan(path, { mode: 'navigate' })
  expect([
    open('/m/tendai-moyo-k7q2mx?photo=med_1'),
    open('/memorial/mem_1?invite=abc'),
    open('/invite/abc'),
    open('/faq'),
    open('/api/memorials/mem_1/funeral.ics'),
    open('/media/stream/med_1?w=640'),
  ]).toEqual([
    { kind: 'page', slug: 'tendai-moyo-k7q2mx', id: null, isInvitation: false },
    { kind: 'page', slug: null, id: 'mem_1', isInvitation: false },
    { kind: 'page', slug: null, id: null, isInvitation: true },
    { kind: 'page', slug: null, id: null, isInvitation: false },
    null,
    null,
  ])
})

test('the cache key leaves out the invitation, which would grant access', () => {
  expect([
    keyOf(`${ORIGIN}/api/memorials/mem_1?invite=abc`),
    keyOf(`${ORIGIN}/media/stream/med_1?w=320&invite=abc`),
    keyOf(`${ORIGIN}/m/tendai?photo=med_1#messages`),
  ]).toEqual([`${ORIGIN}/api/memorials/mem_1`, `${ORIGIN}/media/stream/med_1?w=320`, `${ORIGIN}/m/tendai`])
})

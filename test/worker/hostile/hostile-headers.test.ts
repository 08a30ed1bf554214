import { expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import { errorBodyProblems } from '../error-body.ts'
import { Client, memorialOf } from '../harness.ts'
import { headerProblems } from '../../expected-headers.ts'
import { sendFixture } from '../uploads.ts'

const LONG = 'x'.repeat(8000)
const HEADERS: Record<string, string[]> = {
  Cookie: [
    '=',
    ';;;=;',
    'session',
    'session=',
    'session=%',
    'session=%E0%A4%A',
    'session=%00',
    '__proto__=x; constructor=y; toString=z',
    `session=${LONG}`,
    Array.from({ length: 500 }, (_, at) => `c${at}=1`).join('; '),
    'session=a; session=b',
    'contributor-mem_x=%ff',
  ],
  'X-Contributor-Token': ['', '%00', '__proto__', "' OR 1=1--", LONG],
  'Idempotency-Key': ['', 'x', '__proto__', LONG, '00000000-0000-0000-0000-00000000000g'],
  'CF-Connecting-IP': ['', 'x', '::', '::1', '1.2.3.4, 5.6.7.8', ':::::::', 'fe80::1%25eth0', LONG],
  'Content-Length': ['-1', '1e9', 'x'],
  'If-None-Match': ['*', '"', 'W/"x", "', LONG],
  'If-Range': ['"', 'x', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  Range: [
    'bytes=',
    'bytes=-',
    'bytes=1-0',
    'bytes=9999999999999999999999-',
    `bytes=${'0-0,'.repeat(900)}0-0`,
    'x',
  ],
  Accept: ['', '*', 'image/*;q=x', LONG],
  'Stripe-Signature': ['', 't=,v1=', 't=x,v1=y', `t=1,v1=${LONG}`, 't=1e400,v1=00', '__proto__=1'],
  'X-HTTP-Method-Override': ['DELETE', 'PUT'],
  'X-Forwarded-Host': ['evil.example'],
  'X-Original-URL': ['/api/admin/stats'],
  'Transfer-Encoding': ['identity'],
}

test('no request header breaks a call or turns it into another one', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  const { owner: keeper, memorial: open } = await memorialOf({ privacy: 'INVITE' })
  const id = await sendFixture(keeper, open.id, 'photo.png')
  const calls: [method: string, path: string, body?: string][] = [
    ['GET', `/api/memorials/${memorial.id}`],
    ['GET', `/media/stream/${id}`],
    ['POST', `/api/memorials/${open.id}/comments`, '{"body":"Rest well"}'],
    ['POST', api.stripeWebhook.path, '{}'],
    ['POST', api.paynowResult.path, '{}'],
  ]
  const problems: string[] = []
  let count = 0
  for (const [name, values] of Object.entries(HEADERS)) {
    for (const value of values) {
      // The client itself sets this header.
      keeper.ip = name === 'CF-Connecting-IP' ? value : new Client().ip
      for (const [method, path, body] of calls) {
        const answer = await keeper.fetch(path, {
          method,
          headers: { 'Content-Type': 'application/json', [name]: value },
          ...(body === undefined ? {} : { body }),
        })
        const bytes = await answer.arrayBuffer()
        const kind =
          path.startsWith('/media/') && [200, 206, 304, 416].includes(answer.status) ? 'media' : 'call'
        const wrong = headerProblems(answer, kind)
        if (answer.status >= 500) wrong.push(`answered ${answer.status}`)
        const isRefusal = answer.status >= 400 && answer.status !== 416
        if (isRefusal) wrong.push(...errorBodyProblems(answer.status, new TextDecoder().decode(bytes)))
        problems.push(...wrong.map((what) => `${method} ${path} ${name}: ${value.slice(0, 30)}: ${what}`))
        count++
      }
    }
  }
  expect(problems).toEqual([])
  // A header that claims another method or address changes nothing.
  const { body } = await owner.get(`/api/memorials/${memorial.id}`)
  expect([body.memorial.id, body.viewer.role]).toEqual([memorial.id, 'OWNER'])
  expect((await keeper.fetch(`/media/stream/${id}`, { method: 'HEAD' })).status).toBe(200)
  console.log(`${count} hostile headers`)
})

import { expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import { Client, contributorOf, memorialOf, ORIGIN } from '../harness.ts'
import { watchedCall } from '../watched.ts'

const WRITES = Object.values(api)
  .filter(({ method, path }) => !['GET', 'OPTIONS'].includes(method) && path !== api.stripeWebhook.path)
  .map(({ method, path }) => ({ method, path: path.replaceAll(/:[a-z]+/giu, 'thing') }))

const formOf = () => {
  const form = new FormData()
  form.set('file', new File(['x'], 'a.jpg', { type: 'image/jpeg' }))
  form.set('type', 'IMAGE')
  return form
}
const JSON_TEXT = '{"email":"rudo@family.test","password":"Mutare in the rain"}'

/** Headers of a write started by another page, by the technique that the page used. */
const FORGERIES: Record<string, { headers: Record<string, string>; body?: () => BodyInit }> = {
  'fetch from another site': {
    headers: { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
  },
  'a form on another site': {
    headers: { Origin: 'https://evil.example', 'Content-Type': 'application/x-www-form-urlencoded' },
    body: () => 'email=rudo%40family.test',
  },
  'JSON disguised as text': {
    headers: { Origin: 'https://evil.example', 'Content-Type': 'text/plain' },
    body: () => JSON_TEXT,
  },
  'a file in a form': { headers: { Origin: 'https://evil.example' }, body: formOf },
  'a file in a form without an origin': { headers: { 'Sec-Fetch-Site': 'cross-site' }, body: formOf },
  'a sandboxed frame': { headers: { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' } },
  'a host with a similar name': { headers: { Origin: `${ORIGIN}.evil.example` } },
  'the same host on another port': { headers: { Origin: `${ORIGIN}:8080`, 'Sec-Fetch-Site': 'same-site' } },
  'the same host with another scheme': { headers: { Origin: ORIGIN.replace('http:', 'ftp:') } },
  'a same-site page without an origin': { headers: { 'Sec-Fetch-Site': 'same-site' } },
  'an old browser without these headers': { headers: {} },
  'two origins at once': { headers: { Origin: `${ORIGIN}, https://evil.example` } },
  'an empty origin': { headers: { Origin: '' } },
}

test.each(Object.entries(FORGERIES))(
  '%s cannot write and never reaches the database',
  { tags: ['writes-same-origin'] },
  async (_, { headers, body }) => {
    const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
    const { cookies } = await contributorOf(owner, memorial.id)
    const Cookie = [...owner.cookies, ...cookies].map((pair) => pair.join('=')).join('; ')
    const answers = []
    for (const { method, path } of WRITES) {
      const { response, before, after } = await watchedCall(path.replace('thing', memorial.id), {
        method,
        headers: { Cookie, ...headers },
        body: body?.() ?? null,
      })
      const { code } = await response.json<{ code: string }>()
      const cors = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'))
      answers.push([method, path, response.status, code, ...before, ...after, ...cors])
    }
    expect(answers).toEqual(WRITES.map(({ method, path }) => [method, path, 403, 'cross_site']))
  },
)

test('the app’s own pages, and clients that send no cookie, are accepted', async () => {
  const code = async (headers: Record<string, string>) => {
    const { response } = await watchedCall('/api/auth/logout', { headers })
    return response.status
  }
  const Cookie = `session=${'x'.repeat(43)}`
  expect(await code({ Cookie, Origin: ORIGIN })).toBe(200)
  expect(await code({ Cookie, 'Sec-Fetch-Site': 'same-origin' })).toBe(200)
  expect(await code({})).toBe(200)
})

test('another site cannot read answers, not even the answer to a preflight', async () => {
  for (const [method, path] of [
    ['OPTIONS', '/api/auth/login'],
    ['OPTIONS', '/api/memorials'],
    ['GET', '/api/auth/user'],
    ['GET', '/api/config'],
  ] as const) {
    const response = await new Client().fetch(path, {
      method,
      headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
    })
    await response.arrayBuffer()
    expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull()
    expect(response.headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin')
  }
})

test('the signed webhook needs no Origin and does nothing without its signature', async () => {
  const { response } = await watchedCall(api.stripeWebhook.path, { body: '{}' })
  expect(response.status).toBe(400)
})

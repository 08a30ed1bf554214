import { expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import { networkOf } from '#worker/access/guards.ts'
import { IP_LIMITS } from '#worker/platform/env.ts'
import { newEmail, PASSWORD, registration } from '../accounts.ts'
import { Client } from '../harness.ts'
import { OWN_JSON, watchedCall } from '../runtime/watched.ts'
import { inOneMinute, inTurn } from '../repeat.ts'

/** Calls on accounts and the contact form that strangers can make, with the limit per minute and address. */
const LIMITED = {
  login: ['LIMIT_LOGIN', () => ({ email: newEmail(), password: 'wrong guess' })],
  resetPassword: ['LIMIT_MAIL_LINK', () => ({ token: 'x', password: PASSWORD })],
  openVerificationLink: ['LIMIT_MAIL_LINK', null],
  verifyEmail: ['LIMIT_MAIL_LINK', () => ({ token: 'x', password: PASSWORD, firstName: 'R', lastName: 'M' })],
  endInvitations: ['LIMIT_MAIL_LINK', () => ({ token: 'x' })],
  confirmEmailChange: ['LIMIT_MAIL_LINK', () => ({ token: 'x' })],
  undoEmailChange: ['LIMIT_MAIL_LINK', () => ({ token: 'x' })],
  register: ['LIMIT_REGISTER', () => registration(newEmail())],
  forgotPassword: ['LIMIT_FORGOT', () => ({ email: newEmail() })],
  resendVerification: ['LIMIT_RESEND', () => ({ email: newEmail() })],
  contact: ['LIMIT_CONTACT', () => ({ email: newEmail(), subject: 'Hello', message: 'x' })],
} as const

type Name = keyof typeof LIMITED

/** One call from an address, with rate limiters that record their keys and refuse everybody. */
async function gated(name: Name, headers: Record<string, string>) {
  const counted: string[] = []
  const gate = (limit: string) => ({
    limit: async ({ key }: { key: string }) => {
      counted.push(`${limit} ${key}`)
      return { success: false }
    },
  })
  const body = LIMITED[name][1]
  const { response, before } = await watchedCall(api[name].path.replace(':token', 'x'), {
    method: api[name].method,
    headers: { ...OWN_JSON, ...headers },
    body: body && JSON.stringify(body()),
    settings: Object.fromEntries(IP_LIMITS.map((limit) => [limit, gate(limit)])),
  })
  const { code } = await response.json<{ code: string }>()
  return { counted, answer: [response.status, code, response.headers.get('Retry-After')], before }
}

test.each(Object.keys(LIMITED) as Name[])(
  '%s counts by CF-Connecting-IP and does nothing beyond its limit',
  async (name) => {
    const { counted, answer, before } = await gated(name, {
      'CF-Connecting-IP': '203.0.113.7',
      'X-Forwarded-For': '198.51.100.1',
      'X-Real-IP': '198.51.100.2',
      'True-Client-IP': '198.51.100.3',
      'CF-Connecting-IPv6': '2001:db8::1',
      Forwarded: 'for=198.51.100.4',
    })
    expect(counted).toEqual([`${LIMITED[name][0]} 203.0.113.7`])
    expect(answer).toEqual([429, 'too_many_requests', '60'])
    expect(before).toEqual([])
  },
)

test('each form has a limit of its own a minute, and other headers change nothing', async () => {
  const statuses = await inOneMinute(async () => {
    // All behind one address, as on a mobile network.
    const client = new Client()
    const post = (count: number, path: string, body: object) =>
      inTurn(count, async (i) => {
        const headers = { 'X-Forwarded-For': `198.51.100.${i}` }
        return (await client.post(path, body, { headers })).status
      })
    // The bodies are empty: a limit counts before anything is read.
    return {
      contact: await post(6, '/api/contact', {}),
      forgot: await post(6, '/api/auth/forgot-password', {}),
      resend: await post(6, '/api/auth/resend-verification', {}),
      register: await post(6, '/api/auth/register', {}),
      login: await post(31, '/api/auth/login', {}),
      link: await post(31, '/api/auth/reset-password', {}),
      logout: await post(1, '/api/auth/logout', {}),
    }
  })
  const after = (count: number) => [...Array<number>(count).fill(400), 429]
  expect(statuses).toEqual({
    contact: after(5),
    forgot: after(5),
    resend: after(5),
    register: after(5),
    login: after(30),
    link: after(30),
    logout: [200],
  })
})

test('an IPv6 address counts as its /64, however it is written', () => {
  const written = [
    '2001:db8:1:2::1',
    '2001:db8:1:2:ffff:ffff:ffff:ffff',
    '2001:0DB8:0001:0002:0000:0000:0000:0001',
    '2001:db8:1:2:3::',
  ]
  expect(new Set(written.map((ip) => networkOf(ip)))).toEqual(new Set(['2001:db8:1:2']))
  expect(networkOf('2001:db8:1:3::1')).toBe('2001:db8:1:3')
  expect(networkOf('2001:db8::1')).toBe('2001:db8:0:0')
  expect(networkOf('::1')).toBe('0:0:0:0')
  expect(networkOf('203.0.113.7')).toBe('203.0.113.7')
})

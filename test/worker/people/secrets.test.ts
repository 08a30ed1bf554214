import { createExecutionContext, env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { handleApi } from '#worker/api.ts'
import { takeErrorLines } from '../error-lines.ts'
import type { Env } from '#worker/platform/env.ts'
import { fixture } from '../fixtures.ts'
import { inviteTokenOf, memorialOf, ORIGIN, signedIn } from '../harness.ts'
import { upload } from '../uploads.ts'

test('without PASSWORD_PEPPER nobody registers or signs in, and the log says why', async () => {
  const person = { email: 'rudo@family.test', password: 'Mutare in the rain', firstName: 'R', lastName: 'M' }
  for (const path of ['/api/auth/register', '/api/auth/login']) {
    const request = new Request(`${ORIGIN}${path}`, {
      method: 'POST',
      headers: { Origin: ORIGIN, 'Content-Type': 'application/json', 'CF-Connecting-IP': '10.8.8.8' },
      body: JSON.stringify(person),
    })
    const response = await handleApi(request, { ...env, PASSWORD_PEPPER: '' }, createExecutionContext())
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({
      message: 'This is not available at the moment. Please try again later.',
      code: 'not_available',
      requestId: expect.stringMatching(/^req_/u),
    })
    expect(takeErrorLines().join('\n')).toContain('password_pepper_missing')
  }
})

type Missing = { name: keyof Env; call: string; status: number; log: string }
/** The bindings that a signed-in user needs. */
const NEEDED_BY_ALL = new Set<keyof Env>(['DB', 'KV', 'THROTTLE'])
/** A missing secret answers 503, since an operator may omit it; a missing binding is a 500, since deployments include them. */
const MISSING: Missing[] = [
  { name: 'STRIPE_SECRET_KEY', call: 'pay', status: 503, log: 'STRIPE_SECRET_KEY is not set' },
  { name: 'STRIPE_PUBLISHABLE_KEY', call: 'pay', status: 503, log: 'STRIPE_PUBLISHABLE_KEY is not set' },
  { name: 'STRIPE_WEBHOOK_SECRET', call: 'webhook', status: 503, log: 'STRIPE_WEBHOOK_SECRET is not set' },
  { name: 'PASSWORD_PEPPER', call: 'login', status: 503, log: 'password_pepper_missing' },
  { name: 'ACCESS_AUD', call: 'console', status: 503, log: 'must be set together' },
  { name: 'ACCESS_TEAM_DOMAIN', call: 'console', status: 503, log: 'must be set together' },
  { name: 'MAP_IMAGE_URL', call: 'map', status: 503, log: 'not_available' },
  { name: 'KV', call: 'dashboard', status: 500, log: 'unhandled' },
  { name: 'DB', call: 'dashboard', status: 500, log: 'unhandled' },
  { name: 'MEDIA', call: 'photo', status: 500, log: 'unhandled' },
  { name: 'QUOTA', call: 'upload', status: 500, log: 'unhandled' },
  { name: 'THROTTLE', call: 'login', status: 500, log: 'unhandled' },
  { name: 'LIMIT_LOGIN', call: 'login', status: 500, log: 'unhandled' },
  { name: 'LIMIT_ACCOUNT_MAIL', call: 'forgot', status: 500, log: 'unhandled' },
  { name: 'LIMIT_CONTRIBUTOR_SESSION', call: 'invite', status: 500, log: 'unhandled' },
  { name: 'LIMIT_MAP_IMAGE', call: 'map', status: 500, log: 'unhandled' },
  { name: 'LIMIT_SLUG', call: 'guess', status: 500, log: 'unhandled' },
  { name: 'LIMIT_INVITE', call: 'invitation', status: 500, log: 'unhandled' },
  { name: 'LIMIT_HEALTH', call: 'health', status: 500, log: 'unhandled' },
  { name: 'LIMIT_CLIENT_ERRORS', call: 'report', status: 500, log: 'unhandled' },
]

test.each(MISSING)(
  'without $name its feature fails loudly, and the others work',
  async ({ name, call, status, log }) => {
    const owner = await signedIn({ admin: true })
    const { memorial } = await memorialOf({ owner })
    await owner.put(`/api/memorials/${memorial.id}/location`, {
      latitude: -17.8,
      longitude: 31,
      label: 'Home',
    })
    const file = { bytes: await fixture('photo.png'), name: 'a.png', type: 'IMAGE' }
    const photo = await upload(owner, memorial.id, file)
    const token = await inviteTokenOf(owner, memorial.id)
    const person = { email: owner.user.email, password: 'Mutare in the rain' }
    const calls: Record<string, [string, string, unknown?]> = {
      pay: ['POST', '/api/stripe/create-payment-intent', {}],
      webhook: ['POST', '/api/stripe/webhook', {}],
      login: ['POST', '/api/auth/login', person],
      forgot: ['POST', '/api/auth/forgot-password', person],
      console: ['GET', '/api/admin/stats'],
      map: ['GET', `/api/memorials/${memorial.id}/location/map`],
      dashboard: ['GET', '/api/dashboard'],
      guess: ['GET', '/api/memorial/tendai-moyo'],
      photo: ['GET', `/media/stream/${photo.body.id}`],
      upload: ['DELETE', `/api/media/${photo.body.id}`],
      invitation: ['GET', `/api/invite/${token}`],
      health: ['GET', '/api/health'],
      report: ['POST', '/api/client-errors', {}],
      invite: ['POST', `/api/invite/${token}/session`, { displayName: 'Farai', email: '' }],
    }
    const bindings = { ...env, ACCESS_TEAM_DOMAIN: 'team', ACCESS_AUD: 'aud' }
    const ask = async (which: string, settings: object) => {
      const [method, path, body] = calls[which]!
      const cookie = [...owner.cookies].map((pair) => pair.join('=')).join('; ')
      const headers = { Origin: ORIGIN, 'Content-Type': 'application/json', 'CF-Connecting-IP': owner.ip }
      const request = new Request(`${ORIGIN}${path}`, {
        method,
        headers: { ...headers, Cookie: cookie },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return handleApi(request, settings as Env, createExecutionContext())
    }
    const answer = await ask(call, { ...(call === 'console' ? bindings : env), [name]: undefined })
    expect([answer.status, await answer.json()]).toEqual([
      status,
      expect.objectContaining({ requestId: expect.stringMatching(/^req_/u) }),
    ])
    expect(takeErrorLines().join()).toContain(log)

    const config = new Request(`${ORIGIN}/api/config`)
    const lives = await handleApi(config, { ...env, [name]: undefined }, createExecutionContext())
    expect(lives.status).toBe(200)
    const others = ['dashboard', 'pay'].filter((other) => other !== call && !NEEDED_BY_ALL.has(name))
    for (const other of others) {
      expect([other, (await ask(other, { ...env, [name]: undefined })).status]).toEqual([other, 200])
    }
  },
)

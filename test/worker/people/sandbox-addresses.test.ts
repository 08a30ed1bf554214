import { createExecutionContext, env } from 'cloudflare:test'
import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { handleApi } from '#worker/api.ts'
import type { Env } from '#worker/platform/env.ts'
import { publicConfig } from '#worker/features/config/config.ts'
import { drainMailOutbox, sendMail } from '#worker/features/mail/mail.jobs.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { mailRow } from '#worker/platform/mail.ts'
import { pageCsp } from '#worker/http/headers.ts'
import { sandboxProblem } from '#worker/platform/provider-origins.ts'
import { takeErrorLines } from '../error-lines.ts'
import { memorialOf, ORIGIN, signedIn, testCtx } from '../harness.ts'

/** A production deployment with valid settings. */
const DEPLOYED: Env = {
  ...env,
  PUBLIC_ORIGIN: 'https://memorials.test',
  STRIPE_API_URL: 'https://api.stripe.com',
  STRIPE_JS_URL: 'https://js.stripe.com/v3/',
  MAIL_API_URL: 'https://api.mailchannels.net',
  MAILBOX_URL: '',
  MAP_IMAGE_URL: 'https://maps.test/static?at={latitude},{longitude}',
}
const problemWith = (feature: 'payments' | 'mail' | 'maps', settings: Partial<Env>) =>
  sandboxProblem({ ...DEPLOYED, ...settings }, feature)

test('a deployment calls the providers themselves', () => {
  expect((['payments', 'mail', 'maps'] as const).map((feature) => problemWith(feature, {}))).toEqual([
    null,
    null,
    null,
  ])
})

test.each([
  'http://localhost:8788',
  'http://127.0.0.1:8788',
  'http://[::1]:8788',
  'https://sandbox.memorials.test',
  'http://api.stripe.com',
  'https://api.stripe.com.memorials.test',
  'https://api.stripe.com@memorials.test',
  'https://api.stripe.com:8443',
  'api.stripe.com',
  '',
])('outside localhost payments do not go to %j', (STRIPE_API_URL) => {
  expect(problemWith('payments', { STRIPE_API_URL })).toBe(
    'STRIPE_API_URL is not at https://api.stripe.com/, and PUBLIC_ORIGIN is not localhost',
  )
})

test('outside localhost no sandbox serves the card form, mail or maps', () => {
  const sandbox = 'http://localhost:8788/'
  expect(problemWith('payments', { STRIPE_JS_URL: sandbox })).toContain('STRIPE_JS_URL')
  expect(problemWith('mail', { MAIL_API_URL: sandbox })).toContain('MAIL_API_URL')
  expect(problemWith('mail', { MAILBOX_URL: 'https://mailbox.memorials.test' })).toContain('MAILBOX_URL')
  expect(problemWith('maps', { MAP_IMAGE_URL: sandbox })).toContain('MAP_IMAGE_URL')
})

test.each(['http://localhost:8787', 'http://localhost', 'http://127.0.0.1:1', 'https://nhaka.localhost'])(
  'at %s a sandbox may replace every provider',
  (PUBLIC_ORIGIN) => {
    const settings = { ...env, PUBLIC_ORIGIN }
    expect([sandboxProblem(settings, 'payments'), sandboxProblem(settings, 'mail')]).toEqual([null, null])
  },
)

test.each(['STRIPE_API_URL', 'STRIPE_JS_URL'] as const)(
  'outside localhost a sandbox as %s takes no payment and is logged',
  async (name) => {
    const owner = await signedIn()
    const settings = { ...DEPLOYED, [name]: env[name] }
    const cookie = [...owner.cookies].map((pair) => `__Host-${pair.join('=')}`).join('; ')
    for (const path of ['/api/stripe/create-payment-intent', '/api/stripe/webhook']) {
      const request = new Request(`https://memorials.test${path}`, {
        method: 'POST',
        headers: {
          Origin: 'https://memorials.test',
          'Content-Type': 'application/json',
          'CF-Connecting-IP': owner.ip,
          Cookie: cookie,
        },
        body: '{}',
      })
      const answer = await handleApi(request, settings, createExecutionContext())
      expect([path, answer.status, await answer.json()]).toEqual([
        path,
        503,
        expect.objectContaining({
          message: 'Card payment is not available at the moment. Nothing was charged.',
        }),
      ])
      expect(takeErrorLines().join()).toContain(`${name} is not at https://`)
    }
    expect(publicConfig(settings).stripePublishableKey).toBeNull()
    expect(pageCsp(new URL('https://memorials.test/checkout'), settings)).not.toContain(
      new URL(env.STRIPE_JS_URL).origin,
    )
  },
)

test('outside localhost mail for a sandbox stays in the outbox, with the reason logged', async () => {
  const ctx = testCtx()
  const row = mailRow(ctx, {
    kind: 'already-registered',
    recipient: 'waiting@family.test',
    subjectId: 'usr_nobody',
  })
  await ctx.db.insert(mails).values({ ...row, createdAt: 1 })
  for (const setting of [
    { MAIL_API_URL: env.MAIL_API_URL },
    { MAILBOX_URL: 'http://localhost:8788/mailbox' },
  ]) {
    const deployed = { ...ctx, env: { ...DEPLOYED, ...setting } }
    await sendMail(deployed, row.id)
    await drainMailOutbox(deployed)
    expect(publicConfig(deployed.env).mailboxUrl).toBeNull()
    const [mail] = await ctx.db.select().from(mails).where(eq(mails.id, row.id))
    expect(mail).toMatchObject({ status: 'QUEUED', attempts: 0 })
    expect(takeErrorLines().filter((line) => line.includes('mail_address_refused'))).toHaveLength(2)
  }
})

test('outside localhost no sandbox serves the map image, and the log omits the key', async () => {
  const { owner, memorial } = await memorialOf()
  const path = `/api/memorials/${memorial.id}/location`
  await owner.put(path, { latitude: -17.8, longitude: 31, label: 'Home' })
  const cookie = [...owner.cookies].map((pair) => pair.join('=')).join('; ')
  const request = new Request(`${ORIGIN}${path}/map`, {
    headers: { 'CF-Connecting-IP': owner.ip, Cookie: cookie },
  })
  const settings = { ...DEPLOYED, MAP_IMAGE_URL: 'http://localhost:8788/map.png?key=secret-of-ours' }
  expect(publicConfig(settings).hasMapImages).toBe(false)
  const answer = await handleApi(request, settings, createExecutionContext())
  expect(answer.status).toBe(503)
  const lines = takeErrorLines().join()
  expect(lines).toContain('MAP_IMAGE_URL is not at a provider on https')
  expect(lines).not.toContain('secret-of-ours')
})

import { afterEach, expect, test, vi } from 'vitest'
import { messages } from '#shared/messages.ts'
import { payByCard, settlePayment } from './pay.ts'
import type { ConfirmResult, Stripe, StripeCard } from './stripe-js.ts'

const INTENT = { clientSecret: 'pi_1_secret_1', paymentId: 'pay_1' }
const paid = { id: 'pay_1', status: 'PAID', memorialId: 'mem_1' }
const card: StripeCard = { mount() {}, focus() {}, destroy() {}, on() {} }

/** The server's responses by the end of the path; null for a connection failure. */
function serverSays(answers: Record<string, [status: number, body: unknown] | null>) {
  vi.stubGlobal('fetch', async (address: string) => {
    const answer = Object.entries(answers).find(([end]) => address.endsWith(end))?.[1]
    if (!answer) throw new TypeError('Failed to fetch')
    const [status, body] = answer
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status })
  })
}
const stripe = (confirm: () => Promise<ConfirmResult>): Stripe => ({
  elements: () => ({ create: () => card }),
  confirmCardPayment: confirm,
})
const provider = (error?: ConfirmResult['error']) => stripe(async () => (error ? { error } : {}))

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('a payment succeeds when the server says that it is paid', async () => {
  serverSays({ 'create-payment-intent': [200, INTENT], '/sync': [200, paid] })
  expect(await payByCard(provider(), card, { memorialId: 'mem_1' })).toEqual({ kind: 'paid', payment: paid })
})

test('a declined card shows the provider’s text; the tenth says the payment is closed', async () => {
  const answers = (status: string) => ({
    'create-payment-intent': [200, INTENT] as [number, unknown],
    '/sync': [200, { ...paid, status }] as [number, unknown],
  })
  serverSays(answers('PENDING'))
  const declined = [
    await payByCard(provider({ message: 'Your card was declined.' }), card, { memorialId: null }),
    await payByCard(provider({}), card, { memorialId: null }),
  ]
  serverSays(answers('FAILED'))
  const closed = await payByCard(provider({ message: 'Your card was declined.' }), card, { memorialId: null })
  expect([...declined, closed]).toEqual([
    { kind: 'declined', text: 'Your card was declined.' },
    { kind: 'declined', text: 'Please try again.' },
    { kind: 'declined', text: messages.payment.tooManyDeclines },
  ])
})

test('a payment that fails to start shows an error and charges nothing', async () => {
  const message = 'This memorial is paid for already. You have not been charged again.'
  serverSays({ 'create-payment-intent': [409, { message, code: 'already_paid' }] })
  const refused = await payByCard(provider(), card, { memorialId: 'mem_1' })
  serverSays({ 'create-payment-intent': [500, ''] })
  const broken = await payByCard(provider(), card, { memorialId: 'mem_1' })
  expect([refused, broken]).toEqual([
    { kind: 'error', text: message, isCharged: false, code: 'already_paid' },
    { kind: 'error', text: 'Something went wrong. Please try again.', isCharged: false, code: null },
  ])
})

test('a lost connection during the charge asks the server, or reports it as unknown', async () => {
  const breaks = stripe(() => Promise.reject(new Error('')))
  serverSays({ 'create-payment-intent': [200, INTENT], '/sync': [200, paid] })
  expect(await payByCard(breaks, card, { memorialId: 'mem_1' })).toEqual({ kind: 'paid', payment: paid })
  serverSays({ 'create-payment-intent': [200, INTENT], '/sync': null })
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  expect(await payByCard(breaks, card, { memorialId: 'mem_1' })).toEqual({
    kind: 'error',
    text: 'Something went wrong. Please try again.',
    isCharged: 'unknown',
    code: null,
  })
})

test('an unsettled payment is pending, a failed one is declined', async () => {
  serverSays({ '/sync': [200, { ...paid, status: 'PENDING' }] })
  expect(await settlePayment({}, 'pay_1', [0, 0])).toEqual({ kind: 'pending', paymentId: 'pay_1' })
  serverSays({ '/sync': [200, { ...paid, status: 'FAILED' }] })
  expect(await settlePayment({}, 'pay_1', [0])).toEqual({ kind: 'declined', text: 'Please try again.' })
})

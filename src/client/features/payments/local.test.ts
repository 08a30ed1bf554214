import { describe, expect, test } from 'vitest'
import type { LocalPayment } from '#shared/payments/local-payments.ts'
import { readPhone, isOfNetwork, maskPhone } from '#shared/payments/local-payments.ts'
import { checkLocalForm, pauseAfter, stageOf, stepOf } from './local.ts'
import { findOpenPayment, type LocalPaymentRow } from './open-payment.ts'

const NOW = Date.parse('2026-11-24T12:00:00Z')
const at = (ms: number) => new Date(NOW + ms).toISOString()
const payment = (
  changes: Partial<LocalPaymentRow> = {},
  local: Partial<LocalPayment> = {},
): LocalPaymentRow => ({
  id: 'pay_a',
  status: 'PENDING',
  memorialId: null,
  isCredit: false,
  amount: 6000,
  currency: 'usd',
  provider: 'paynow',
  createdAt: at(-60_000),
  ...changes,
  local: {
    method: 'ecocash',
    phone: '077 … 567',
    targetMemorialId: 'mem_a',
    instructions: null,
    code: null,
    codeExpires: null,
    needsCode: false,
    redirectUrl: null,
    isStarted: true,
    problem: null,
    failedAt: null,
    waitUntil: at(120_000),
    ...local,
  },
})

const failed = (ms: number) =>
  payment({ id: 'pay_failed', status: 'FAILED' }, { problem: 'expired', failedAt: at(-ms) })

describe('who left finds the open payment again', () => {
  test.each([
    ['the open one', payment(), true],
    ['not a paid one', payment({ status: 'PAID' }), false],
    ['not one for another memorial', payment({}, { targetMemorialId: 'mem_b' }), false],
    ['not one of three days ago', payment({ createdAt: at(-3 * 86_400_000) }), false],
  ])('%s', (_what, row, isFound) => {
    expect(findOpenPayment([row], 'mem_a', NOW)).toBe(isFound ? row : null)
  })

  test.each([
    ['one that failed just now', [failed(3_500_000)], 'pay_failed'],
    ['not one that failed an hour ago', [failed(3_600_000)], undefined],
    ['not one that failed before another was paid', [payment({ status: 'PAID' }), failed(1000)], undefined],
    ['an older one that may still be answered', [failed(1000), payment()], 'pay_a'],
    ['a newer one', [payment(), failed(1000)], 'pay_a'],
  ])('%s', (_what, rows, id) => {
    expect(findOpenPayment(rows, 'mem_a', NOW)?.id).toBe(id)
  })

  test('not a card payment', () => {
    const { local: _, ...card } = payment({ provider: 'stripe' })
    expect(findOpenPayment([card], 'mem_a', NOW)).toBeNull()
  })
})

test.each([
  ['waiting', payment()],
  ['uncertain', payment({}, { isStarted: false })],
  ['late', payment({}, { waitUntil: at(0) })],
  ['late', payment({}, { waitUntil: at(-1), isStarted: false })],
  ['waiting', payment({}, { waitUntil: at(-1), method: 'web' })],
  ['over', payment({ status: 'FAILED' })],
  ['over', payment({ status: 'PAID' })],
])('the screen is %s', (stage, row) => {
  expect(stageOf(row, NOW)).toBe(stage)
})

test.each<[step: string | null, local: Partial<LocalPayment>]>([
  ['phone', {}],
  ['page', { method: 'web' }],
  ['show', { method: 'innbucks', code: '123456789' }],
  [null, { method: 'innbucks' }],
  ['enter', { method: 'omari', needsCode: true }],
  [null, { method: 'omari' }],
])('the payer’s next step is %s with %j', (step, local) => {
  expect(stepOf(payment({}, local).local)).toBe(step)
})

test('looks become rarer', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 100].map(pauseAfter)).toEqual([
    5000, 5000, 10_000, 10_000, 20_000, 30_000, 30_000, 30_000,
  ])
})

test.each([
  ['077 123 4567', '0771234567'],
  ['+263 77 123 4567', '0771234567'],
  ['00263-77-123-4567', '0771234567'],
  ['263771234567', '0771234567'],
  ['771234567', '0771234567'],
  ['(071) 123.4567', '0711234567'],
  ['0861234567', null],
  ['07712345678', null],
  ['+44 7700 900123', null],
  ['', null],
])('the number %s is read as %s', (text, phone) => {
  expect(readPhone(text)).toBe(phone)
})

test('a wallet fits the numbers of its network', () => {
  expect(isOfNetwork('ecocash', '0781234567')).toBe(true)
  expect(isOfNetwork('ecocash', '0711234567')).toBe(false)
  expect(isOfNetwork('onemoney', '0711234567')).toBe(true)
  expect(isOfNetwork('innbucks', '0731234567')).toBe(true)
  expect(maskPhone('0771234567')).toBe('077 … 567')
})

test.each([
  ['ecocash', '077 123 4567', null],
  ['ecocash', '0711234567', 'EcoCash needs a number that begins with 077 or 078'],
  ['onemoney', '12', 'Please enter a Zimbabwean mobile number, such as 077 123 4567'],
  ['web', '', null],
] as const)('%s with %s', (method, phone, text) => {
  expect(checkLocalForm({ method, phone })?.fields['phone'] ?? null).toBe(text)
})

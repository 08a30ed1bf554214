import { GIFT_ACCOUNT } from '#shared/payments/gift-codes.ts'
import { expect, test } from 'vitest'
import type { AdminPayment } from '#shared/admin/admin.ts'
import { GIFT_EXPIRES_MS } from '#shared/limits.ts'
import { payLinkMessages } from '#shared/payments/pay-link-messages.ts'
import type { PayLinkView } from '#shared/payments/pay-links.ts'
import type { Payment } from '#shared/payments/payments.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { gifts, payLinks, payments } from '#worker/schema/payments.table.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { Client, signedIn } from '../../../../test/worker/harness.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'
import { payWithLink } from '../../../../test/worker/pay-links.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import {
  confirm,
  deliverEvent,
  injectStripeFault,
  paymentsOf,
  simulateBank,
} from '../../../../test/worker/stripe.ts'

const GIVER = { name: 'Tapiwa Moyo', email: 'tapiwa@leeds.test' }

async function begunGift(words = '') {
  const { status, body } = await new Client().post('/api/gifts', {
    fromName: GIVER.name,
    recipientName: 'Mai Chipo',
    words,
  })
  expect(status).toBe(201)
  return body.token as string
}

const letterOf = async (token: string) => (await new Client().get<PayLinkView>(`/api/pay/${token}`)).body.gift

async function paidGift(payer = GIVER) {
  const token = await begunGift('For your mother.')
  const paid = await payWithLink(token, payer)
  const code = (await letterOf(token))?.code ?? ''
  return { token, code, ...paid }
}

async function redeem(code: string, user?: Awaited<ReturnType<typeof signedIn>>) {
  const { status, body } = await (user ?? (await signedIn())).post<Payment>('/api/gifts/redeem', { code })
  return { status, body: body as Payment & { message: string } }
}

test(
  'the letter has no code before the gift is paid, and its code opens one memorial',
  { tags: ['gift-code-after-payment'] },
  async () => {
    const token = await begunGift('For your mother.')
    expect(await letterOf(token)).toEqual({
      status: 'UNPAID',
      fromName: GIVER.name,
      recipientName: 'Mai Chipo',
      words: 'For your mother.',
      expiresAt: null,
      code: null,
      redeemUrl: null,
    })
    const payer = { name: 'Tapiwa', email: 'tapiwa.letter@leeds.test' }
    const { payment } = await payWithLink(token, payer)
    expect(payment.status).toBe('PAID')
    const letter = await letterOf(token)
    expect(letter).toMatchObject({
      status: 'READY',
      code: expect.stringMatching(/^([A-Z0-9]{4}-){3}[A-Z0-9]{4}$/u),
    })
    const code = letter?.code ?? ''
    const [receipt] = await mailboxOf(payer.email, 1)
    expect(receipt?.text).toContain(code)
    expect(receipt?.text).toContain(`/redeem/${code}`)

    const found = await new Client().get(`/api/gifts/${code.toLowerCase()}`)
    expect(found.body.gift).toEqual({
      status: 'READY',
      fromName: GIVER.name,
      recipientName: 'Mai Chipo',
      words: 'For your mother.',
      expiresAt: letter?.expiresAt,
    })
    const recipient = await signedIn()
    const redeemed = await redeem(` ${code.replaceAll('-', ' ').toLowerCase()} `, recipient)
    expect([redeemed.status, redeemed.body.isCredit, redeemed.body.paidBy]).toEqual([200, true, payer.name])
    const made = await recipient.post('/api/memorials', { honoureeFullName: 'Chipo Ncube' })
    expect(made.body).toMatchObject({ isPaid: true, status: 'ACTIVE' })
    expect((await letterOf(token))?.status).toBe('REDEEMED')
    const usedBy = async (client: Client) => (await client.get(`/api/gifts/${code}`)).body.gift
    expect(await usedBy(recipient)).toMatchObject({ isYours: true, words: 'For your mother.' })
    expect(await usedBy(new Client())).toMatchObject({ status: 'REDEEMED', words: null, recipientName: null })
    // The same account gets the same answer again.
    expect((await redeem(code, recipient)).status).toBe(200)
    expect(await paymentsOf(recipient)).toEqual([['PAID', made.body.id]])
  },
)

test(
  'of twenty accounts that redeem a gift at once, one gets it',
  { tags: ['gift-redeemed-once'] },
  async () => {
    const { code, token } = await paidGift()
    const people = await Promise.all(Array.from({ length: 20 }, () => signedIn()))
    const answers = await Promise.all(people.map((person) => redeem(code, person)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 410)).toHaveLength(19)
    expect(answers.find(({ status }) => status === 410)?.body.message).toBe(payLinkMessages.codeUsed)
    const credits = await Promise.all(people.map((person) => paymentsOf(person)))
    expect(credits.flat()).toEqual([['PAID', null]])
    expect((await letterOf(token))?.status).toBe('REDEEMED')
  },
)

test('a gift that is unpaid, given back, disputed or five years old opens nothing', async () => {
  const unpaid = await begunGift()
  const [link] = await rowsOf(payLinks, { token: unpaid })
  const [gift] = await rowsOf(gifts, { orderId: link!.orderId })
  expect(await redeem(gift!.code)).toMatchObject({
    status: 410,
    body: { message: payLinkMessages.codeUnpaid },
  })

  const old = await paidGift()
  await changeRows(payments, { id: old.paymentId }, { paidAt: Date.now() - GIFT_EXPIRES_MS - 1 })
  expect(await redeem(old.code)).toMatchObject({ status: 410, body: { message: payLinkMessages.codeEnded } })
  expect((await letterOf(old.token))?.status).toBe('ENDED')

  const disputed = await paidGift()
  await simulateBank(disputed.intentId, 'dispute')
  await deliverEvent(disputed.intentId, 'charge.dispute.created')
  expect((await redeem(disputed.code)).status).toBe(410)

  expect(await redeem('abcd')).toMatchObject({ status: 400, body: { message: payLinkMessages.codeInvalid } })
  expect(await redeem('aaaa-aaaa-aaaa-aaaa')).toMatchObject({
    status: 400,
    body: { message: payLinkMessages.codeUnknown },
  })
})

test(
  'a gift can be given back until somebody has redeemed it',
  { tags: ['used-gift-not-refunded'] },
  async () => {
    const admin = await signedIn({ admin: true })
    const refund = (id: string) =>
      admin.post<AdminPayment>(`/api/admin/payments/${id}/refund`, { reason: '' })
    const given = await paidGift()
    const back = await refund(given.paymentId)
    expect([back.status, back.body.status, back.body.payer]).toEqual([
      200,
      'REFUNDED',
      { email: GIVER.email, name: GIVER.name },
    ])
    expect((await redeem(given.code)).status).toBe(410)
    expect(await letterOf(given.token)).toMatchObject({ status: 'UNPAID', code: null })

    const used = await paidGift()
    await redeem(used.code)
    const refused = await refund(used.paymentId)
    expect([refused.status, (refused.body as unknown as { message: string }).message]).toEqual([
      409,
      payLinkMessages.giftUsed,
    ])
    expect((await rowsOf(payments, { id: used.paymentId }))[0]).toMatchObject({
      status: 'PAID',
      refundReason: null,
    })
  },
)

test('of a refund and a redemption at once, one wins', { tags: ['used-gift-not-refunded'] }, async () => {
  const admin = await signedIn({ admin: true })
  for (let turn = 0; turn < 5; turn += 1) {
    const { code, paymentId } = await paidGift()
    const person = await signedIn()
    const [refunded, redeemed] = await Promise.all([
      admin.post(`/api/admin/payments/${paymentId}/refund`, { reason: '' }),
      redeem(code, person),
    ])
    expect([refunded.status, redeemed.status].toSorted((a, b) => a - b)).toEqual(
      refunded.status === 200 ? [200, 410] : [200, 409],
    )
  }
})

test(
  'two people who pay for one gift: one code, and the second payment is owed back',
  { tags: ['order-paid-once'] },
  async () => {
    const token = await begunGift()
    const begun = await Promise.all(
      ['c', 'd'].map((name) =>
        payWithLink(token, { name, email: `${name}@leeds.test` }, { isBegunOnly: true }),
      ),
    )
    await Promise.all(begun.map(({ intentId }) => confirm(intentId)))
    await Promise.all(
      begun.map(({ paymentId }) => new Client().post(`/api/pay/${token}/payments/${paymentId}/sync`)),
    )
    const rows = await Promise.all(
      begun.map(async ({ paymentId }) => (await rowsOf(payments, { id: paymentId }))[0]),
    )
    expect(new Set(rows.map((row) => row?.refundReason))).toEqual(new Set([null, 'order_already_paid']))
    const again = await new Client().post(`/api/pay/${token}/card`, GIVER)
    expect([again.status, again.body.code]).toEqual([409, 'already_paid'])
    const code = (await letterOf(token))?.code ?? ''
    const person = await signedIn()
    expect((await redeem(code, person)).status).toBe(200)
    expect((await paymentsOf(person)).filter(([status]) => status === 'PAID')).toHaveLength(2)
    const second = rows.find((row) => row?.refundReason === 'order_already_paid')!
    const admin = await signedIn({ admin: true })
    await injectStripeFault(second.providerIntentId!, 'break')
    const failed = await admin.post(`/api/admin/payments/${second.id}/refund`, { reason: '' })
    expect(failed.status).toBeGreaterThanOrEqual(500)
    expect(takeErrorLines()).toHaveLength(1)
    await injectStripeFault(second.providerIntentId!, 'ok')
    const back = await admin.post(`/api/admin/payments/${second.id}/refund`, { reason: '' })
    expect([back.status, back.body.status]).toEqual([200, 'REFUNDED'])
    expect((await person.post('/api/memorials', { honoureeFullName: 'One' })).body.isPaid).toBe(true)
    expect((await person.post('/api/memorials', { honoureeFullName: 'Two' })).body.isPaid).toBe(false)
  },
)

test('a refund or dispute after the redemption is still known to be this payment', async () => {
  const { code, intentId, paymentId } = await paidGift()
  await redeem(code)
  await simulateBank(intentId, 'dispute')
  await deliverEvent(intentId, 'charge.dispute.created')
  expect((await rowsOf(payments, { id: paymentId }))[0]?.status).toBe('DISPUTED')
})

test('nobody can sign in to the account of unredeemed gifts, and it has no credit', async () => {
  await paidGift()
  const [account] = await rowsOf(users, { id: GIFT_ACCOUNT })
  expect(account).toMatchObject({ email: GIFT_ACCOUNT, passwordHash: 'none', role: 'USER' })
  expect(account?.suspendedAt).toBeTypeOf('number')
  const login = await new Client().post('/api/auth/login', { email: GIFT_ACCOUNT, password: 'none none' })
  expect([400, 401]).toContain(login.status)
})

test('a picture of the letter is made once the gift is paid', async () => {
  const token = await begunGift()
  expect((await new Client().get(`/media/gift/${token}`)).status).toBe(404)
  await payWithLink(token, GIVER)
  const card = await new Client().fetch(`/media/gift/${token}`)
  expect([card.status, card.headers.get('Content-Type')]).toEqual([200, 'image/jpeg'])
  expect((await card.arrayBuffer()).byteLength).toBeLessThan(250_000)
})

test('a hundred codes cannot be tried in a row', async () => {
  const person = await signedIn()
  const answers = await atOnce(25, () => redeem('aaaa-aaaa-aaaa-aaaa', person))
  expect(answers.map(({ status }) => status)).toContain(429)
})

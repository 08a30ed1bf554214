import { expect, test } from 'vitest'
import { DAY_MS, PAY_LINK_EXPIRES_MS } from '#shared/limits.ts'
import { localPaymentMessages } from '#shared/payments/local-payments.ts'
import { payLinkMessages } from '#shared/payments/pay-link-messages.ts'
import type { PayLink, PayLinkView } from '#shared/payments/pay-links.ts'
import type { Payment } from '#shared/payments/payments.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payLinks, payments, paynowAttempts } from '#worker/schema/payments.table.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { purgeAccount } from '#worker/features/removal/removal.jobs.ts'
import { Client, paidCredit, signedIn, testCtx, type SignedIn } from '../../../../test/worker/harness.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'
import { payWithLink, payTokenOf } from '../../../../test/worker/pay-links.ts'
import { newPhone, onPhone } from '../../../../test/worker/paynow.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { confirm, draftOf, paymentsOf, startPayment } from '../../../../test/worker/stripe.ts'
import { sendFixture } from '../../../../test/worker/uploads.ts'

const ASK = '/api/payments/ask'
const COUSIN = { name: 'Tapiwa Moyo', email: 'tapiwa@leeds.test' }
const expire = (token: string) => changeRows(payLinks, { token }, { expiresAt: Date.now() - 1 })

async function viewOf(token: string) {
  return new Client().get<PayLinkView>(`/api/pay/${token}`)
}

async function draftWithLink(showsMemorial = false) {
  const owner = await signedIn({ firstName: 'Rudo' })
  const memorialId = await draftOf(owner, 'Gogo Moyo')
  return { owner, memorialId, token: await payTokenOf(owner, memorialId, showsMemorial) }
}

test(
  'a link names the account and the price, and shows the memorial only by choice',
  { tags: ['pay-link-shows-by-choice'] },
  async () => {
    const { owner, memorialId, token } = await draftWithLink()
    const { body } = await viewOf(token)
    expect(body).toEqual({
      status: 'OPEN',
      fromName: 'Rudo',
      amount: 6000,
      currency: 'usd',
      expiresAt: expect.any(String),
      memorial: null,
      gift: null,
    })
    expect(Date.parse(body.expiresAt) - Date.now()).toBeGreaterThan(PAY_LINK_EXPIRES_MS - DAY_MS)
    const shown = await owner.post<PayLink>(ASK, { memorialId, showsMemorial: true })
    // The choice changes, the link stays.
    expect(shown.body).toMatchObject({
      token,
      text: 'Rudo asks you to give Gogo Moyo’s memorial: US$60, once',
    })
    expect((await viewOf(token)).body.memorial).toEqual({ honoureeFullName: 'Gogo Moyo', hasPortrait: false })
  },
)

test(
  'the portrait is served only while the owner shows it',
  { tags: ['pay-link-shows-by-choice'] },
  async () => {
    const { owner, memorialId, token } = await draftWithLink(true)
    expect((await new Client().get(`/media/pay/${token}`)).status).toBe(404)
    await owner.patch(`/api/memorials/${memorialId}`, {
      profileMediaId: await sendFixture(owner, memorialId, 'photo.png'),
    })
    const portrait = await new Client().fetch(`/media/pay/${token}`)
    expect([
      portrait.status,
      portrait.headers.get('Content-Type'),
      portrait.headers.get('Cache-Control'),
    ]).toEqual([200, 'image/webp', 'private, no-store'])
    await owner.post(ASK, { memorialId, showsMemorial: false })
    expect((await new Client().get(`/media/pay/${token}`)).status).toBe(404)
  },
)

test(
  'a cousin’s card pays, both get mail, and the account sees only the cousin’s name',
  { tags: ['payers-phone-hidden', 'receipt-shows-by-choice'] },
  async () => {
    const { owner, memorialId, token } = await draftWithLink()
    const { payment } = await payWithLink(token, COUSIN)
    expect(payment.status).toBe('PAID')
    expect((await rowsOf(memorials, { id: memorialId }))[0]?.status).toBe('ACTIVE')
    expect((await viewOf(token)).body).toMatchObject({ status: 'PAID' })

    const { body } = await owner.get<{ payments: Payment[] }>('/api/user/payments')
    expect(body.payments).toEqual([
      {
        id: payment.id,
        status: 'PAID',
        memorialId,
        isCredit: false,
        amount: 6000,
        currency: 'usd',
        provider: 'stripe',
        createdAt: expect.any(String),
        paidBy: COUSIN.name,
        isThanked: false,
      },
    ])
    expect(JSON.stringify(body)).not.toContain(COUSIN.email)
    const [receipt] = await mailboxOf(COUSIN.email, 1)
    expect(receipt?.text).toContain('For: one memorial')
    expect(receipt?.text).not.toContain('Gogo')
    const [notice] = await mailboxOf(owner.user.email, 1)
    expect(notice?.text).toContain('Tapiwa Moyo has paid $60.00 for you.')
    expect(notice?.text).not.toContain(COUSIN.email)
  },
)

test(
  'a cousin’s phone pays; the account sees neither its number nor an open request',
  { tags: ['payers-phone-hidden', 'payment-own-only', 'payment-of-link-only'] },
  async () => {
    const { owner, memorialId, token } = await draftWithLink()
    const cousin = new Client()
    const asked = await cousin.post<Payment>(`/api/pay/${token}/mobile`, {
      ...COUSIN,
      method: 'ecocash',
      phone: newPhone(),
    })
    expect(asked.body).toMatchObject({ status: 'PENDING', local: { method: 'ecocash' } })
    expect(await paymentsOf(owner)).toEqual([])
    // The request of one phone keeps everybody else from paying meanwhile.
    expect((await owner.post('/api/stripe/create-payment-intent', { memorialId })).status).toBe(409)
    const aunt = await new Client().post(`/api/pay/${token}/card`, { name: 'Aunt', email: 'aunt@leeds.test' })
    expect([aunt.status, aunt.body.message]).toEqual([409, localPaymentMessages.somebodyPays])
    expect((await owner.post(`/api/payments/${asked.body.id}/sync`)).status).toBe(404)
    const other = await draftWithLink()
    expect((await cousin.post(`/api/pay/${other.token}/payments/${asked.body.id}/sync`)).status).toBe(404)

    await onPhone(asked.body.id, 'approve')
    await changeRows(paynowAttempts, { paymentId: asked.body.id }, { checkedAt: 0 })
    const synced = await cousin.post<Payment>(`/api/pay/${token}/payments/${asked.body.id}/sync`)
    expect(synced.body).toMatchObject({ status: 'PAID', memorialId: null, local: { targetMemorialId: null } })
    expect((await rowsOf(payments, { id: asked.body.id }))[0]).toMatchObject({ memorialId })
    const { body } = await owner.get<{ payments: Payment[] }>('/api/user/payments')
    expect(body.payments[0]).toMatchObject({ status: 'PAID', paidBy: COUSIN.name })
    expect(body.payments[0]).not.toHaveProperty('local')
  },
)

test('Paynow’s page leads a cousin back to the link', async () => {
  const { token } = await draftWithLink()
  const { body } = await new Client().post(`/api/pay/${token}/paynow`, COUSIN)
  expect(body).toEqual({
    redirectUrl: expect.stringContaining('/Payment/ConfirmPayment/'),
    paymentId: expect.any(String),
  })
})

test(
  'the account and two cousins pay at once: one credit, the others are owed back',
  { tags: ['order-paid-once'] },
  async () => {
    const { owner, memorialId, token } = await draftWithLink()
    const begun = [
      await startPayment(owner, memorialId),
      ...(await Promise.all(
        ['a', 'b'].map((name) =>
          payWithLink(token, { name, email: `${name}@leeds.test` }, { isBegunOnly: true }),
        ),
      )),
    ]
    expect(new Set(begun.map(({ intentId }) => intentId)).size).toBe(3)
    await Promise.all(begun.map(({ intentId }) => confirm(intentId)))
    await Promise.all([
      owner.post(`/api/payments/${begun[0]!.paymentId}/sync`),
      ...begun
        .slice(1)
        .map(({ paymentId }) => new Client().post(`/api/pay/${token}/payments/${paymentId}/sync`)),
    ])
    const rows = await rowsOf(payments, { userId: owner.user.id })
    expect(rows.map(({ status }) => status)).toEqual(['PAID', 'PAID', 'PAID'])
    expect(rows.filter((row) => row.memorialId === memorialId && row.refundReason === null)).toHaveLength(1)
    expect(rows.filter(({ refundReason }) => refundReason !== null)).toHaveLength(2)
    // Everybody gets a receipt; the account is told once, of the one that counts.
    for (const row of rows)
      expect(await rowsOf(mails, { subjectId: row.id, kind: 'receipt' })).toHaveLength(1)
  },
)

test('calls of one payer at once begin one payment', async () => {
  const { token } = await draftWithLink()
  const begun = await atOnce(5, () => payWithLink(token, COUSIN, { isBegunOnly: true }))
  expect(new Set(begun.map(({ paymentId }) => paymentId)).size).toBe(1)
})

test(
  'a link ends by time, by its owner, by a new one or with its account or memorial',
  { tags: ['pay-link-ends', 'pay-link-own-only'] },
  async () => {
    const pay = async (token: string) => {
      const { status, body } = await new Client().post(`/api/pay/${token}/card`, COUSIN)
      return [status, body.message]
    }
    const ended = [410, payLinkMessages.ended]
    const late = await draftWithLink(true)
    await expire(late.token)
    expect((await viewOf(late.token)).body).toMatchObject({ status: 'ENDED', memorial: null })
    expect(await pay(late.token)).toEqual(ended)

    const { owner, memorialId, token } = await draftWithLink()
    expect((await (await signedIn()).delete(`${ASK}/${token}`)).status).toBe(404)
    expect((await viewOf(token)).body.status).toBe('OPEN')
    expect((await owner.delete(`${ASK}/${token}`)).status).toBe(204)
    expect(await pay(token)).toEqual(ended)
    expect((await owner.get(`${ASK}?memorialId=${memorialId}`)).body).toEqual({ link: null })

    const next = await payTokenOf(owner, memorialId)
    expect(next).not.toBe(token)
    expect((await viewOf(token)).status).toBe(404)
    const { body: replaced } = await owner.post<PayLink>(ASK, {
      memorialId,
      showsMemorial: false,
      isNew: true,
    })
    expect(replaced.token).not.toBe(next)
    expect(await pay(next)).toEqual([404, payLinkMessages.notFound])

    await changeRows(memorials, { id: memorialId }, { status: 'REMOVED' })
    expect(await pay(replaced.token)).toEqual(ended)
    const suspended = await draftWithLink()
    await changeRows(users, { id: suspended.owner.user.id }, { suspendedAt: Date.now() })
    expect(await pay(suspended.token)).toEqual(ended)
  },
)

test('nobody pays for what is paid for already, by a credit or by another payment', async () => {
  const { owner, memorialId, token } = await draftWithLink()
  await paidCredit(owner.user.id)
  const { status, body } = await new Client().post(`/api/pay/${token}/card`, COUSIN)
  expect([status, body.code, body.message]).toEqual([409, 'already_paid', payLinkMessages.paid])
  expect((await viewOf(token)).body.status).toBe('PAID')
  // Only its owner uses a credit.
  expect((await rowsOf(memorials, { id: memorialId }))[0]?.status).toBe('DRAFT')
  expect((await owner.post(ASK, { memorialId, showsMemorial: false })).status).toBe(409)
  expect(await rowsOf(payments, { payerEmail: COUSIN.email, userId: owner.user.id })).toEqual([])
})

test('only the owner of a memorial asks for it', async () => {
  const { memorialId } = await draftWithLink()
  const stranger = await signedIn()
  expect((await stranger.post(ASK, { memorialId, showsMemorial: true })).status).toBe(404)
  expect((await stranger.get(`${ASK}?memorialId=${memorialId}`)).body).toEqual({ link: null })
})

test('before there is a memorial, the payment is a credit for the next one', async () => {
  const owner = await signedIn()
  const token = await payTokenOf(owner)
  await payWithLink(token, COUSIN)
  const { body } = await owner.post('/api/memorials', { honoureeFullName: 'Gogo Moyo' })
  expect(body).toMatchObject({ isPaid: true, status: 'ACTIVE' })
})

async function thank(user: SignedIn, id: string, words = 'Thank you, Tapiwa.') {
  return (await user.post(`/api/payments/${id}/thanks`, { words })).status
}

test('the account thanks its payer, once, and nobody else does', { tags: ['thanks-own-only'] }, async () => {
  const { owner, token } = await draftWithLink()
  const payer = { name: 'Tapiwa', email: 'tapiwa.thanked@leeds.test' }
  const { payment } = await payWithLink(token, payer)
  expect(await thank(await signedIn(), payment.id)).toBe(404)
  expect(await thank(owner, payment.id, ' ')).toBe(400)
  expect((await atOnce(3, () => thank(owner, payment.id))).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
  const received = await mailboxOf(payer.email, 2)
  expect(received[0]?.text).toContain('Thank you, Tapiwa.')
  expect(received).toHaveLength(2)
  expect((await owner.get('/api/user/payments')).body.payments[0]).toMatchObject({ isThanked: true })
  const own = await paidCredit(owner.user.id)
  expect(await thank(owner, own)).toBe(409)
})

test('a name and an address are needed to pay', async () => {
  const { token } = await draftWithLink()
  for (const body of [{}, { name: '', email: COUSIN.email }, { name: 'T', email: 'no address' }]) {
    const answer = await new Client().post(`/api/pay/${token}/card`, body)
    expect([answer.status, Object.keys(answer.body.fields).length > 0]).toEqual([400, true])
  }
})

test('once it is paid, a link shows no memorial, and its owner can end it at any time', async () => {
  const { memorialId, token } = await draftWithLink(true)
  expect((await viewOf(token)).body.memorial).not.toBeNull()
  await payWithLink(token, COUSIN)
  expect((await viewOf(token)).body).toMatchObject({ status: 'PAID', memorial: null })
  expect((await rowsOf(memorials, { id: memorialId }))[0]?.status).toBe('ACTIVE')
})

test(
  'whoever began to pay by a replaced link can finish, and never sees the new one',
  { tags: ['receipt-shows-by-choice'] },
  async () => {
    const { owner, memorialId, token } = await draftWithLink()
    const payer = { name: 'Early', email: 'early@leeds.test' }
    const { paymentId, intentId } = await payWithLink(token, payer, { isBegunOnly: true })
    const { body } = await owner.post<PayLink>(ASK, { memorialId, showsMemorial: true, isNew: true })
    await confirm(intentId)
    expect((await new Client().post(`/api/pay/${body.token}/payments/${paymentId}/sync`)).status).toBe(404)
    const synced = await new Client().post<Payment>(`/api/pay/${token}/payments/${paymentId}/sync`)
    expect(synced.body.status).toBe('PAID')
    const [receipt] = await mailboxOf(payer.email, 1)
    expect(receipt?.text).toContain('For: one memorial')
    expect(receipt?.text).not.toContain(body.token)
  },
)

test('a link for the next memorial ends when the account pays for one', async () => {
  const owner = await signedIn()
  const token = await payTokenOf(owner)
  const memorialId = await draftOf(owner)
  const { paymentId, intentId } = await startPayment(owner, memorialId)
  await confirm(intentId)
  await owner.post(`/api/payments/${paymentId}/sync`)
  expect((await viewOf(token)).body.status).toBe('ENDED')
})

test('an account with a link that nobody paid can be deleted for good', async () => {
  const owner = await signedIn()
  const token = await payTokenOf(owner)
  await changeRows(users, { id: owner.user.id }, { deletedAt: 1 })
  await purgeAccount(testCtx(), owner.user.id)
  expect(await rowsOf(users, { id: owner.user.id })).toEqual([])
  expect((await viewOf(token)).status).toBe(404)
})

test('once the family or the payer is deleted for good, nothing names who paid', async () => {
  const { owner, token } = await draftWithLink()
  const account = await signedIn()
  const { paymentId } = await payWithLink(token, { name: 'Tapiwa', email: account.user.email })
  await changeRows(users, { id: account.user.id }, { deletedAt: 1 })
  await purgeAccount(testCtx(), account.user.id)
  const [row] = await rowsOf(payments, { id: paymentId })
  expect([row?.payerName, row?.payerEmail, row?.status, row?.userId]).toEqual([
    null,
    null,
    'PAID',
    owner.user.id,
  ])
})

test('what an admin writes to a payer is not in the export of the account', async () => {
  const { owner, token } = await draftWithLink()
  const { paymentId } = await payWithLink(token, COUSIN)
  const admin = await signedIn({ admin: true })
  await admin.post(`/api/admin/payments/${paymentId}/refund`, { reason: 'Sent to your 0772 000 000' })
  const { body } = await owner.get('/api/account/export')
  expect(JSON.stringify(body)).not.toContain('0772 000 000')
  // And nobody is thanked for what goes back.
  expect(await thank(owner, paymentId)).toBe(409)
})

test('no account pays for a gift by its id, and nobody reinstates the gifts’ account', async () => {
  const owner = await signedIn()
  await paidCredit(owner.user.id)
  for (const path of ['/api/stripe/create-payment-intent', '/api/payments/ask'])
    expect((await owner.post(path, { memorialId: 'gif_x', showsMemorial: false })).status).toBe(404)
  const admin = await signedIn({ admin: true })
  expect((await admin.post('/api/admin/users/usr_gifts/reinstate')).status).toBe(404)
})

test('a corrected name is on the payment that was open already', async () => {
  const { token } = await draftWithLink()
  const email = 'corrected@leeds.test'
  await payWithLink(token, { name: 'Fari', email }, { isBegunOnly: true })
  const { paymentId } = await payWithLink(token, { name: 'Farai Moyo', email }, { isBegunOnly: true })
  expect((await rowsOf(payments, { id: paymentId }))[0]?.payerName).toBe('Farai Moyo')
})

test('many people behind one address open their links, and wrong ones are counted', async () => {
  const { token } = await draftWithLink()
  const client = new Client()
  const right = await atOnce(70, () => client.get(`/api/pay/${token}`))
  expect(new Set(right.map(({ status }) => status))).toEqual(new Set([200]))
  const wrong = await atOnce(70, () => client.get('/api/pay/none'))
  expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([404, 429]))
})

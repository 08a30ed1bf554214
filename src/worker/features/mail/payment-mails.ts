import { dateTime, money, renderMail, type RenderedMail } from '#worker/features/mail/render-mail.ts'

/** What a payment is for, in the words of its mails, and the page that they lead to. */
type Bought = { what: string; button: { label: string; url: string } }

export function receiptMail(
  data: Bought & {
    paymentId: string
    /** In the smallest unit of the currency. */
    amount: number
    currency: string
    paidAt: number
    supportEmail: string
    /** Of a gift: what its recipient needs. */
    gift: { code: string; redeemUrl: string } | null
  },
): RenderedMail {
  const amount = money(data.amount, data.currency)
  return renderMail({
    subject: `Your receipt: ${amount}`,
    heading: 'Thank you. We have received your payment.',
    paragraphs: [
      `Amount: ${amount}\nPaid on: ${dateTime(data.paidAt)}\nReceipt number: ${data.paymentId}\nFor: ${data.what}, paid once, with no further fees`,
      ...(data.gift === null
        ? []
        : [
            `The code of your gift is ${data.gift.code}. Whoever has it can make one memorial, within five years:\n${data.gift.redeemUrl}`,
          ]),
    ],
    button: data.button,
    notes: [`Questions about this payment? Write to ${data.supportEmail} and give the receipt number.`],
  })
}

/** The notice that a payment was refunded. `reason` is an admin's own words to the payer; null for none. */
export function refundMail(
  data: Bought & {
    paymentId: string
    /** In the smallest unit of the currency. */
    amount: number
    currency: string
    refundedAt: number
    reason: string | null
    isByCard: boolean
    supportEmail: string
  },
): RenderedMail {
  const amount = money(data.amount, data.currency)
  return renderMail({
    subject: `Your refund: ${amount}`,
    heading: 'We have refunded your payment.',
    paragraphs: [
      ...(data.reason === null ? [] : [data.reason]),
      [
        `Amount: ${amount}`,
        `Refunded on: ${dateTime(data.refundedAt)}`,
        `Receipt number: ${data.paymentId}`,
        `For: ${data.what}`,
      ].join('\n'),
      data.isByCard
        ? 'The money goes back to the card that you paid with. Most banks show it within 10 days.'
        : 'The money goes back to the wallet or account that you paid with.',
    ],
    button: data.button,
    notes: [`Questions about this refund? Write to ${data.supportEmail} and give the receipt number.`],
  })
}

/** Tells an account that somebody else has paid for it. `payerName` is what that person typed. */
export function paidForYouMail(data: {
  payerName: string
  amount: number
  currency: string
  dashboardUrl: string
}): RenderedMail {
  return renderMail({
    subject: 'Somebody has paid for your memorial',
    heading: `${data.payerName} has paid ${money(data.amount, data.currency)} for you.`,
    paragraphs: [
      'There is nothing more to pay. You can send them a few words of thanks: we pass them on, and you don’t see each other’s address.',
    ],
    button: { label: 'Say thank you', url: data.dashboardUrl },
  })
}

/** The words of thanks of an account to somebody else who paid for it. */
export function thanksMail(data: { fromName: string; words: string; supportEmail: string }): RenderedMail {
  return renderMail({
    subject: 'Thank you for the memorial',
    heading: `${data.fromName} thanks you.`,
    paragraphs: [data.words],
    notes: [
      `You get this email because you paid for a memorial. If you didn’t expect it, write to ${data.supportEmail}.`,
    ],
  })
}

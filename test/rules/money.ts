import type { Rule } from './rule.ts'

const PAY = 'src/worker/features/payments'
const MAIL = 'src/worker/features/mail'
const payTests = `${PAY}/payments.test.ts ›`
const hookTests = `${PAY}/webhook.test.ts ›`
const returnTests = `${PAY}/returns.test.ts ›`
const OUTSIDE = 'src/worker/platform/outside.ts'
const addresses = 'test/worker/sandbox-addresses.test.ts ›'
const payFaults = 'test/worker/pay-faults.test.ts ›'
const mailFaults = 'test/worker/mail-faults.test.ts ›'

export const rules: Rule[] = [
  {
    id: 'P1',
    threat: 'A browser names its own price',
    rule: 'Amount and currency come from our row; keys that the schema does not know are dropped',
    proofs: [
      {
        test: `${payTests} the price is ours: amounts and currencies from outside change nothing (P1)`,
        takenOut: [
          { file: `${PAY}/intents.ts`, from: '      amount: PRICE_CENTS,', to: '      amount: 100,' },
        ],
      },
    ],
  },
  {
    id: 'P2',
    threat: "Somebody pays for another's memorial, or twice for one",
    rule: 'Only the owner of a memorial that is there and unpaid begins to pay for it',
    proofs: [
      {
        test: `${payTests} nobody pays for a memorial of somebody else, or for one that does not exist (P2)`,
        takenOut: [{ file: `${PAY}/payments.ts`, from: 'eq(memorials.ownerId, userId), ', to: '' }],
      },
      {
        test: `${payTests} a memorial that is paid, and a waiting credit, are not charged again (P2)`,
        takenOut: [
          { file: `${PAY}/payments.ts`, from: 'if (memorial.isPaid) throw', to: 'if (!memorial) throw' },
        ],
      },
    ],
  },
  {
    id: 'P3',
    threat: 'A double click, a second tab or a repeated call charges twice',
    rule: 'A unique index lets one payment be open for a target; its row holds the idempotency key',
    proofs: [
      {
        test: `${payTests} twenty simultaneous calls make one payment and one PaymentIntent, and get the same answer (P3)`,
        takenOut: [
          {
            file: `${PAY}/intents.ts`,
            from: '{ idempotencyKey: payment.idempotencyKey }),',
            to: '{ idempotencyKey: crypto.randomUUID() }),',
          },
        ],
      },
      {
        test: `${payTests} a dropped answer is asked for again under the same key, so there is one PaymentIntent`,
        takenOut: [
          { file: `${PAY}/intents.ts`, from: '  if (open) return open\n', to: '' },
          {
            file: `${PAY}/intents.ts`,
            from: '    .onConflictDoNothing()\n',
            to: '',
          },
        ],
      },
    ],
  },
  {
    id: 'P4',
    threat: 'A webhook is forged, changed, kept for later, sent twice or in another order',
    rule: 'The raw body is signed within five minutes either way, each event counts once, a status only rises',
    proofs: [
      {
        test: `${hookTests} what Stripe did not sign just now is refused (P4)`,
        takenOut: [
          {
            file: 'src/worker/platform/stripe.ts',
            from: 'Math.abs(now / 1000 - time)',
            to: '(now / 1000 - time)',
          },
        ],
      },
      {
        test: `${hookTests} what Stripe did not sign just now is refused (P4)`,
        takenOut: [
          {
            file: 'src/worker/platform/stripe.ts',
            from: 'return await Stripe.webhooks.constructEventAsync(',
            to: 'if (body) return JSON.parse(body) as Stripe.Event\n    return await Stripe.webhooks.constructEventAsync(',
          },
        ],
      },
      {
        test: `${hookTests} fifty copies of one event at once make one PAID payment and one receipt (P4)`,
        takenOut: [
          {
            file: `${PAY}/settle.ts`,
            from: "    if (event && isUniqueViolation(error) && (await isKnownEvent(ctx, event.id))) return 'repeated'\n",
            to: '',
          },
        ],
      },
      {
        test: `${hookTests} two different events that say the same still make one receipt`,
        takenOut: [
          {
            file: `${PAY}/settle.ts`,
            from: 'and(eq(payments.id, payment.id), inArray(payments.status, lower))',
            to: 'and(eq(payments.id, payment.id), inArray(payments.status, [...RANK]))',
          },
        ],
      },
    ],
  },
  {
    id: 'P5',
    threat: 'A genuine event of another payment, price, currency, person or Stripe mode makes ours PAID',
    rule: 'Mode, id, metadata, currency and amount must all be those of our row, else nothing changes',
    proofs: [
      {
        test: `${hookTests} a genuine event that differs from our row is recorded and changes nothing (P5)`,
        takenOut: [
          { file: `${PAY}/settle.ts`, from: "  if (intent.livemode !== isLive) return 'livemode'\n", to: '' },
        ],
      },
      {
        test: `${hookTests} a genuine event that differs from our row is recorded and changes nothing (P5)`,
        takenOut: [
          {
            file: `${PAY}/settle.ts`,
            from: "  if (payment.providerIntentId !== null && payment.providerIntentId !== intent.id) return 'intent'\n",
            to: '',
          },
        ],
      },
      {
        test: `${hookTests} a genuine event that differs from our row is recorded and changes nothing (P5)`,
        takenOut: [
          {
            file: `${PAY}/settle.ts`,
            from: "  if (intent.metadata['userId'] !== payment.userId) return 'metadata'\n",
            to: '',
          },
        ],
      },
      {
        test: `${hookTests} a genuine event that differs from our row is recorded and changes nothing (P5)`,
        takenOut: [
          {
            file: `${PAY}/settle.ts`,
            from: "  if (intent.currency !== payment.currency) return 'currency'\n",
            to: '',
          },
        ],
      },
      {
        test: `${hookTests} a genuine event that differs from our row is recorded and changes nothing (P5)`,
        takenOut: [
          {
            file: `${PAY}/settle.ts`,
            from: "  if (intent.amount !== payment.amount) return 'amount'\n",
            to: '',
          },
        ],
      },
    ],
  },
  {
    id: 'P6',
    threat: 'One payment pays for two memorials, or two for one',
    rule: 'The payment is attached in the batch that makes the memorial, where it is still unused',
    proofs: [
      {
        test: 'src/worker/features/memorials/memorials.test.ts › twenty simultaneous creates with one payment make exactly one active memorial',
        takenOut: [
          {
            file: `${PAY}/payments.table.ts`,
            from: "(${payments.status} = 'PAID' and ${payments.memorialId} is null",
            to: "(${payments.status} = 'PAID'",
          },
        ],
      },
    ],
  },
  {
    id: 'P7',
    threat: 'The address /dashboard?payment=success is believed',
    rule: 'Only Stripe makes a payment PAID, and only its owner may have it looked at',
    proofs: [
      {
        test: `${payTests} a forged return address changes nothing, and nobody syncs the payment of another (P7)`,
        takenOut: [
          {
            file: `${PAY}/payments.ts`,
            from: 'and(eq(payments.id, id), eq(payments.userId, userId))',
            to: 'and(eq(payments.id, id))',
          },
        ],
      },
      {
        test: `${payTests} a forged return address changes nothing, and nobody syncs the payment of another (P7)`,
        takenOut: [
          {
            file: `${PAY}/settle.ts`,
            from: "intent.status === 'succeeded' ? 'PAID'",
            to: "intent.status !== 'canceled' ? 'PAID'",
          },
        ],
      },
    ],
  },
  {
    id: 'P8',
    threat: 'Money that came twice is kept silently, or a credit on its way back is used',
    rule: 'A second payment stays a credit, flagged for a refund; a flagged one is no credit until the refund failed',
    proofs: [
      {
        test: `${payTests} a second payment for the same memorial stays a credit and is flagged for a refund (P8)`,
        takenOut: [
          {
            file: `${PAY}/settle.ts`,
            from: "when exists ${paidByOther} then 'memorial_already_paid'",
            to: "when 1 = 2 then ''",
          },
        ],
      },
      {
        test: `${returnTests} P8: a credit that is to be given back is no credit to its payer`,
        takenOut: [
          {
            file: `${PAY}/payments.ts`,
            from: "(row.refundReason === null || row.refundReason === 'refund_failed')",
            to: 'row.id.length > 0',
          },
        ],
      },
      {
        test: `${returnTests} P8: a credit whose refund was asked for and never came to be may be used again`,
        takenOut: [
          {
            file: `${PAY}/returns.ts`,
            from: "payment.status === 'REFUNDED' || isLongAsked",
            to: "payment.status === 'REFUNDED'",
          },
        ],
      },
    ],
  },
  {
    id: 'P9',
    threat: 'A refund or a dispute is missed, or old news undoes newer',
    rule: 'Such an event only makes us ask Stripe how the money stands; cron asks for events that never came',
    proofs: [
      {
        test: `${returnTests} P9: a refund that fails at Stripe afterwards makes the payment PAID again, flagged for an admin`,
        takenOut: [{ file: `${PAY}/webhook.ts`, from: "    event.type === 'refund.failed' ||\n", to: '' }],
      },
      {
        test: `${returnTests} P9: the news of a refund that comes after the news of its failure changes nothing`,
        takenOut: [
          {
            file: `${PAY}/returns.ts`,
            from: "filter(({ status }) => status === 'succeeded')",
            to: 'filter(({ status }) => status)',
          },
        ],
      },
      {
        test: `${returnTests} P9: a dispute that is won gives the payment back, one that is lost does not`,
        takenOut: [
          {
            file: `${PAY}/returns.ts`,
            from: "new Set(['won', 'warning_closed', 'prevented'])",
            to: "new Set(['prevented'])",
          },
        ],
      },
      {
        test: `${returnTests} P9: cron finds refunds and disputes whose webhook never came, once`,
        takenOut: [
          {
            file: `${PAY}/payments.jobs.ts`,
            from: 'for (const event of events.toReversed()) {',
            to: 'for (const event of events.slice(0, 0)) {',
          },
        ],
      },
    ],
  },
  {
    id: 'P10',
    threat: 'Stolen cards are tried out with us, or our calls to Stripe are used up',
    rule: 'A confirmed account makes 10 PaymentIntents an hour and asks for 60 looks in five minutes',
    proofs: [
      {
        test: `${payTests} an account makes at most 10 new PaymentIntents an hour (P10)`,
        takenOut: [
          {
            file: `${PAY}/intents.ts`,
            from: "  await requireUnthrottled(ctx, 'paymentIntents', userId)\n",
            to: '',
          },
        ],
      },
      {
        test: `${returnTests} P10: an account asks us to look at Stripe at most 60 times in five minutes`,
        takenOut: [
          {
            file: `${PAY}/payments.ts`,
            from: "  await requireThrottle(ctx, 'paymentSyncs', userId)\n",
            to: '',
          },
        ],
      },
    ],
  },
  {
    id: 'P11',
    threat: 'The local payment option sends people somewhere before it exists',
    rule: 'It answers that it is not available and writes nothing',
    proofs: [
      {
        test: `${payTests} the local payment option is not configured and makes no row (P11)`,
        takenOut: [
          {
            file: `${PAY}/payments.routes.ts`,
            from: "throw new AppError('paynow_unavailable', messages.payment.paynowUnavailable)",
            to: "throw new AppError('not_found', messages.payment.notFound)",
          },
        ],
      },
    ],
  },
  {
    id: 'P12',
    threat: 'A deployment without the webhook secret believes everything',
    rule: 'Without the secret the webhook answers 503 and the log says why',
    proofs: [
      {
        test: `${hookTests} a body over 256 KiB is refused, and without a webhook secret nothing is believed (P12)`,
        takenOut: [
          {
            file: 'src/worker/platform/stripe.ts',
            from: "  if (!env.STRIPE_WEBHOOK_SECRET) throw notAvailable(new Error('STRIPE_WEBHOOK_SECRET is not set'))\n",
            to: "  if (!env.STRIPE_WEBHOOK_SECRET) return JSON.parse('{}') as Stripe.Event\n",
          },
        ],
      },
    ],
  },
  {
    id: 'P13',
    threat: 'Stripe is away or slow, and a person is left waiting or paid money is not seen',
    rule: 'A deadline, kind words, a new key after a broken answer, and cron that asks again',
    proofs: [
      {
        test: `${payTests} while Stripe is broken the answer is 502 in kind words, and the next try works (P13)`,
        takenOut: [
          {
            file: `${PAY}/intents.ts`,
            from: '    if (isBrokenAnswer(error)) await renewKey(ctx, payment)\n',
            to: '',
          },
        ],
      },
      {
        test: `${payTests} cron settles a payment whose webhook was lost, and leaves young and unpaid ones`,
        takenOut: [
          {
            file: `${PAY}/payments.jobs.ts`,
            from: "if (row.status === 'PENDING') await settlePayment(ctx, row, client)",
            to: "if (row.status === 'PENDING') continue",
          },
        ],
      },
    ],
  },
  {
    id: 'F6',
    threat: 'A mail that cannot be sent, or a message without sense, holds up the others',
    rule: 'Each message is acknowledged or tried again by itself, and nothing in one can throw past its own',
    proofs: [
      {
        test: `${mailFaults} F6: messages that make no sense hold up no other in their batch`,
        takenOut: [
          {
            file: 'src/worker/jobs.ts',
            from: '(message.body ?? {}) as Partial<SentJob>',
            to: 'message.body',
          },
        ],
      },
    ],
  },
  {
    id: 'F7',
    threat: 'A consumer dies with a mail in its hands, or the message is lost',
    rule: 'The row waits in the outbox until it is SENT, DEAD or CANCELLED, and cron asks for it again',
    proofs: [
      {
        test: `${MAIL}/mail.test.ts › F7: cron finds mails whose queue message was lost, and only those`,
        takenOut: [
          {
            file: `${MAIL}/mail.jobs.ts`,
            from: "        eq(mails.status, 'QUEUED'),\n        sql`coalesce",
            to: '        sql`coalesce',
          },
        ],
      },
      {
        test: `${mailFaults} F7 I5: a consumer killed before any one call leaves a mail that cron brings to its end, in two copies at most`,
        takenOut: [
          {
            file: `${MAIL}/mail.jobs.ts`,
            from: '  if (lost.length === 0 ||',
            to: '  if (lost.length >= 0 ||',
          },
        ],
      },
    ],
  },
  {
    id: 'F8',
    threat: 'The mail provider takes a mail and drops the line: somebody gets many copies, or none',
    rule: 'Only a word of the provider counts as sent; each try carries the same mark, so copies can be told',
    proofs: [
      {
        test: `${mailFaults} F8 I5: a provider that answers with 400 gets the mail again, and a person at most two copies of one mail`,
        takenOut: [
          {
            file: 'src/worker/platform/mail.ts',
            from: "headers: { 'X-Nhaka-Mail-Id': mail.id,",
            to: "headers: { 'X-Nhaka-Mail-Id': crypto.randomUUID(),",
          },
        ],
      },
      {
        test: `${mailFaults} F8 I5: a provider that answers with an empty answer gets the mail again, and a person at most two copies of one mail`,
        takenOut: [
          {
            file: 'src/worker/platform/mail.ts',
            from: 'if (!data?.requestId && !data?.results?.length) throw',
            to: 'if (!data) throw',
          },
        ],
      },
    ],
  },
  {
    id: 'F9',
    threat: 'Stripe hangs, drops, breaks, refuses or answers with nonsense while somebody pays',
    rule: 'One PaymentIntent a key, only a whole one of ours is kept, and every step may be taken again',
    proofs: [
      {
        test: `${payFaults} F9 I4: Stripe giving another PaymentIntent during "begin" leaves no money lost and no charge twice`,
        takenOut: [{ file: `${PAY}/intents.ts`, from: '    requireOurs(ctx, payment, intent)\n', to: '' }],
      },
      {
        test: `${payFaults} F9 I4: everything lost between paying and us is found by cron, however often it runs at once`,
        takenOut: [
          { file: `${PAY}/payments.jobs.ts`, from: "          eq(payments.status, 'PENDING'),\n", to: '' },
        ],
      },
    ],
  },
  {
    id: 'F10',
    threat: 'Webhooks come fifty times, reversed, too early, or about what is gone',
    rule: 'Each counts once, what it says is asked of Stripe, and money for nobody is flagged',
    proofs: [
      {
        test: `${payFaults} F10 I4: success, refund and failed refund heard in the order 0, 1, 2, five times each, end as Stripe says`,
        takenOut: [
          {
            file: `${PAY}/returns.ts`,
            from: "filter(({ status }) => status === 'succeeded')",
            to: 'filter(({ status }) => status)',
          },
        ],
      },
      {
        test: `${hookTests} the success is believed even when it overtakes the answer that named the PaymentIntent`,
        takenOut: [
          {
            file: `${PAY}/payments.ts`,
            from: '  return findPayment(ctx, paymentId)\n',
            to: '  return null\n',
          },
        ],
      },
      {
        test: `${payFaults} F10: money that comes after the account is gone for good is flagged, and mailed to nobody`,
        takenOut: [{ file: `${PAY}/settle.ts`, from: ' and not ${isPayerGone()})`', to: ')`' }],
      },
      {
        test: `${hookTests} when the database fails Stripe is told to come again, and then it counts`,
        takenOut: [{ file: `${PAY}/settle.ts`, from: '    throw error\n', to: '    return outcome\n' }],
      },
    ],
  },
  {
    id: 'F17',
    threat: 'A deployment lacks a secret and fails silently, or whole',
    rule: 'The feature that needs it answers 503, the log names it, and the others live',
    proofs: [
      {
        test: `test/worker/secrets.test.ts › F17: without 'ACCESS_AUD' its feature fails loudly, and the others live`,
        takenOut: [
          {
            file: 'src/worker/features/admin/cloudflare-access.ts',
            from: 'if (!team || !audience) {',
            to: 'if (!team || !audience) return\n  if (!team) {',
          },
        ],
      },
    ],
  },
  {
    id: 'F20',
    threat:
      'A deployment that people use is left pointing at a sandbox, which says "paid" to everybody and shows their mail',
    rule: 'Outside localhost each provider is asked at its own address or not at all, and the log names the setting',
    proofs: [
      {
        test: `${addresses} outside localhost a sandbox as STRIPE_API_URL takes no payment and no word of one, and the log says why`,
        takenOut: [
          {
            file: 'src/worker/platform/stripe.ts',
            from: "STRIPE_WEBHOOK_SECRET is not set'))\n  refuseSandbox(env)\n",
            to: "STRIPE_WEBHOOK_SECRET is not set'))\n",
          },
        ],
      },
      {
        test: `${addresses} outside localhost a sandbox as STRIPE_JS_URL takes no payment and no word of one, and the log says why`,
        takenOut: [{ file: OUTSIDE, from: ", STRIPE_JS_URL: 'https://js.stripe.com/' }", to: ' }' }],
      },
      {
        test: `${addresses} outside localhost mail for a sandbox waits in the outbox, and the log says why`,
        takenOut: [{ file: `${MAIL}/mail.jobs.ts`, from: '  if (problem) {', to: '  if (!problem) {' }],
      },
      {
        test: `${addresses} outside localhost the picture of a map comes from no sandbox, and the log says why without the key`,
        takenOut: [
          {
            file: 'src/worker/features/location/map-image.ts',
            from: '  if (problem)\n',
            to: '  if (!problem)\n',
          },
        ],
      },
      {
        test: `${addresses} outside localhost the card form, mail and maps are asked of no sandbox, and no mailbox is shown`,
        takenOut: [
          { file: OUTSIDE, from: "if (feature === 'mail' && env.MAILBOX_URL)", to: 'if (!feature)' },
        ],
      },
    ],
  },
  {
    id: 'I4',
    threat: 'A crash between two writes leaves money without a memorial, or a memorial paid for twice',
    rule: 'Status, attachment, activation, receipt and the event are written in one batch',
    proofs: [
      {
        test: `${payFaults} F5 I4: "hear" broken off before any one call of database or queue, and tried again, ends paid once`,
        takenOut: [
          {
            file: `${PAY}/settle.ts`,
            from: "...(to === 'PAID' ? { paidAt: at, ...attachment(ctx) } : {}),",
            to: "...(to === 'PAID' ? { paidAt: at } : {}),",
          },
        ],
      },
    ],
  },
  {
    id: 'I5',
    threat: 'A mail is lost, sent many times over, or given up with nobody knowing',
    rule: 'One consumer claims a row at a time, what is given up is DEAD and shown to admins, who can resend it',
    proofs: [
      {
        test: `${mailFaults} I5: five crons at once bring a mail whose message was lost in one copy`,
        takenOut: [
          {
            file: `${MAIL}/mail.jobs.ts`,
            from: '        or(isNull(mails.claimedUntil), lte(mails.claimedUntil, now)),\n',
            to: '',
          },
        ],
      },
      {
        test: `${mailFaults} I5: a mail that nobody could deliver is dead, an admin sees it, and sends it again once`,
        takenOut: [
          {
            file: `${MAIL}/mail.jobs.ts`,
            from: ".set({ status: 'DEAD', claimedUntil: null })",
            to: ".set({ status: 'CANCELLED', claimedUntil: null })",
          },
        ],
      },
      {
        test: `${mailFaults} I5: a queue that is down when the cause is written loses no mail`,
        takenOut: [
          {
            file: `${MAIL}/mail.jobs.ts`,
            from: '  if (lost.length === 0 ||',
            to: '  if (lost.length >= 0 ||',
          },
        ],
      },
    ],
  },
  {
    id: 'L1',
    threat: 'Logs hold addresses, names, texts, tokens or secrets',
    rule: 'A failed query is logged without its parameters, and what a provider says without addresses',
    proofs: [
      {
        test: 'test/worker/log-privacy.test.ts › W10: no log line of a whole journey, failures included, holds what people typed, showed or received',
        takenOut: [
          {
            file: 'src/worker/platform/log.ts',
            from: 'if (!(error instanceof DrizzleQueryError)) return full',
            to: 'if (error instanceof Error) return full',
          },
        ],
      },
      {
        test: `${mailFaults} W10: what a provider says of an address is not in the log`,
        takenOut: [{ file: 'src/worker/platform/mail.ts', from: ", '(address)')", to: ", '$&')" }],
      },
    ],
  },
]

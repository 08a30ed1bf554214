import type { Stripe } from 'stripe'
import { DISPUTES_OVER } from '../../../src/shared/payments/payments.ts'
import {
  PaynowUnanswered,
  pollPaynow,
  tracePaynow,
  type PaynowAccount,
} from '../../../src/worker/platform/providers/paynow.ts'

/** One payment of our ledger. `intent` is Stripe's id, `pollUrl` where Paynow tells the state. */
export type LedgerRow = {
  id: string
  provider: 'stripe' | 'paynow'
  status: 'PENDING' | 'PAID' | 'FAILED' | 'REFUNDED' | 'DISPUTED'
  /** US cents. */
  amount: number
  currency: string
  intent: string | null
  pollUrl: string | null
  createdAt: number
}

/** The same payment as its provider tells it. `id` is ours, as the provider got it; empty if it has none. */
export type ProviderRecord = {
  id: string
  reference: string
  amount: number
  currency: string
  state: 'unpaid' | 'paid' | 'refunded' | 'disputed'
}

/** Columns of a {@link LedgerRow}, of payments made since this time (ms). */
export const ledgerQuery = (since: number) => `SELECT payments.id, provider, status, amount, currency,
    provider_intent_id AS intent, poll_url AS pollUrl, payments.created_at AS createdAt
  FROM payments LEFT JOIN paynow_attempts ON paynow_attempts.payment_id = payments.id
  WHERE payments.created_at >= ${since} ORDER BY payments.created_at`

const EXPECTED = {
  PENDING: ['unpaid'],
  FAILED: ['unpaid'],
  PAID: ['paid'],
  REFUNDED: ['refunded'],
  DISPUTED: ['disputed'],
} as const

/**
 * The payments to compare with what Stripe lists since this time (ms): ours are a moment older than Stripe's, so `ledger` must
 * begin earlier than the list.
 */
export function listedRows(
  ledger: readonly LedgerRow[],
  records: readonly ProviderRecord[],
  since: number,
): LedgerRow[] {
  const told = new Set(records.map(({ id }) => id))
  return ledger.filter(
    ({ id, provider, createdAt }) => provider === 'stripe' && (createdAt >= since || told.has(id)),
  )
}

/** The differences between our ledger and what the providers tell, one sentence each; empty if they agree. */
export function compareLedger(ledger: readonly LedgerRow[], records: readonly ProviderRecord[]): string[] {
  const known = new Map(ledger.map((row) => [row.id, row]))
  const told = new Set(records.map(({ id }) => id))
  const problems = records.flatMap((record) => {
    const row = known.get(record.id)
    const what = `${record.reference} (${money(record)})`
    if (!row) return record.state === 'unpaid' ? [] : [`${what} is ${record.state}, and our ledger lacks it`]
    const differences: string[] = []
    // A refund by hand happens outside of Paynow.
    const isByHand = row.provider === 'paynow' && row.status === 'REFUNDED' && record.state === 'paid'
    if (!isByHand && !(EXPECTED[row.status] as readonly string[]).includes(record.state))
      differences.push(`${row.id} is ${row.status}, and ${what} is ${record.state}`)
    if (row.amount !== record.amount || row.currency !== record.currency)
      differences.push(`${row.id} is ${money(row)}, and ${what} is another amount`)
    return differences
  })
  const missing = ledger
    .filter(({ id, status }) => !told.has(id) && status !== 'PENDING' && status !== 'FAILED')
    .map(({ id, provider, status }) => `${id} is ${status}, and ${provider} doesn't know it`)
  return [...problems, ...missing]
}

/** Sum of what was paid and neither given back nor disputed, in cents. */
export function sumOf(rows: readonly { amount: number; status?: string; state?: string }[]): number {
  return rows
    .filter(({ status, state }) => status === 'PAID' || state === 'paid')
    .reduce((sum, { amount }) => sum + amount, 0)
}

/** `60.00 usd` of cents. */
export function money({ amount, currency }: { amount: number; currency: string }): string {
  return `${(amount / 100).toFixed(2)} ${currency}`
}

/** Stripe's PaymentIntents since this time (ms), with refunds and disputes. Throws Stripe's errors. */
export async function readStripe(stripe: Stripe, since: number): Promise<ProviderRecord[]> {
  const records: ProviderRecord[] = []
  const created = { gte: Math.floor(since / 1000) }
  for await (const intent of stripe.paymentIntents.list({
    created,
    limit: 100,
    expand: ['data.latest_charge'],
  })) {
    const charge = typeof intent.latest_charge === 'string' ? null : intent.latest_charge
    records.push({
      id: intent.metadata['paymentId'] ?? '',
      reference: intent.id,
      amount: intent.amount,
      currency: intent.currency,
      state:
        intent.status !== 'succeeded'
          ? 'unpaid'
          : charge?.disputed && (await isDisputed(stripe, intent.id))
            ? 'disputed'
            : charge?.refunded
              ? 'refunded'
              : 'paid',
    })
  }
  return records
}

/** A charge stays `disputed` at Stripe after its dispute was won. */
async function isDisputed(stripe: Stripe, intentId: string): Promise<boolean> {
  const { data } = await stripe.disputes.list({ payment_intent: intentId, limit: 100 })
  return data.some(({ status }) => !DISPUTES_OVER.has(status))
}

const PAYNOW_STATES: Record<string, ProviderRecord['state']> = {
  paid: 'paid',
  'awaiting delivery': 'paid',
  delivered: 'paid',
  disputed: 'disputed',
  refunded: 'refunded',
}

/**
 * Asks Paynow about each of these payments, one after another, because it wants few polls. `unanswered` are the ids of those that
 * it didn't answer about. Those that it doesn't know are in neither list.
 */
export async function readPaynow(
  account: PaynowAccount,
  ledger: readonly LedgerRow[],
): Promise<{ records: ProviderRecord[]; unanswered: string[] }> {
  const records: ProviderRecord[] = []
  const unanswered: string[] = []
  for (const { id, pollUrl, currency, provider } of ledger) {
    if (provider !== 'paynow') continue
    try {
      const state = pollUrl === null ? await tracePaynow(account, id) : await pollPaynow(account, pollUrl)
      if (!state) continue
      records.push({
        id: state.reference,
        reference: `Paynow's ${state.paynowReference}`,
        amount: state.cents ?? 0,
        // Paynow doesn't tell it.
        currency,
        state: PAYNOW_STATES[state.status] ?? 'unpaid',
      })
    } catch (error) {
      if (!(error instanceof PaynowUnanswered)) throw error
      unanswered.push(id)
    }
  }
  return { records, unanswered }
}

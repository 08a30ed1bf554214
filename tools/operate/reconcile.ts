/**
 * `npm run reconcile [-- --days=30] [--remote [--env NAME]]` compares our payments with what Stripe lists and what Paynow answers, and
 * prints each difference. Exit code 1 if there is one, 2 if a provider could not be asked. It changes nothing.
 *
 * Keys come from the environment, and are sent only to the providers: STRIPE_SECRET_KEY, PAYNOW_INTEGRATION_ID, PAYNOW_INTEGRATION_KEY.
 * Without --remote it reads the local database (folder NHAKA_STATE, default .nhaka) and asks the sandbox (SANDBOX_PORT), which
 * must be running.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Stripe } from 'stripe'
import type { PaynowAccount } from '../../src/worker/platform/providers/paynow.ts'
import { localDatabase, remoteDatabase } from './admin/database.ts'
import { toEnvironment } from './cloud/environments.ts'
import {
  compareLedger,
  ledgerQuery,
  listedRows,
  money,
  readPaynow,
  readStripe,
  sumOf,
  type LedgerRow,
} from './invariants/providers.ts'
import { OperatorError, runCommand } from './local/command.ts'

const DAY_MS = 86_400_000
const USAGE = 'Usage: npm run reconcile [-- --days=30] [--remote [--env production|staging]]'

type Keys = { stripe: string; stripeUrl: string; paynow: PaynowAccount }

/** Keys of the environment; locally those of the data folder, with the sandbox's address. */
function readKeys(isRemote: boolean, state: string): Keys {
  const { env } = process
  const local = isRemote
    ? {}
    : (JSON.parse(readFileSync(resolve(state, 'secrets.json'), 'utf8')) as Record<string, string>)
  const sandbox = `http://127.0.0.1:${env['SANDBOX_PORT'] ?? 8788}`
  return {
    stripe: env['STRIPE_SECRET_KEY'] ?? local['stripeSecretKey'] ?? '',
    stripeUrl: isRemote ? 'https://api.stripe.com' : sandbox,
    paynow: {
      url: isRemote ? 'https://www.paynow.co.zw' : sandbox,
      id: env['PAYNOW_INTEGRATION_ID'] ?? (isRemote ? '' : '1201'),
      key: env['PAYNOW_INTEGRATION_KEY'] ?? local['paynowKey'] ?? '',
      isTest: !isRemote,
      userAgent: 'Nhaka reconcile',
    },
  }
}

function stripeAt(key: string, address: string): Stripe {
  const { protocol, hostname, port } = new URL(address)
  return new Stripe(key, {
    host: hostname,
    protocol: protocol === 'http:' ? 'http' : 'https',
    ...(port ? { port } : {}),
  })
}

await runCommand(USAGE, 2, async () => {
  const { values } = parseArgs({
    options: {
      days: { type: 'string', default: '30' },
      remote: { type: 'boolean', default: false },
      env: { type: 'string', default: 'production' },
    },
  })
  const days = Number(values.days)
  if (!(days > 0)) throw new OperatorError(USAGE)
  const state = process.env['NHAKA_STATE'] || '.nhaka'
  const run = values.remote ? remoteDatabase(toEnvironment(values.env, USAGE)) : localDatabase(state)
  const keys = readKeys(values.remote, state)
  const since = Date.now() - days * DAY_MS
  const ledger = run([ledgerQuery(since - DAY_MS)]) as LedgerRow[]
  const byPaynow = ledger.filter(({ provider, createdAt }) => provider === 'paynow' && createdAt >= since)
  let skipped = 0
  const problems: string[] = []

  if (keys.stripe === '') {
    skipped += 1
    console.log('Stripe: NOT COMPARED, because STRIPE_SECRET_KEY is not set.')
  } else {
    const records = await readStripe(stripeAt(keys.stripe, keys.stripeUrl), since)
    const byStripe = listedRows(ledger, records, since)
    problems.push(...compareLedger(byStripe, records))
    say('Stripe', sumOf(records), byStripe)
  }
  if (byPaynow.length > 0 && keys.paynow.key === '') {
    skipped += 1
    console.log('Paynow: NOT COMPARED, because PAYNOW_INTEGRATION_KEY is not set.')
  } else {
    const { records, unanswered } = await readPaynow(keys.paynow, byPaynow)
    const answered = byPaynow.filter(({ id }) => !unanswered.includes(id))
    problems.push(...compareLedger(answered, records))
    say('Paynow', sumOf(records), answered)
    skipped += unanswered.length
    for (const id of unanswered) console.log(`Paynow: NOT COMPARED, because it didn't answer about ${id}.`)
  }
  for (const problem of problems) console.log(`DIFFERENT  ${problem}`)
  console.log(
    problems.length === 0 ? 'The ledger and the providers agree.' : `${problems.length} differences.`,
  )
  return problems.length > 0 ? 1 : skipped > 0 ? 2 : 0
})

function say(name: string, told: number, rows: readonly LedgerRow[]): void {
  const ours = money({ amount: sumOf(rows), currency: 'usd' })
  console.log(
    `${name}: ${rows.length} payments; paid ${money({ amount: told, currency: 'usd' })}, by our ledger ${ours}`,
  )
}

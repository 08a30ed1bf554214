/**
 * `npm run smoke [-- --env NAME | --url URL]` tells whether a deployed Worker is healthy and reaches Paynow from where it runs. It signs its
 * question with PAYNOW_INTEGRATION_KEY from the environment, which is not sent. No payment is made. Exit code 1 if anything fails.
 */
import { parseArgs } from 'node:util'
import { SMOKE_TEST } from '../../src/shared/payments/local-payments.ts'
import { encodePaynowMessage } from '../../src/worker/platform/providers/paynow-messages.ts'
import { toEnvironment } from './cloud/environments.ts'
import { readDeployment } from './cloud/deployment.ts'
import { runCommand } from './local/command.ts'

const USAGE = 'Usage: npm run smoke [-- --env production|staging | --url https://memorials.example.org]'

await runCommand(USAGE, 1, async () => {
  const { values } = parseArgs({
    options: { env: { type: 'string', default: 'production' }, url: { type: 'string' } },
  })
  const deployment = readDeployment(toEnvironment(values.env, USAGE))
  const origin = values.url ?? deployment.origin
  const paynow = process.env['PAYNOW_API_URL'] ?? deployment.vars['PAYNOW_API_URL'] ?? ''
  const health = await fetch(new URL('/api/health', origin))
  console.log(`Health: ${health.ok ? 'ok' : `FAILED with ${health.status}`}`)
  const key = process.env['PAYNOW_INTEGRATION_KEY']
  if (!key) {
    console.log('Paynow: NOT TRIED, because PAYNOW_INTEGRATION_KEY is not set.')
    return 1
  }
  const body = encodePaynowMessage(
    [
      ['reference', SMOKE_TEST],
      ['status', 'Message'],
      ['pollurl', new URL('/Interface/CheckPayment/', paynow).href],
    ],
    key,
  )
  const startedAt = Date.now()
  const answer = await fetch(new URL('/api/paynow/result', origin), {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body,
  })
  console.log(`Paynow: ${MEANINGS[answer.status] ?? `FAILED with ${answer.status}: ${await answer.text()}`}`)
  if (answer.ok) console.log(`It answered the Worker within ${Date.now() - startedAt} ms.`)
  return health.ok && answer.ok ? 0 : 1
})

/** What the statuses of the answer mean here. */
const MEANINGS: Partial<Record<number, string>> = {
  200: 'the Worker reaches it, and has this key.',
  400: 'FAILED: PAYNOW_INTEGRATION_KEY is not the key that the Worker has.',
  502: 'FAILED: the Worker could not reach it, or Paynow does not know the Worker’s key.',
  503: 'FAILED: the Worker has no integration, or refuses its settings. Its log says why.',
}

import { setTimeout as sleep } from 'node:timers/promises'
import { AccountProblem } from './wrangler.ts'

const TRIES = 12
const BETWEEN_MS = 5000
const TIMEOUT_MS = 10_000

type Asking = {
  origin: string
  /** The Worker's. */
  name: string
  say: (line: string) => void
  fetch?: typeof fetch | undefined
  wait?: ((ms: number) => Promise<void>) | undefined
}

/**
 * Asks a deployment how it is, for a minute at most: a new domain needs its certificate first. Throws
 * {@link AccountProblem} when it does not answer, or says that a part of it fails.
 */
export async function askHealth({
  origin,
  name,
  say,
  fetch: ask = fetch,
  wait = sleep,
}: Asking): Promise<void> {
  const url = `${origin}/api/health`
  let last = ''
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    if (attempt > 0) await wait(BETWEEN_MS)
    try {
      const answer = await ask(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' })
      const text = (await answer.text()).slice(0, 2000)
      if (answer.ok) return say(`   ${url}: ${text}`)
      last = `${answer.status} ${text}`
    } catch (error) {
      last = error instanceof Error ? [error.message, error.cause].filter(Boolean).join(': ') : String(error)
    }
  }
  throw new AccountProblem(
    `The new version is deployed, and ${url} does not say that it is well:\n  ${last}
A new domain can take some minutes; ask again with curl. The version before comes back with: npx wrangler rollback --name ${name}
(the database may stay as it is: migrations only add). See docs/runbook.md.`,
  )
}

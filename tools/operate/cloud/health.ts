import { setTimeout as sleep } from 'node:timers/promises'
import { AccountError } from './wrangler.ts'

const TRIES = 12
const BETWEEN_MS = 5000
const TIMEOUT_MS = 10_000

type HealthCheck = {
  origin: string
  /** The Worker's name. */
  name: string
  say: (line: string) => void
  fetch?: typeof fetch | undefined
  wait?: ((ms: number) => Promise<void>) | undefined
}

/**
 * Requests a deployment's health, for up to a minute, because a new domain needs a certificate first. Throws
 * {@link AccountError} if it does not respond, or reports a failing part.
 */
export async function askHealth({
  origin,
  name,
  say,
  fetch: request = fetch,
  wait = sleep,
}: HealthCheck): Promise<void> {
  const url = `${origin}/api/health`
  let last = ''
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    if (attempt > 0) await wait(BETWEEN_MS)
    try {
      const response = await request(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' })
      const text = (await response.text()).slice(0, 2000)
      if (response.ok) return say(`   ${url}: ${text}`)
      last = `${response.status} ${text}`
    } catch (error) {
      last = error instanceof Error ? [error.message, error.cause].filter(Boolean).join(': ') : String(error)
    }
  }
  throw new AccountError(
    `The new version is deployed, but ${url} does not report that it is healthy:\n  ${last}
A new domain can take some minutes; try again with curl. To go back to the previous version: npx wrangler rollback --name ${name}
(leave the database as it is: migrations only add). See docs/runbook.md.`,
  )
}

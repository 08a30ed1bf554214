import { setTimeout as sleep } from 'node:timers/promises'

const TIMEOUT_MS = 10_000

export type HealthQuestion = {
  /** How often to ask, and how long to wait between (ms). */
  tries: number
  betweenMs: number
  fetch?: typeof fetch
  wait?: (ms: number) => Promise<void>
}
type HealthAnswer = { isReady: boolean; said: string }

/** Asks `/api/health` of the Worker at this origin until all its parts work. Returns the last answer. */
export async function waitForHealth(
  origin: string,
  { tries, betweenMs, fetch: request = fetch, wait = sleep }: HealthQuestion,
): Promise<HealthAnswer> {
  let said = ''
  for (let attempt = 0; attempt < tries; attempt += 1) {
    if (attempt > 0) await wait(betweenMs)
    try {
      const response = await request(`${origin}/api/health`, {
        signal: AbortSignal.timeout(TIMEOUT_MS),
        redirect: 'manual',
      })
      const text = (await response.text()).slice(0, 2000)
      if (response.ok) return { isReady: true, said: text }
      said = `${response.status} ${text}`
    } catch (error) {
      said = error instanceof Error ? [error.message, error.cause].filter(Boolean).join(': ') : String(error)
    }
  }
  return { isReady: false, said }
}

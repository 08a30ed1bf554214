import { Stripe } from 'stripe'
import { expect } from 'vitest'

/** Parameters of a payment. */
export const PARAMS = { amount: 6000, currency: 'usd' }

/** Stripe's client for the sandbox at `url`, without retries of its own. */
export function stripeAt(url: string, key = 'sk_test_sandbox'): Stripe {
  const { hostname, port } = new URL(url)
  return new Stripe(key, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false })
}

/** Posts JSON to a control endpoint and returns its answer. */
export async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  expect(response.status).toBe(200)
  return response.json()
}

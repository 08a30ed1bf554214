import { env } from 'cloudflare:test'
import { hashToken } from '#worker/platform/random.ts'
import type { Client } from './harness.ts'

export type StoredSession = { userId: string; epoch: number; createdAt: number; renewedAt: number }

function keyOf(client: Client): string {
  return `session:${hashToken(client.cookies.get('session') ?? '')}`
}

/** What KV holds of a client's session. */
export async function sessionOf(client: Client): Promise<StoredSession> {
  const stored = await env.KV.get<StoredSession>(keyOf(client), 'json')
  if (!stored) throw new Error('KV holds no session of this client')
  return stored
}

/** Puts other times into a client's stored session, as if it were older. */
export async function storeSession(client: Client, session: StoredSession): Promise<void> {
  await env.KV.put(keyOf(client), JSON.stringify(session))
}

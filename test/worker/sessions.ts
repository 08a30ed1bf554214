import { env } from 'cloudflare:test'
import { hashToken } from '#worker/platform/random.ts'
import type { Client } from './harness.ts'

export type StoredSession = { userId: string; epoch: number; createdAt: number; renewedAt: number }

function keyOf(client: Client): string {
  return `session:${hashToken(client.cookies.get('session') ?? '')}`
}

/** The KV value of a client's session. */
export async function sessionOf(client: Client): Promise<StoredSession> {
  const stored = await env.KV.get<StoredSession>(keyOf(client), 'json')
  if (!stored) throw new Error('KV holds no session of this client')
  return stored
}

/** Replaces a client's stored session, for example to make it older. */
export async function storeSession(client: Client, session: StoredSession): Promise<void> {
  await env.KV.put(keyOf(client), JSON.stringify(session))
}

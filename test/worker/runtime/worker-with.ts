import { env } from 'cloudflare:test'
import type { Env } from '#worker/platform/env.ts'
import { Client } from '../harness.ts'

type Settings = { [K in keyof Env]?: Env[K] | undefined }

/** One call to a deployment whose settings differ from the test Worker's; undefined removes a setting. */
export async function callWith(
  settings: Settings,
  method: string,
  path: string,
  client: Client | null = null,
  headers: Record<string, string> = {},
): Promise<{ status: number; code: string | null }> {
  const caller = new Client()
  for (const [name, value] of client?.cookies ?? []) caller.cookies.set(name, value)
  caller.bindings = { ...env, ...settings } as Env
  const { status, body } = await caller.call<{ code?: string }>(method, path, undefined, { headers })
  return { status, code: body.code ?? null }
}

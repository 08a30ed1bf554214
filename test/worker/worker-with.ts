import { createExecutionContext, env } from 'cloudflare:test'
import { handleApi } from '#worker/api.ts'
import type { Env } from '#worker/platform/env.ts'
import { ORIGIN, type Client } from './harness.ts'

type Settings = { [K in keyof Env]?: Env[K] | undefined }

/** One call to a deployment whose settings differ from the test Worker's; undefined removes a setting. */
export async function callWith(
  settings: Settings,
  method: string,
  path: string,
  client: Client | null = null,
  headers: Record<string, string> = {},
): Promise<{ status: number; code: string | null }> {
  const request = new Request(`${ORIGIN}${path}`, {
    method,
    headers: {
      Origin: ORIGIN,
      ...(client ? { Cookie: [...client.cookies].map((pair) => pair.join('=')).join('; ') } : {}),
      ...headers,
    },
  })
  const answer = await handleApi(request, { ...env, ...settings } as Env, createExecutionContext())
  const body = await answer.json<{ code?: string }>()
  return { status: answer.status, code: body.code ?? null }
}

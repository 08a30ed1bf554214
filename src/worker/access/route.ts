import type { Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { User } from '#shared/accounts/accounts.ts'
import type { BodyOutput, Endpoint, OutputOf, ParamsOf, QueryOutput } from '#shared/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import { JSON_BODY_MAX_BYTES } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { requireCloudflareAccess, admin } from '#worker/access/guards.ts'
import { readJsonBody } from '#worker/http/json-body.ts'

export type AppEnv = { Bindings: Env & { ctx: RequestCtx } }
export type App = Hono<AppEnv>

/** Input of a guard. Guards run before validation, so that strangers learn nothing from validation messages. */
export type GuardInput = {
  /** The matched endpoint, regardless of how the URL was written and whether by GET or HEAD. */
  endpoint: Endpoint
  params: Record<string, string>
  query: Record<string, string>
  rawBody: unknown
}
/** Throws to refuse, or returns a value for the handler (the signed-in user, the memorial and its access). */
export type Guard<T = unknown> = (ctx: RequestCtx, input: GuardInput) => T | Promise<T>
type Granted<G> = { [K in keyof G]: G[K] extends Guard<infer T> ? Awaited<T> : never }

export type HandlerInput<E> = {
  ctx: RequestCtx
  params: ParamsOf<E>
  body: BodyOutput<E>
  query: QueryOutput<E>
  /** Response headers, for cookies. */
  headers: Headers
}

/** Runs the guards, then validation, then the handler, which returns the contract's output or a Response. */
export function route<E extends Endpoint, G extends Record<string, Guard>>(
  app: App,
  endpoint: E,
  guards: G,
  handler: (input: HandlerInput<E> & Granted<G>) => Promise<OutputOf<E> | Response>,
): void {
  app.on(endpoint.method, endpoint.path, async (c: Context<AppEnv>) => {
    const ctx = c.env.ctx
    const rawBody = endpoint.body
      ? await readJsonBody(c.req.raw, endpoint.maxBodyBytes ?? JSON_BODY_MAX_BYTES)
      : undefined
    const guardInput: GuardInput = {
      endpoint,
      params: c.req.param(),
      query: c.req.query(),
      rawBody,
    }
    const granted: Record<string, unknown> = {}
    for (const [name, guard] of Object.entries(guards)) granted[name] = await guard(ctx, guardInput)

    const headers = new Headers()
    const input = {
      ...granted,
      ctx,
      params: guardInput.params,
      body: endpoint.body ? validate(endpoint.body, rawBody ?? {}) : undefined,
      query: endpoint.query ? validate(endpoint.query, guardInput.query) : undefined,
      headers,
    } as HandlerInput<E> & Granted<G>
    const output = await handler(input)
    if (output instanceof Response) {
      if ([...headers].length === 0) return output
      const answer = new Response(output.body, output)
      for (const [name, value] of headers) answer.headers.append(name, value)
      return answer
    }
    if (endpoint.status === 204) return new Response(null, { status: 204, headers })
    return Response.json(output, { status: endpoint.status, headers })
  })
}

/** Parses `value`, or throws `bad_input` with the first message of each field. The schemas drop unknown keys. */
function validate<S extends z.core.$ZodType>(schema: S, value: unknown): z.output<S> {
  // Replaces the library's message for schemas without their own.
  const result = z.safeParse(schema, value, { error: () => messages.form.checkFields })
  if (result.success) return result.data
  const fields: Record<string, string> = {}
  for (const issue of result.error.issues) {
    const name = issue.path.length > 0 ? issue.path.join('.') : 'body'
    fields[name] ??= issue.message
  }
  throw new AppError('bad_input', Object.values(fields)[0] ?? messages.form.checkFields, { fields })
}

/** Mounts an admin call, behind Cloudflare Access if configured. Use it for all of them, so that none lacks a guard. */
export function adminRoute<E extends Endpoint<`/api/admin/${string}`>>(
  app: App,
  endpoint: E,
  handler: (input: HandlerInput<E> & { user: User }) => Promise<OutputOf<E>>,
): void {
  route(app, endpoint, { user: admin, access: requireCloudflareAccess }, handler)
}

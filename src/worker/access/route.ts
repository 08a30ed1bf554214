import type { Context, Hono } from 'hono'
import type { BodyOutput, Endpoint, OutputOf, ParamsOf, QueryOutput } from '#shared/endpoint.ts'
import { JSON_BODY_MAX_BYTES } from '#shared/limits.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { readJsonBody } from '#worker/http/json-body.ts'
import { validate } from '#worker/http/validate.ts'

export type AppEnv = { Bindings: Env & { ctx: RequestCtx } }
export type App = Hono<AppEnv>

/** What a guard may look at: it runs before the input is validated, so that a stranger learns nothing from our messages. */
export type GuardInput = {
  /** The call that was matched, however its address was written and whether by GET or HEAD. */
  endpoint: Endpoint
  params: Record<string, string>
  query: Record<string, string>
  rawBody: unknown
}
/** Refuses by throwing, or gives the handler something it needs (the signed-in user, the memorial and access to it). */
export type Guard<T = unknown> = (ctx: RequestCtx, input: GuardInput) => T | Promise<T>
type Granted<G> = { [K in keyof G]: G[K] extends Guard<infer T> ? Awaited<T> : never }

export type HandlerInput<E> = {
  ctx: RequestCtx
  params: ParamsOf<E>
  body: BodyOutput<E>
  query: QueryOutput<E>
  /** Headers of the answer, for cookies. */
  headers: Headers
}

/**
 * Mounts one call of the contract: guards in the order given, then validation, then the verb. The handler returns the
 * output that the contract promises, or a whole Response where it streams.
 */
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

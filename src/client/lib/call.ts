import type { BodyInput, Endpoint, OutputOf, ParamsOf, QueryInput } from '#shared/endpoint.ts'
import { fillPath } from '#shared/fill-path.ts'
import { ERROR_STATUS, type ErrorBody, type ErrorCode } from '#shared/errors.ts'
import { REQUEST_ID } from '#shared/ids.ts'
import { messages } from '#shared/messages.ts'
import { FROM_CACHE_HEADER } from './offline/cache-names.ts'
import { recordAnswer } from './offline/connectivity.ts'

/**
 * A failed call. `message` is the status, a colon and the response text. `text` is what to show to the user: the
 * server's message, or null if it sent none; the screen then shows its own fallback.
 */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly code: ErrorCode | null
  readonly text: string | null
  readonly fields: Record<string, string>
  /** The id of the call in the server's log, if the server sent one. */
  readonly requestId: string | null

  constructor(status: number, responseText: string, statusText: string) {
    super(`${status}: ${responseText || statusText}`)
    this.status = status
    const body = parseErrorBody(responseText)
    this.code = body.code ?? null
    this.text = body.message ?? null
    this.fields = body.fields ?? {}
    this.requestId = body.requestId ?? null
  }
}

/** The server could not be reached. */
export class NetworkError extends Error {
  override name = 'NetworkError'
  constructor(cause: unknown) {
    super(messages.system.network, { cause })
  }
}

/** The parts of an error answer. Any non-empty message is accepted, a code only if it is on our list. */
function parseErrorBody(text: string): Partial<ErrorBody> {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return {}
  }
  if (typeof body !== 'object' || body === null) return {}
  const { message, code, fields, requestId } = body as Record<string, unknown>
  return {
    ...(typeof message === 'string' && message !== '' && { message }),
    ...(typeof code === 'string' && Object.hasOwn(ERROR_STATUS, code) && { code: code as ErrorCode }),
    ...(typeof requestId === 'string' && REQUEST_ID.test(requestId) && { requestId }),
    ...(typeof fields === 'object' && fields !== null && { fields: fields as Record<string, string> }),
  }
}

/** The server rejects this contributor's session: it expired, or the owner replaced the link or made the memorial private. */
export function isSessionOver(error: unknown): error is ApiError {
  return (
    error instanceof ApiError &&
    (error.code === 'invitation_needed' ||
      error.code === 'memorial_private' ||
      error.code === 'name_required')
  )
}

/** Text for the user: the server's message, the network error's, or `fallback`. */
export function errorText(error: unknown, fallback: string): string {
  if (error instanceof ApiError) return error.text ?? fallback
  if (error instanceof NetworkError) return error.message
  return fallback
}

/** Messages by form field from a refused input, else empty. */
export function errorFields(error: unknown): Record<string, string> {
  return error instanceof ApiError ? error.fields : {}
}

type Optional<Name extends string, T> = [T] extends [undefined]
  ? { [K in Name]?: never }
  : unknown extends T
    ? { [K in Name]?: never }
    : { [K in Name]: T }
export type QueryValues = Record<string, string | number | boolean | null | undefined>
export type CallInput<E> = (keyof ParamsOf<E> extends never ? { params?: never } : { params: ParamsOf<E> }) &
  Optional<'body', BodyInput<E>> & { query?: Partial<QueryInput<E>>; headers?: Record<string, string> }

/** The address of a call: `:id` segments filled in and escaped, query appended. */
export function pathOf(
  endpoint: Endpoint,
  input: { params?: unknown; query?: QueryValues | undefined } = {},
): string {
  const path = fillPath(endpoint.path, (input.params ?? {}) as Record<string, string>)
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value))
  }
  const search = query.toString()
  return search === '' ? path : `${path}?${search}`
}

/** Returns an answer that is OK; throws {@link ApiError} otherwise. */
export async function requireOk(response: Response): Promise<Response> {
  if (response.ok) return response
  throw new ApiError(response.status, await response.text(), response.statusText)
}

/** Makes one call of the contract, with cookies. Throws {@link ApiError} or {@link NetworkError}. */
export async function call<E extends Endpoint>(endpoint: E, input: CallInput<E>): Promise<OutputOf<E>> {
  const { body, headers, ...address } = input as {
    body?: unknown
    headers?: Record<string, string>
    params?: unknown
    query?: QueryValues
  }
  let response: Response
  try {
    response = await fetch(pathOf(endpoint, address), {
      method: endpoint.method,
      credentials: 'include',
      headers: {
        Accept: 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  } catch (error) {
    recordAnswer('nobody')
    throw new NetworkError(error)
  }
  const isCached = response.headers.has(FROM_CACHE_HEADER)
  recordAnswer(isCached ? 'device' : 'server')
  let output: OutputOf<E>
  try {
    await requireOk(response)
    if (response.status === 204) return null as OutputOf<E>
    output = (await response.json()) as OutputOf<E>
  } catch (error) {
    if (error instanceof ApiError) throw error
    // The connection broke in the middle of the answer.
    recordAnswer('nobody')
    throw new NetworkError(error)
  }
  if (isCached && typeof output === 'object' && output !== null) cachedAnswers.add(output)
  return output
}

const cachedAnswers = new WeakSet<object>()

/** True for an answer that came from a cache on this device: it says what was true then. */
export function isCachedAnswer(answer: object): boolean {
  return cachedAnswers.has(answer)
}

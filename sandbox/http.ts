import type { IncomingMessage, ServerResponse } from 'node:http'

/** A complete request, with path and query separated. */
export type Incoming = {
  method: string
  path: string
  query: URLSearchParams
  headers: Record<string, string>
  body: string
}

/** A response. An object body is sent as JSON, a string or bytes unchanged (with the content type in `headers`). */
export type Reply = { status: number; headers?: Record<string, string>; body: string | Uint8Array | object }

/** Above the largest message that MailChannels accepts (30 MB with attachments). */
const BODY_MAX_BYTES = 32 * 1024 * 1024

/** Reads the whole request. Throws if the body is larger than `BODY_MAX_BYTES`. */
export async function readIncoming(request: IncomingMessage): Promise<Incoming> {
  const url = new URL(request.url ?? '/', 'http://sandbox')
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > BODY_MAX_BYTES) throw new Error('The request body is too large')
    chunks.push(chunk)
  }
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers,
    body: Buffer.concat(chunks).toString('utf8'),
  }
}

/** Writes the response; resolves when it is sent or the connection is closed. */
export function sendReply(response: ServerResponse, reply: Reply): Promise<void> {
  const isRaw = typeof reply.body === 'string' || reply.body instanceof Uint8Array
  const headers = {
    'content-type': isRaw ? 'text/plain; charset=utf-8' : 'application/json',
    'cache-control': 'no-store',
    ...reply.headers,
  }
  return new Promise((resolve) => {
    response.once('close', resolve)
    response.once('finish', resolve)
    response.writeHead(reply.status, headers)
    response.end(isRaw ? reply.body : `${JSON.stringify(reply.body, null, 2)}\n`)
  })
}

/** A JSON response. */
export function json(body: object, status = 200): Reply {
  return { status, body }
}

/** An HTML response. */
export function html(body: string, status = 200): Reply {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body }
}

/** Redirects the browser after a form post. */
export function seeOther(location: string): Reply {
  return { status: 303, headers: { location }, body: '' }
}

/** Whether the request comes from a browser, not from a program. */
export function wantsHtml(incoming: Incoming): boolean {
  return (incoming.headers.accept ?? '').includes('text/html')
}

/** The body as a JSON object, or null if it is anything else. */
export function readJsonObject(incoming: Incoming): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(incoming.body || '{}')
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

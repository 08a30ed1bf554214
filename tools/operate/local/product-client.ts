import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

/** A user without a browser: stores cookies and calls the public API. */
export class ProductClient {
  readonly url: string
  readonly #ip: string
  readonly #cookies = new Map<string, string>()

  /** `ip` is the client's own address (RFC 5737), so that clients do not share rate limits. */
  constructor(url: string, ip = '192.0.2.1') {
    this.url = url
    this.#ip = ip
  }

  /** The value of its `Cookie` header. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, value)
  }

  async send(
    method: string,
    path: string,
    body?: BodyInit,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        Origin: this.url,
        'CF-Connecting-IP': this.#ip,
        Cookie: this.cookie,
        // On a busy machine the server may close an idle connection just as fetch reuses it ("fetch failed").
        Connection: 'close',
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const pair = cookie.split(';')[0] ?? ''
      this.setCookie(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    return response
  }

  /** Makes a JSON call. Throws an Error with the response's text if it fails. */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response =
      body === undefined
        ? await this.send(method, path)
        : await this.send(method, path, JSON.stringify(body), { 'Content-Type': 'application/json' })
    return read<T>(response, `${method} ${path}`)
  }

  /** Uploads one file as `multipart/form-data`. Throws an Error if it fails. */
  async upload<T>(
    path: string,
    file: string,
    mimeType: string,
    fields: Record<string, string> = {},
  ): Promise<T> {
    return this.uploadBlob(path, new Blob([readFileSync(file)], { type: mimeType }), basename(file), fields)
  }

  /** Like {@link upload}, for a file in memory. */
  async uploadBlob<T>(
    path: string,
    file: Blob,
    fileName: string,
    fields: Record<string, string> = {},
  ): Promise<T> {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set('file', file, fileName)
    return read<T>(await this.send('POST', path, form), `POST ${path} ${fileName}`)
  }
}

async function read<T>(response: Response, call: string): Promise<T> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${call}: ${response.status} ${text}`)
  return (text === '' ? null : JSON.parse(text)) as T
}

/** Waits for a mail to an address and returns the newest. Throws an Error after a minute. */
export async function waitForMail(sandboxUrl: string, to: string): Promise<{ text: string }> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const response = await fetch(`${sandboxUrl}/mail?to=${encodeURIComponent(to)}`, {
      headers: { Connection: 'close' },
    })
    const { messages } = (await response.json()) as { messages: { text: string }[] }
    if (messages[0]) return messages[0]
    await new Promise((done) => setTimeout(done, 200))
  }
  throw new Error(`No mail to ${to} arrived`)
}

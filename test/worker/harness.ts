/* oxlint-disable typescript/no-explicit-any -- a test compares what came back, whatever its type says */
import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import type { User } from '#shared/accounts/accounts.ts'
import type { ContributorSession } from '#shared/invites/invites.ts'
import type { Memorial, Privacy } from '#shared/memorials/memorials.ts'
import { handleApi } from '#worker/api.ts'
import { createCtx, type Ctx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { seal } from '#worker/access/sealed.ts'
import { createSession, toUser } from '#worker/access/sessions.ts'
import { authenticators } from '#worker/schema/passkeys.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import worker from '#worker/index.ts'
import { newId, randomBase32 } from '#worker/platform/random.ts'

export const ORIGIN = 'http://localhost'

/** A context like a request's, for factories and for calling jobs directly. `now` overrides the clock. */
export function testCtx(now?: () => number): Ctx {
  return createCtx({ env, waitUntil: () => {}, ...(now ? { now } : {}) })
}

/**
 * Sends a request to the Worker's fetch handler, with other bindings if a test passes some. It avoids `SELF.fetch`, which gets
 * slower with every request in a shared runtime (https://github.com/cloudflare/workers-sdk/issues/15446).
 */
export async function askWorker(
  input: string | Request,
  init?: RequestInit,
  bindings: Partial<Env> = {},
): Promise<Response> {
  const execution = createExecutionContext() as WorkerContext
  const request = await asReceived(new Request(input, init), init?.body instanceof ReadableStream)
  return worker.fetch(request, { ...env, ...bindings }, execution)
}

/** Makes one call to the API of a Worker with these bindings. Its background work is done when this returns. */
async function askApi(url: string, init: RequestInit, bindings: Env): Promise<Response> {
  const execution = createExecutionContext()
  const answer = await handleApi(new Request(url, init), bindings, execution)
  await waitOnExecutionContext(execution)
  return answer
}

/**
 * Lets clients send requests whose queues deliver nothing, until the next file starts: a working queue would drain the outbox of cache
 * purges before the test can check it, and make variants of photos that nobody looks at.
 */
export function dropQueueMessages(): void {
  const none = { send: async () => {}, sendBatch: async () => {} }
  const JOBS: Env['JOBS'] = Object.assign(Object.create(env.JOBS) as Env['JOBS'], none)
  const PICTURES: Env['PICTURES'] = Object.assign(Object.create(env.PICTURES) as Env['PICTURES'], none)
  Client.way = async (url, init) => askWorker(url, init, { JOBS, PICTURES })
}

/** The request as it would come from the network: a streamed body is a byte stream; any other has a Content-Length. */
async function asReceived(request: Request, isStreamed: boolean): Promise<Request> {
  if (request.body === null) return request
  const { method } = request
  if (isStreamed) {
    return new Request(request, { method, body: request.body.pipeThrough(new IdentityTransformStream()) })
  }
  const headers = new Headers(request.headers)
  const body = await request.arrayBuffer()
  if (!headers.has('Content-Length')) headers.set('Content-Length', String(body.byteLength))
  return new Request(request, { method, body, headers })
}
type WorkerContext = Parameters<typeof worker.fetch>[2]

type Init = { headers?: Record<string, string>; redirect?: 'manual' | 'follow' }
export type Answer<T = unknown> = { status: number; body: T; headers: Headers }

let addresses = 0

/** An IP address that no client in this runtime has had: limits count by address. */
export function newIp(): string {
  addresses += 1
  return [10, addresses >> 16, addresses >> 8, addresses].map((part) => part & 255).join('.')
}

/** A headless browser: keeps cookies, has its own IP address, sends the app's Origin with every write. */
export class Client {
  readonly cookies = new Map<string, string>()
  ip = newIp()

  async fetch(path: string, init: RequestInit & Init = {}): Promise<Response> {
    const method = init.method ?? 'GET'
    const headers = new Headers(init.headers)
    headers.set('CF-Connecting-IP', this.ip)
    if (!headers.has('Origin') && method !== 'GET' && method !== 'HEAD') headers.set('Origin', ORIGIN)
    if (this.cookies.size > 0 && !headers.has('Cookie')) {
      headers.set('Cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    }
    const response = await this.send(`${ORIGIN}${path}`, { redirect: 'manual', ...init, headers })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      const at = pair.indexOf('=')
      if (/max-age=0/iu.test(cookie)) this.cookies.delete(pair.slice(0, at))
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return response
  }

  /** How all clients reach the Worker; a test file may replace it until the next file starts. */
  static way: (url: string, init: RequestInit) => Promise<Response> = async (url, init) =>
    askWorker(url, init)

  /** Other bindings for this client's calls to the API, if a test sets some. */
  bindings: Env | null = null

  /** How this client reaches the Worker; a test may replace it. */
  send: (url: string, init: RequestInit) => Promise<Response> = async (url, init) =>
    this.bindings ? askApi(url, init, this.bindings) : Client.way(url, init)

  /** Sends this body as JSON, if there is one. */
  async request(method: string, path: string, body?: unknown, init: Init = {}): Promise<Response> {
    return this.fetch(path, {
      method,
      ...init,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...init.headers } }),
    })
  }

  async call<T = any>(method: string, path: string, body?: unknown, init: Init = {}): Promise<Answer<T>> {
    const response = await this.request(method, path, body, init)
    const text = await response.text()
    const isJson = response.headers.get('Content-Type')?.startsWith('application/json')
    return {
      status: response.status,
      body: (isJson ? JSON.parse(text) : text) as T,
      headers: response.headers,
    }
  }

  /** Posts a form as a browser without script does. `to`: where the answer leads. */
  async postForm(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
    const answer = await this.fetch(path, {
      method: 'POST',
      body: String(new URLSearchParams(fields)),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    })
    return { answer, status: answer.status, to: answer.headers.get('Location'), html: await answer.text() }
  }

  get<T = any>(path: string, init?: Init) {
    return this.call<T>('GET', path, undefined, init)
  }
  post<T = any>(path: string, body?: unknown, init?: Init) {
    return this.call<T>('POST', path, body ?? {}, init)
  }
  put<T = any>(path: string, body?: unknown, init?: Init) {
    return this.call<T>('PUT', path, body ?? {}, init)
  }
  patch<T = any>(path: string, body?: unknown, init?: Init) {
    return this.call<T>('PATCH', path, body ?? {}, init)
  }
  delete<T = any>(path: string, body?: unknown, init?: Init) {
    return this.call<T>('DELETE', path, body, init)
  }
}

export type SignedIn = Client & { user: User }

/** A confirmed account with a session, without the cost of hashing a password. */
export async function signedIn(
  options: { admin?: boolean; email?: string; firstName?: string } = {},
): Promise<SignedIn> {
  const ctx = testCtx()
  const id = newId('user')
  const at = Date.now()
  const [row] = await ctx.db
    .insert(users)
    .values({
      id,
      email: options.email ?? `${randomBase32(10)}@family.test`,
      firstName: options.firstName ?? 'Rudo',
      lastName: 'Moyo',
      passwordHash: 'none',
      role: options.admin ? 'ADMIN' : 'USER',
      emailVerifiedAt: at,
      termsAcceptedAt: at,
      createdAt: at,
      updatedAt: at,
    })
    .returning()
  const client = new Client()
  const headers = new Headers()
  // As if the admin had just used an authenticator app.
  if (options.admin) {
    const secret = await seal(ctx, 'authenticator', id, new Uint8Array(20))
    await ctx.db.insert(authenticators).values({ userId: id, secret, lastStep: 0, createdAt: at })
  }
  const proofs = options.admin ? { secondFactorAt: at } : {}
  await createSession(ctx, new Request(ORIGIN), headers, { id, sessionEpoch: 0 }, proofs)
  for (const cookie of headers.getSetCookie()) {
    const [pair = ''] = cookie.split(';')
    client.cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
  }
  return Object.assign(client, { user: toUser(row!) })
}

/** A PAID payment of this user that no memorial has used yet. Returns its id. */
export async function paidCredit(userId: string): Promise<string> {
  const id = newId('payment')
  const at = Date.now()
  await testCtx()
    .db.insert(payments)
    .values({
      id,
      userId,
      status: 'PAID',
      provider: 'stripe',
      amount: 6000,
      currency: 'usd',
      providerIntentId: `pi_${randomBase32(24)}`,
      idempotencyKey: id,
      paidAt: at,
      createdAt: at,
      updatedAt: at,
    })
  return id
}

/** A paid memorial of a new owner, with the given privacy, and the path of its calls. */
export async function memorialOf(
  options: { privacy?: Privacy; owner?: SignedIn; name?: string } = {},
): Promise<{ owner: SignedIn; memorial: Memorial; path: string }> {
  const owner = options.owner ?? (await signedIn())
  await paidCredit(owner.user.id)
  const created = await owner.post<Memorial>('/api/memorials', {
    honoureeFullName: options.name ?? 'Tendai Rudo Moyo',
  })
  if (created.status !== 201) throw new Error(`memorial not created: ${JSON.stringify(created.body)}`)
  const path = `/api/memorials/${created.body.id}`
  const { privacy = 'PRIVATE' } = options
  if (privacy === 'PRIVATE') return { owner, memorial: created.body, path }
  const changed = await owner.patch<Memorial>(`${path}/privacy`, { privacy })
  if (changed.status !== 200) throw new Error(`privacy not set: ${JSON.stringify(changed.body)}`)
  return { owner, memorial: changed.body, path }
}

export type Contributor = Client & { session: ContributorSession }

/** The invite token of a memorial, as the owner gets it. */
export async function inviteTokenOf(owner: Client, memorialId: string): Promise<string> {
  const { body } = await owner.get<{ inviteLink: string }>(`/api/memorials/${memorialId}/invite-link`)
  return body.inviteLink.split('/invite/')[1] ?? ''
}

/** A contributor who opened the invitation and gave a name. */
export async function contributorOf(
  owner: Client,
  memorialId: string,
  displayName = 'Farai Chikomo',
): Promise<Contributor> {
  return joinedBy(await inviteTokenOf(owner, memorialId), displayName)
}

/** A contributor who opened the invitation with this token and gave a name, if given from this IP address. */
export async function joinedBy(token: string, displayName: string, ip?: string): Promise<Contributor> {
  const client = new Client()
  if (ip !== undefined) client.ip = ip
  const { status, body } = await client.post<ContributorSession>(`/api/invite/${token}/session`, {
    displayName,
    email: '',
  })
  if (status !== 201) throw new Error(`no contributor session: ${JSON.stringify(body)}`)
  return Object.assign(client, { session: body })
}

/** Makes the memorial public and open for messages that the owner reads first, and leaves one as a new visitor. */
export async function visitorOf(
  owner: Client,
  { id, slug }: { id: string; slug: string },
  body = 'Go well',
): Promise<Client> {
  const path = `/api/memorials/${id}`
  await owner.patch(path, { visitorMessages: 'APPROVED' })
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  const visitor = new Client()
  const { status } = await visitor.post(`/api/memorial/${slug}/visitor-messages`, { name: 'Farai', body })
  if (status !== 201) throw new Error(`no message of a visitor: ${status}`)
  return visitor
}

/** A memorial for invited people, and a contributor who came by its invitation. */
export async function invited() {
  const made = await memorialOf({ privacy: 'INVITE' })
  return { ...made, relative: await contributorOf(made.owner, made.memorial.id) }
}

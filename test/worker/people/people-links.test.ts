import { createExecutionContext, env } from 'cloudflare:test'
import { count, eq } from 'drizzle-orm'
import { expect, test, vi } from 'vitest'
import { handleApi } from '#worker/api.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { takeErrorLines } from '../error-lines.ts'
import { failingEnv } from '../faults/failing-env.ts'
import {
  Client,
  contributorOf,
  inviteTokenOf,
  memorialOf,
  ORIGIN,
  testCtx,
  type Contributor,
} from '../harness.ts'
import { silence } from '../uploads.ts'

const NAME = 'Chipo Zvakanaka Mutasa'

/** A memorial of a new owner, with an invitation and a comment in it. */
async function family(privacy: 'INVITE' | 'PRIVATE' = 'INVITE') {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE', name: NAME })
  const token = await inviteTokenOf(owner, memorial.id)
  const path = `/api/memorials/${memorial.id}`
  const { comment } = (await owner.post(`${path}/comments`, { body: 'Welcome' })).body
  if (privacy === 'PRIVATE') await owner.patch(`${path}/privacy`, { privacy })
  return { owner, memorial, token, path, commentId: comment.id as string }
}

test('an unknown invite link and a revoked one get identical answers', async () => {
  const { owner, path, token } = await family()
  await owner.post(`${path}/invite-link/rotate`)
  const anyone = new Client()
  const answers = []
  for (const each of [
    token,
    crypto.randomUUID(),
    token.toUpperCase(),
    'x',
    "' or 1=1 --",
    'a'.repeat(3000),
  ]) {
    const at = `/api/invite/${encodeURIComponent(each)}`
    const card = await anyone.get(at)
    const session = await anyone.post(`${at}/session`, { displayName: 'Farai', email: '' })
    for (const { status, body, headers } of [card, session]) {
      answers.push(JSON.stringify([status, body, [...headers].filter(([name]) => name !== 'content-length')]))
    }
  }
  expect(answers).toHaveLength(12)
  expect([...new Set(answers)]).toHaveLength(1)
  expect(answers[0]).toContain('This invitation link is no longer valid')
})

test('trying many links is blocked, even for a valid one, while others still get in', async () => {
  const { token, path } = await family()
  const attacker = new Client()
  const seen: number[] = []
  // A minute may end during the test: twice the limit plus one suffices in any case.
  while (seen.at(-1) !== 429 && seen.length < 121) {
    seen.push((await attacker.get(`/api/invite/${crypto.randomUUID()}`)).status)
  }
  expect(seen.at(-1)).toBe(429)
  expect(new Set(seen.slice(0, -1))).toEqual(new Set([404]))
  const right = await attacker.get(`/api/invite/${token}`)
  expect([right.status, right.body.code, right.headers.get('Retry-After')]).toEqual([
    429,
    'too_many_requests',
    '60',
  ])
  expect((await attacker.get(`${path}?invite=${crypto.randomUUID()}`)).status).toBe(429)
  expect((await new Client().get(`/api/invite/${token}`)).status).toBe(200)
})

test('wrong invite tokens sent to a memorial are rate-limited, valid ones are not', async () => {
  const { token, path } = await family()
  const relative = new Client()
  const right = await Promise.all(Array.from({ length: 70 }, () => relative.get(`${path}?invite=${token}`)))
  expect(new Set(right.map(({ status }) => status))).toEqual(new Set([200]))
  const seen: number[] = []
  while (seen.at(-1) !== 429 && seen.length < 121) {
    seen.push((await relative.get(`${path}?invite=${crypto.randomUUID()}`)).status)
  }
  expect(seen.at(-1)).toBe(429)
  expect(seen[0]).toBe(403)
  expect((await relative.get(`${path}?invite=${token}`)).status).toBe(200)
})

/** KV as a distant edge sees it: reads and writes are cached forever, and deleted values remain. */
function staleKv(): KVNamespace {
  const seen = new Map<string, Promise<string | null>>()
  return new Proxy(env.KV, {
    get(kv, name) {
      if (name === 'get') {
        return async (key: string, type?: string) => {
          if (!seen.has(key)) seen.set(key, kv.get(key))
          const text = (await seen.get(key)) ?? null
          return type === 'json' && text !== null ? JSON.parse(text) : text
        }
      }
      if (name === 'delete') return async () => {}
      const value: unknown = Reflect.get(kv, name)
      return typeof value === 'function' ? value.bind(kv) : value
    },
  })
}

async function callAt(kv: KVNamespace, client: Contributor, method: string, path: string, body?: BodyInit) {
  const request = new Request(`${ORIGIN}${path}`, {
    method,
    headers: {
      Origin: ORIGIN,
      Cookie: [...client.cookies].map((pair) => pair.join('=')).join('; '),
      ...(typeof body === 'string' ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(body === undefined ? {} : { body }),
  })
  const answer = await handleApi(request, { ...env, KV: kv }, createExecutionContext())
  await answer.arrayBuffer()
  return answer.status
}

async function everythingOf(kv: KVNamespace, relative: Contributor, path: string, commentId: string) {
  const form = new FormData()
  form.append('type', 'AUDIO')
  form.append('file', new File([silence(9000)], 'voice.wav'))
  return {
    view: await callAt(kv, relative, 'GET', path),
    session: await callAt(kv, relative, 'GET', `${path}/contributor-session`),
    media: await callAt(kv, relative, 'GET', `${path}/media`),
    comment: await callAt(kv, relative, 'POST', `${path}/comments`, JSON.stringify({ body: 'Rest well' })),
    like: await callAt(kv, relative, 'POST', `/api/comments/${commentId}/like`, '{}'),
    unlike: await callAt(kv, relative, 'DELETE', `/api/comments/${commentId}/like`),
    upload: await callAt(kv, relative, 'POST', `${path}/media/upload`, form),
  }
}

test(
  'a new link ends all sessions of the old one at once, even with KV a minute stale',
  { tags: ['revoked-link-ends-sessions'] },
  async () => {
    const { owner, memorial, path, commentId } = await family()
    const relative = await contributorOf(owner, memorial.id)
    const kv = staleKv()
    const before = await everythingOf(kv, relative, path, commentId)
    const all = Object.keys(before)
    expect(Object.values(before)).toEqual([200, 200, 200, 201, 200, 200, 201])
    await owner.post(`${path}/invite-link/rotate`)
    expect(await everythingOf(kv, relative, path, commentId)).toEqual(
      Object.fromEntries(all.map((name) => [name, 403])),
    )
  },
)

test('signing out ends the browser’s contributor sessions, even with KV a minute stale', async () => {
  const { owner, memorial, path } = await family()
  const elsewhere = await family()
  const relative = await contributorOf(owner, memorial.id)
  await relative.post(`/api/invite/${elsewhere.token}/session`, { displayName: 'Farai', email: '' })
  const another = await contributorOf(owner, memorial.id, 'Another')
  const copied = Object.assign(new Client(), { session: relative.session })
  for (const [name, value] of relative.cookies) copied.cookies.set(name, value)
  expect(copied.cookies.size).toBe(2)
  const kv = staleKv()
  const pages = [path, elsewhere.path]
  const statuses = async (kvNow: KVNamespace) =>
    Promise.all(pages.map(async (page) => callAt(kvNow, copied, 'GET', page)))
  expect(await statuses(kv)).toEqual([200, 200])
  expect((await relative.post('/api/auth/logout')).status).toBe(200)
  expect([...relative.cookies.keys()]).toEqual([])
  expect(await statuses(kv)).toEqual([403, 403])
  expect(await statuses(env.KV)).toEqual([403, 403])
  expect((await another.get(path)).status).toBe(200)
})

test('no log line holds a token, whatever fails', async () => {
  const { owner, memorial, token, path } = await family()
  const relative = await contributorOf(owner, memorial.id)
  const lines: string[] = []
  for (const level of ['info', 'warn', 'log'] as const) {
    vi.spyOn(console, level).mockImplementation((...line) => void lines.push(line.map(String).join(' ')))
  }
  const { authToken } = relative.session
  const calls = [
    ['GET', `/api/invite/${token}`],
    ['POST', `/api/invite/${token}/session`, JSON.stringify({ displayName: 'Farai', email: '' })],
    ['GET', `${path}?invite=${token}`],
    ['POST', `${path}/comments`, JSON.stringify({ body: 'Rest well', contributorToken: authToken })],
  ] as const
  let failed = 0
  for (const [method, at, body] of calls) {
    for (let failAt = 1; failAt <= 4; failAt++) {
      const broken = failingEnv(failAt)
      const request = new Request(`${ORIGIN}${at}`, {
        method,
        headers: { 'Content-Type': 'application/json', 'X-Contributor-Token': authToken },
        ...(body === undefined ? {} : { body }),
      })
      const answer = await handleApi(request, broken.env, createExecutionContext())
      const text = await answer.text()
      if (answer.status === 500) failed += 1
      // A session's own answer gives the token to its holder; no failed answer does.
      lines.push(answer.ok ? '' : text)
    }
  }
  const errors = takeErrorLines()
  expect(failed).toBeGreaterThan(6)
  expect(errors.length).toBeGreaterThanOrEqual(failed)
  for (const line of [...lines, ...errors]) {
    expect(line).not.toContain(token)
    expect(line).not.toContain(authToken)
  }
})

const PREVIEWERS = [
  'WhatsApp/2.24.1 A',
  'facebookexternalhit/1.1',
  'TelegramBot (like TwitterBot)',
  'Mozilla/5.0 (Linux; Android 13)',
]

test('invite pages and pages that are not public show nothing to a link preview', async () => {
  for (const privacy of ['INVITE', 'PRIVATE'] as const) {
    const { memorial, token } = await family(privacy)
    const anyone = new Client()
    const pages = [
      `/invite/${token}`,
      `/memorial/${memorial.id}`,
      `/memorial/${memorial.id}?invite=${token}`,
      `/m/${memorial.slug}`,
    ]
    for (const page of pages) {
      for (const agent of PREVIEWERS) {
        const answer = await anyone.fetch(page, { headers: { 'User-Agent': agent } })
        const html = await answer.text()
        expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []])
        expect(answer.headers.get('X-Robots-Tag')).toBe('noindex')
        for (const secret of [NAME, 'Chipo', memorial.slug, token, memorial.id]) {
          expect(html + JSON.stringify([...answer.headers])).not.toContain(secret)
        }
        const contents = [...html.matchAll(/<meta property="og:(?:title|type)" content="([^"]*)"/gu)]
        expect(contents.map(([, content]) => content)).toEqual(['website', 'Keeping Legacies Alive'])
      }
    }
  }
})

test('viewing an invitation creates no session and no contributor, and counts nobody', async () => {
  const { memorial, token } = await family()
  const anyone = new Client()
  const { db } = testCtx()
  const rows = async () =>
    db.select({ n: count() }).from(contributors).where(eq(contributors.memorialId, memorial.id))
  const before = await db.select().from(inviteTokens).where(eq(inviteTokens.token, token))
  for (const at of [`/invite/${token}`, `/api/invite/${token}`]) {
    for (const method of ['GET', 'HEAD']) {
      const answer = await anyone.fetch(at, { method })
      await answer.arrayBuffer()
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []])
    }
  }
  expect(await rows()).toEqual([{ n: 0 }])
  expect(await db.select().from(inviteTokens).where(eq(inviteTokens.token, token))).toEqual(before)
})

test('an address with a token is never sent as a Referer', async () => {
  const { memorial, token, path } = await family()
  const anyone = new Client()
  for (const address of [
    `/invite/${token}`,
    `/invite/${token}/`,
    `/memorial/${memorial.id}`,
    `/memorial/${memorial.id}?invite=${token}`,
    `/m/${memorial.slug}?invite=${token}`,
    `/verify-email/${token}`,
    `/reset-password/${token}`,
    `/api/invite/${token}`,
    `${path}?invite=${token}`,
    `/media/stream/med_none?invite=${token}`,
  ]) {
    const answer = await anyone.fetch(address)
    await answer.arrayBuffer()
    expect([address, answer.headers.get('Referrer-Policy')]).toEqual([address, 'no-referrer'])
  }
})

import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { Client, contributorOf, inviteTokenOf, memorialOf, type Contributor } from '../harness.ts'
import { rowsOf } from '../rows.ts'
import { SOUND, upload } from '../uploads.ts'
import { inOneMinute, inTurn } from '../repeat.ts'

const NAME = 'Chipo Zvakanaka Mutasa'

/** A memorial of a new owner, with an invitation and a comment in it. */
async function family(privacy: 'INVITE' | 'PRIVATE' = 'INVITE') {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE', name: NAME })
  const token = await inviteTokenOf(owner, memorial.id)
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

test('trying many links is blocked; who has the right one gets in, even from there', async () => {
  const { token, path } = await family()
  const { seen, right, named, guessed, shown } = await inOneMinute(async () => {
    const [attacker, neighbour] = [new Client(), new Client()]
    neighbour.ip = attacker.ip
    const guess = () => attacker.get(`/api/invite/${crypto.randomUUID()}`)
    return {
      seen: await inTurn(61, async () => (await guess()).status),
      right: await attacker.get(`/api/invite/${token}`),
      named: await neighbour.post(`/api/invite/${token}/session`, { displayName: 'Farai', email: '' }),
      guessed: await attacker.post(`/api/invite/${crypto.randomUUID()}/session`, { displayName: 'Farai' }),
      shown: await attacker.get(`${path}?invite=${crypto.randomUUID()}`),
    }
  })
  expect(seen).toEqual([...Array(60).fill(404), 429])
  expect([guessed.status, guessed.body.code, guessed.headers.get('Retry-After')]).toEqual([
    429,
    'too_many_requests',
    '60',
  ])
  expect([right.status, named.status, shown.status]).toEqual([200, 201, 429])
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

/** The statuses of a contributor's calls. */
async function everythingOf(relative: Contributor, path: string, commentId: string) {
  const answers = {
    view: await relative.get(path),
    session: await relative.get(`${path}/contributor-session`),
    media: await relative.get(`${path}/media`),
    comment: await relative.post(`${path}/comments`, { body: 'Rest well' }),
    like: await relative.post(`/api/comments/${commentId}/like`),
    unlike: await relative.delete(`/api/comments/${commentId}/like`),
    upload: await upload(relative, path.split('/').at(-1) ?? '', SOUND),
  }
  return Object.fromEntries(Object.entries(answers).map(([name, { status }]) => [name, status]))
}

test(
  'a new link ends all sessions of the old one at once, even with KV a minute stale',
  { tags: ['revoked-link-ends-sessions'] },
  async () => {
    const { owner, memorial, path, commentId } = await family()
    const relative = await contributorOf(owner, memorial.id)
    relative.bindings = { ...env, KV: staleKv() }
    const before = await everythingOf(relative, path, commentId)
    const all = Object.keys(before)
    expect(Object.values(before)).toEqual([200, 200, 200, 201, 200, 200, 201])
    await owner.post(`${path}/invite-link/rotate`)
    expect(await everythingOf(relative, path, commentId)).toEqual(
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
  const copied = new Client()
  for (const [name, value] of relative.cookies) copied.cookies.set(name, value)
  expect(copied.cookies.size).toBe(2)
  const pages = [path, elsewhere.path]
  const statuses = async () => Promise.all(pages.map(async (page) => (await copied.get(page)).status))
  copied.bindings = { ...env, KV: staleKv() }
  expect(await statuses()).toEqual([200, 200])
  expect((await relative.post('/api/auth/logout')).status).toBe(200)
  expect([...relative.cookies.keys()]).toEqual([])
  expect(await statuses()).toEqual([403, 403])
  copied.bindings = env
  expect(await statuses()).toEqual([403, 403])
  expect((await another.get(path)).status).toBe(200)
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
        // A preview shows the head. An invitation that works opens the memorial below it.
        const isOpen = privacy === 'INVITE' && page.includes(token)
        const all = isOpen ? html.slice(0, html.indexOf('</head>')) : html
        // Its family takes requests at an address below the page's own.
        const previewed = page.endsWith(memorial.id) ? all.replace(`${page}/ask`, '') : all
        for (const secret of [NAME, 'Chipo', memorial.slug, token, memorial.id]) {
          expect(previewed + JSON.stringify([...answer.headers])).not.toContain(secret)
        }
        const contents = [...html.matchAll(/<meta property="og:(?:title|type)" content="([^"]*)"/gu)]
        const title = page.includes('invite') ? 'An invitation from the family' : 'Keeping Legacies Alive'
        expect(contents.map(([, content]) => content)).toEqual(['website', title])
      }
    }
  }
})

test('viewing an invitation creates no session and no contributor, and counts nobody', async () => {
  const { memorial, token } = await family()
  const anyone = new Client()
  const before = await rowsOf(inviteTokens, { token })
  for (const at of [`/invite/${token}`, `/api/invite/${token}`]) {
    for (const method of ['GET', 'HEAD']) {
      const answer = await anyone.fetch(at, { method })
      await answer.arrayBuffer()
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []])
    }
  }
  expect(await rowsOf(contributors, { memorialId: memorial.id })).toEqual([])
  expect(await rowsOf(inviteTokens, { token })).toEqual(before)
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
    `/confirm-email/${token}`,
    `/undo-email/${token}`,
    `/keep/${token}`,
    `/api/keeper-invites/${token}`,
    `/api/invite/${token}`,
    `${path}?invite=${token}`,
    `/media/stream/med_none?invite=${token}`,
  ]) {
    const answer = await anyone.fetch(address)
    await answer.arrayBuffer()
    expect([address, answer.headers.get('Referrer-Policy')]).toEqual([address, 'no-referrer'])
  }
  const open = await anyone.fetch(`/m/${memorial.slug}`)
  await open.arrayBuffer()
  expect(open.headers.get('Referrer-Policy')).toBe('strict-origin-when-cross-origin')
})

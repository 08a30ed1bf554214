import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { SEARCH_MATCHES_MAX } from '#shared/limits.ts'
import { Client, contributorOf, inviteTokenOf, memorialOf, signedIn } from '../harness.ts'
import { gatheringOf, replied } from '../replies.ts'
import { findScans, recordEveryCall } from './query-plans.ts'

const { recorded } = recordEveryCall()

const MORE = [
  `users (id, email, first_name, last_name, password_hash, terms_accepted_at, created_at, updated_at, email_verified_at)
   SELECT 'usr_n' || i, i || '@many.test', 'Rudo', 'Moyo', 'none', i, i, i, i FROM n`,
  `memorials (id, owner_id, slug, honouree_full_name, status, privacy, locked_at, created_at, updated_at)
   SELECT 'mem_n' || i, 'usr_n' || i, 'tendai-' || i, 'Tendai Moyo', 'ACTIVE', 'LOCKED', i, i, i FROM n`,
  `payments (id, user_id, memorial_id, status, provider, amount, currency, provider_intent_id, idempotency_key, paid_at,
     created_at, updated_at)
   SELECT 'pay_n' || i, 'usr_n' || i, 'mem_n' || i, 'PAID', 'stripe', 6000, 'usd', 'pi_n' || i, 'n' || i, i, i, i FROM n`,
  `media (id, memorial_id, type, mime_type, size, original_file_name, object_key, created_at)
   SELECT 'med_n' || i, 'mem_n' || i, 'IMAGE', 'image/jpeg', 5, 'x', 'm/' || i, i FROM n`,
  `comments (id, memorial_id, body, author_user_id, created_at)
   SELECT 'com_n' || i, 'mem_n' || i, 'Rest well', 'usr_n' || i, i FROM n`,
  `funeral_events (id, memorial_id, position, date_time, time_zone, created_at, updated_at)
   SELECT 'fun_n' || i, 'mem_n' || i, 1, i, 'Africa/Harare', i, i FROM n`,
  `audit_log (id, action, target_kind, target_id, created_at) SELECT 'aud_n' || i, 'purge', 'memorial', 'x', i FROM n`,
  `mails (id, kind, recipient, subject_id, status, created_at)
   SELECT 'mail_n' || i, 'receipt', 'a@many.test', 'pay_n' || i, 'DEAD', i FROM n`,
  `contact_messages (id, email, subject, message, created_at)
   SELECT 'msg_n' || i, 'a@many.test', 'Hello', 'Hello', i FROM n`,
]

/** Adds this many memorials, each with an owner, a payment, a photo, a comment and a service. */
async function addMemorials(from: number, count: number): Promise<void> {
  await env.DB.batch(
    MORE.map((rows) =>
      env.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${from + count - 1})
         INSERT INTO ${rows}`,
      ),
    ),
  )
}

/** Rows that D1 reads for one call, and its number of round trips. */
async function costOf(client: Client, method: string, path: string, body?: unknown) {
  const [rows, trips] = [recorded.rowsRead(), recorded.trips.length]
  const response = await client.request(method, path, body)
  await response.arrayBuffer()
  expect([path, response.ok]).toEqual([path, true])
  return { rows: recorded.rowsRead() - rows, trips: recorded.trips.length - trips }
}

test('pages and calls without counts read the same rows for 1,000 memorials as for few', async () => {
  // Enough to fill each first page of the console.
  await addMemorials(1, 60)
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const open = await memorialOf({ privacy: 'LOCKED', name: 'Sekuru Gwenzi' })
  const relative = await contributorOf(owner, memorial.id)
  const quiet = await memorialOf({ privacy: 'INVITE', name: 'Ambuya Dube' })
  const visitor = await contributorOf(quiet.owner, quiet.memorial.id)
  const admin = await signedIn({ admin: true })
  const anyone = await signedIn()
  const post = { body: 'Rest well' }
  const calls: [string, Client, string, string, unknown?][] = [
    ['public page', anyone, 'GET', `/m/${open.memorial.slug}`],
    ['its JSON', anyone, 'GET', `/api/memorial/${open.memorial.slug}`],
    ['its media', anyone, 'GET', `/api/memorials/${open.memorial.id}/media`],
    ['its messages', anyone, 'GET', `/api/memorials/${open.memorial.id}/comments`],
    ['invited page', new Client(), 'GET', `/invite/${await inviteTokenOf(quiet.owner, quiet.memorial.id)}`],
    ['page of a relative', visitor, 'GET', `/memorial/${quiet.memorial.id}`],
    ['page of its owner', quiet.owner, 'GET', `/memorial/${quiet.memorial.id}`],
    ['dashboard', open.owner, 'GET', '/api/dashboard'],
    ['a message', relative, 'POST', `/api/memorials/${memorial.id}/comments`, post],
    ...['messages', 'mails', 'audit', 'activity'].map((list): [string, Client, string, string] => [
      `console: ${list}`,
      admin,
      'GET',
      `/api/admin/${list}`,
    ]),
  ]
  const measure = async () => {
    const costs: Record<string, number> = {}
    for (const [name, client, method, path, body] of calls) {
      costs[name] = (await costOf(client, method, path, body)).rows
    }
    return costs
  }
  // The first run reads more: its comment is the first of its memorial.
  await measure()
  const few = await measure()
  await addMemorials(1001, 1000)
  expect(Object.values(few).every((rows) => rows > 0)).toBe(true)
  expect(await measure()).toEqual(few)
})

test('500 replies cost the public page nothing, and it says nothing of them', async () => {
  const { memorial, event, replies } = await gatheringOf()
  await replied(replies, { name: 'Zvita Chokwadi' })
  const address = `/m/${memorial.slug}`
  const read = async () => (await new Client().request('GET', address)).text()
  const measure = async () => [await read(), await costOf(new Client(), 'GET', address)]
  const before = await measure()
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 499)
     INSERT INTO replies (id, event_id, answer, people, name, device_hash, knows, created_at, updated_at)
     SELECT 'rpl_n' || i, ?, 'COMING', 2, 'Zvita Chokwadi', 'd' || i, '{}', i, i FROM n`,
  )
    .bind(event.id)
    .run()
  expect(await measure()).toEqual(before)
  expect(before[0]).toContain('Are you coming?')
  expect(before[0]).not.toContain('Zvita Chokwadi')
})

test('console counts and searches read each index they need once and no other row', async () => {
  const admin = await signedIn({ admin: true })
  // The indexes that each call reads completely.
  const indexes = {
    memorials: ['memorials'],
    payments: ['payments'],
    stats: ['memorials'],
    // The number of tokens stays the same.
    tokens: [],
    // Each memorial added here has a mail that failed permanently.
    system: ['memorial_storage', 'mails'],
    'memorials?search=nobody': ['memorials', 'users'],
    'payments?search=nobody': ['payments', 'memorials', 'users'],
    'payments?search=refund': ['payments', 'memorials', 'users'],
  }
  const measure = async () => {
    const costs: Record<string, number> = {}
    for (const path of Object.keys(indexes))
      costs[path] = (await costOf(admin, 'GET', `/api/admin/${path}`)).rows
    return costs
  }
  await addMemorials(2001, 60)
  const few = await measure()
  await addMemorials(3001, 1000)
  const many = await measure()
  const more = Object.keys(indexes).map((path) => [path, (many[path] ?? 0) - (few[path] ?? 0)])
  const expected = Object.entries(indexes).map(([path, read]) => [path, read.length * 1000])
  expect(more).toEqual(expected)
  expect(await findScans(recorded)).toEqual([])
})

test('a search with very many hits shows the newest and says that there are more', async () => {
  const admin = await signedIn({ admin: true })
  await addMemorials(4001, SEARCH_MATCHES_MAX + 1)
  for (const list of ['memorials', 'payments']) {
    const { body } = await admin.get(`/api/admin/${list}?search=many.test&page=2`)
    const ids = body[list].map(({ id }: { id: string }) => id.slice(4))
    expect([list, ids, body.total, body.hasMore]).toEqual([
      list,
      Array.from({ length: 20 }, (_, index) => `n${SEARCH_MATCHES_MAX + 3981 - index}`),
      SEARCH_MATCHES_MAX,
      true,
    ])
  }
  expect(await findScans(recorded)).toEqual([])
})

test('a rename and a removal read the same rows for 1,000 memorials as for few', async () => {
  const costOfChange = async (one: number) => {
    const results = await env.DB.batch(
      [
        `UPDATE memorials SET honouree_full_name = 'Chipo Dube' WHERE id = 'mem_n${one}'`,
        `UPDATE users SET first_name = 'Rita', email = 'r${one}@many.test' WHERE id = 'usr_n${one}'`,
        `DELETE FROM payments WHERE id = 'pay_n${one}'`,
      ].map((change) => env.DB.prepare(change)),
    )
    return results.map(({ meta }) => [meta.rows_read, meta.rows_written])
  }
  await addMemorials(6001, 10)
  const few = await costOfChange(6001)
  await addMemorials(7001, 1000)
  expect(await costOfChange(6002)).toEqual(few)
  expect(few.flat().every((rows) => rows > 0 && rows < 20)).toBe(true)
})

test('an uncached public page takes one database round trip, its JSON at most three', async () => {
  const { memorial } = await memorialOf({ privacy: 'LOCKED' })
  const stranger = await signedIn()
  stranger.cookies.clear()
  const tripsOf = async (path: string) => (await costOf(stranger, 'GET', path)).trips
  const page = `/m/${memorial.slug}`
  const first = await tripsOf(page)
  const second = await tripsOf(page)
  const next = await tripsOf(`${page}?photos=1.med_a&messages=1.com_a&photo=med_a`)
  expect([first, second, next]).toEqual([1, 1, 1])
  const json = await tripsOf(`/api/memorial/${memorial.slug}`)
  expect(json).toBeGreaterThan(0)
  expect(json).toBeLessThanOrEqual(3)
})

test('a personal page takes one database round trip, two if a session must be found', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const relative = await contributorOf(owner, memorial.id)
  const page = `/memorial/${memorial.id}`
  const link = `/invite/${await inviteTokenOf(owner, memorial.id)}`
  for (const [client, path, wanted] of [
    [new Client(), link, 1],
    [new Client(), `${page}?invite=${link.slice('/invite/'.length)}`, 1],
    [relative, page, 1],
    [relative, link, 2],
    [owner, page, 2],
  ] as const) {
    const { trips } = await costOf(client, 'GET', path)
    expect([path, trips]).toEqual([path, wanted])
  }
})

test('a refused visit reads none of the memorial’s content', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
     INSERT INTO media (id, memorial_id, type, mime_type, size, original_file_name, object_key, created_at)
     SELECT 'med_refused' || i, '${memorial.id}', 'IMAGE', 'image/jpeg', 5, 'x', 'refused/' || i, i FROM n`,
  ).run()
  const relative = await contributorOf(owner, memorial.id)
  const page = `/memorial/${memorial.id}`
  const token = await inviteTokenOf(owner, memorial.id)
  const rowsOf = async (client: Client, address: string) => (await costOf(client, 'GET', address)).rows
  expect(await rowsOf(relative, page)).toBeGreaterThan(200)
  expect(await rowsOf(new Client(), `${page}?invite=${token}`)).toBeGreaterThan(200)
  for (const address of [page, `${page}?invite=${crypto.randomUUID()}`])
    expect(await rowsOf(new Client(), address)).toBeLessThan(40)
  await owner.post(`${path}/invite-link/rotate`)
  for (const address of [page, `${page}?invite=${token}`, `/invite/${token}`])
    expect(await rowsOf(relative, address)).toBeLessThan(40)
})

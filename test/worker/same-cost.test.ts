import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { contributorOf, memorialOf, signedIn, type Client } from './harness.ts'
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

/** So many memorials more, each with an owner, a payment, a photo, a message and a service. */
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

/** Rows that D1 reads for one call, and how often it is asked. */
async function costOf(client: Client, method: string, path: string, body?: unknown) {
  const [rows, trips] = [recorded.rowsRead(), recorded.trips.length]
  const response = await client.fetch(path, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  })
  await response.arrayBuffer()
  expect([path, response.ok]).toEqual([path, true])
  return { rows: recorded.rowsRead() - rows, trips: recorded.trips.length - trips }
}

test(
  'a page and a call read as many rows of a thousand memorials as of a few',
  { timeout: 90_000 },
  async () => {
    // As many as fill each first page of the console.
    await addMemorials(1, 60)
    const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
    const open = await memorialOf({ privacy: 'LOCKED', name: 'Sekuru Gwenzi' })
    const payment: string = (await open.owner.get('/api/user/payments')).body.payments[0].id
    const relative = await contributorOf(owner, memorial.id)
    const admin = await signedIn({ admin: true })
    const anyone = await signedIn()
    const post = { body: 'Rest well' }
    const calls: [string, Client, string, string, unknown?][] = [
      ['public page', anyone, 'GET', `/m/${open.memorial.slug}`],
      ['its JSON', anyone, 'GET', `/api/memorial/${open.memorial.slug}`],
      ['its media', anyone, 'GET', `/api/memorials/${open.memorial.id}/media`],
      ['its messages', anyone, 'GET', `/api/memorials/${open.memorial.id}/comments`],
      ['dashboard', open.owner, 'GET', '/api/dashboard'],
      ['a message', relative, 'POST', `/api/memorials/${memorial.id}/comments`, post],
      ...['memorials', 'payments', 'messages', 'mails', 'audit', 'activity', 'tokens', 'stats'].map(
        (list): [string, Client, string, string] => [`console: ${list}`, admin, 'GET', `/api/admin/${list}`],
      ),
      ...[
        `memorials?search=${open.memorial.slug}`,
        'memorials?search=kuru%20gw',
        `memorials?search=${open.owner.user.email.slice(2)}`,
        'memorials?search=nobody',
        `payments?search=${payment.slice(4)}`,
        'payments?search=kuru%20gw',
        `payments?search=${open.owner.user.email}`,
        'payments?search=refund',
      ].map((search): [string, Client, string, string] => [search, admin, 'GET', `/api/admin/${search}`]),
    ]
    const measure = async () => {
      const costs: Record<string, number> = {}
      for (const [name, client, method, path, body] of calls) {
        costs[name] = (await costOf(client, method, path, body)).rows
      }
      return costs
    }
    // The first of each looks at more: a message is the first of its memorial.
    await measure()
    const few = await measure()
    await addMemorials(1001, 1000)
    expect(Object.values(few).every((rows) => rows > 0)).toBe(true)
    expect(await measure()).toEqual(few)
  },
)

test(
  'a search that finds a great many reads no more of two thousand memorials than of one, and shows the newest first',
  { timeout: 90_000 },
  async () => {
    const admin = await signedIn({ admin: true })
    const lists = ['memorials', 'payments'] as const
    const searches = lists.flatMap((list) =>
      ['moyo', 'o', 'many.test'].map((search) => `/api/admin/${list}?search=${search}`),
    )
    const measure = async () => {
      const costs = []
      for (const path of searches) costs.push((await costOf(admin, 'GET', path)).rows)
      return costs
    }
    await addMemorials(2001, 1000)
    const thousand = await measure()
    await addMemorials(3001, 1000)
    expect(await measure()).toEqual(thousand)
    expect(Math.max(...thousand)).toBeLessThan(4000)
    for (const list of lists) {
      const { body } = await admin.get(`/api/admin/${list}?search=many.test`)
      const ids = body[list].map(({ id }: { id: string }) => id.slice(4))
      expect([list, ids, body.hasMore]).toEqual([
        list,
        Array.from({ length: 20 }, (_, index) => `n${4000 - index}`),
        true,
      ])
      expect(body.total).toBeGreaterThan(200)
    }
    expect(await findScans(recorded)).toEqual([])
  },
)

test('what is renamed or removed costs as many rows, however much the search knows', async () => {
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
  await addMemorials(5001, 10)
  const few = await costOfChange(5001)
  await addMemorials(6001, 1000)
  expect(await costOfChange(5002)).toEqual(few)
  expect(few.flat().every((rows) => rows > 0 && rows < 400)).toBe(true)
})

test('a public page that no cache has takes one round trip to the database, further down two, and its JSON three at most', async () => {
  const { memorial } = await memorialOf({ privacy: 'LOCKED' })
  const stranger = await signedIn()
  stranger.cookies.clear()
  const tripsOf = async (path: string) => (await costOf(stranger, 'GET', path)).trips
  const page = `/m/${memorial.slug}`
  const drawnAnew = await tripsOf(page)
  const askedAgain = await tripsOf(page)
  const next = await tripsOf(`${page}?photos=1.med_a&messages=1.com_a&photo=med_a`)
  expect([drawnAnew, askedAgain, next]).toEqual([1, 1, 2])
  const json = await tripsOf(`/api/memorial/${memorial.slug}`)
  expect(json).toBeGreaterThan(0)
  expect(json).toBeLessThanOrEqual(3)
})

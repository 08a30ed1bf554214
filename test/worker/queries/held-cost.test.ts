import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import type { HeldItems } from '#shared/removal/held.ts'
import { Client, memorialOf, visitorOf } from '../harness.ts'
import { recordEveryCall } from './query-plans.ts'

const { recorded } = recordEveryCall()

/** Rows that D1 reads for one call. */
async function rowsFor(client: Client, path: string): Promise<[string, number]> {
  const before = recorded.rowsRead()
  const response = await client.request('GET', path)
  await response.arrayBuffer()
  expect([path, response.ok]).toEqual([path, true])
  return [path, recorded.rowsRead() - before]
}

test('pages and lists read the same rows with 1,000 messages of a flood as without', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  await visitorOf(owner, memorial)
  const path = `/api/memorials/${memorial.id}`
  await owner.post(`${path}/held/show`)
  const calls: [Client, string][] = [
    [new Client(), `/m/${memorial.slug}`],
    [new Client(), `/api/memorial/${memorial.slug}`],
    [new Client(), `${path}/comments`],
    [owner, `/api/memorial/${memorial.slug}`],
    [owner, `${path}/comments`],
    [owner, path],
    [owner, '/api/dashboard'],
  ]
  const cost = async () => {
    const rows: [string, number][] = []
    for (const [client, call] of calls) rows.push(await rowsFor(client, call))
    return rows
  }
  await cost()
  const before = await cost()
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
     INSERT INTO comments (id, memorial_id, body, author_contributor_id, visitor_name, is_held, held_as, held_reason, created_at)
     SELECT 'com_f' || i, memorial_id, 'Flood', author_contributor_id, 'Flood', 1, 'MAY_HURT', 'BURST', created_at + i
     FROM comments, n WHERE memorial_id = ? AND is_held = 0`,
  )
    .bind(memorial.id)
    .run()
  expect((await owner.get<HeldItems>(`${path}/held`)).body.mayHurt).toMatchObject([
    { reason: 'BURST', count: 1000 },
  ])
  expect(await cost()).toEqual(before)
})

import { RESERVATION_EXPIRES_MS } from '#shared/limits.ts'
import type { Finding, QuotaLine, Sql } from './invariants.ts'

type MediaRow = {
  id: string
  memorial_id: string
  type: string
  contributor_id: string | null
  size: number
  duration_sec: number | null
}

/** What each memorial's quota object counts is what the memorial holds, and what it holds room for is still to come. */
export async function quotaFindings(
  sql: Sql,
  quota: (memorialId: string) => Promise<QuotaLine[] | null>,
  now: number,
): Promise<Finding[]> {
  const memorials = await sql<{ id: string }>('SELECT id FROM memorials')
  const rows = await sql<MediaRow>(
    'SELECT id, memorial_id, type, contributor_id, size, duration_sec FROM media',
  )
  const used: Finding = { rule: 'A quota counts exactly the media that are there', checked: 0, problems: [] }
  const held: Finding = { rule: 'Room is held only for what may still come', checked: 0, problems: [] }
  for (const { id } of memorials) {
    const lines = await quota(id)
    // An object that was never made counts from the rows when it is.
    if (!lines) continue
    const counted = lines.filter(({ expiresAt }) => expiresAt === null)
    const there = rows.filter((row) => row.memorial_id === id)
    const expected = new Set(
      there.map((row) => nameOf(row.id, row.type, row.contributor_id, row.size, row.duration_sec ?? 0)),
    )
    const seen = new Set(
      counted.map((line) =>
        nameOf(line.mediaId, line.type, line.contributorId, line.bytes, line.durationSec),
      ),
    )
    used.checked += expected.size
    used.problems.push(
      ...[...expected].filter((name) => !seen.has(name)).map((name) => `${id} does not count ${name}`),
      ...[...seen].filter((name) => !expected.has(name)).map((name) => `${id} counts ${name}`),
    )
    const reserved = lines.filter(({ expiresAt }) => expiresAt !== null)
    held.checked += reserved.length
    held.problems.push(
      ...reserved
        .filter(
          ({ expiresAt }) => Number(expiresAt) < now || Number(expiresAt) > now + RESERVATION_EXPIRES_MS,
        )
        .map(({ mediaId }) => `${id} ${mediaId}`),
    )
  }
  return [used, held]
}

function nameOf(id: string, type: string, contributorId: string | null, bytes: number, durationSec: number) {
  return `${id} ${type} of ${contributorId ?? 'the owner'}, ${bytes} bytes, ${durationSec.toFixed(3)} s`
}

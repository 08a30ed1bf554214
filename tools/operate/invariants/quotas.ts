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

/** Checks that each quota object counts exactly the media of its memorial, and that no reservation is out of date. */
export async function quotaFindings(
  sql: Sql,
  quota: (memorialId: string) => Promise<QuotaLine[] | null>,
  now: number,
): Promise<Finding[]> {
  const memorials = await sql<{ id: string }>('SELECT id FROM memorials')
  const rows = await sql<MediaRow>(
    'SELECT id, memorial_id, type, contributor_id, size, duration_sec FROM media',
  )
  const used: Finding = { rule: 'A quota counts exactly the media that exist', checked: 0, problems: [] }
  const reserved: Finding = {
    rule: 'Quota is reserved only for uploads that can still finish',
    checked: 0,
    problems: [],
  }
  for (const { id } of memorials) {
    const lines = await quota(id)
    // An object that does not exist yet will count from the rows when it is created.
    if (!lines) continue
    const counted = lines.filter(({ expiresAt }) => expiresAt === null)
    const stored = rows.filter((row) => row.memorial_id === id)
    const expected = new Set(
      stored.map((row) => nameOf(row.id, row.type, row.contributor_id, row.size, row.duration_sec ?? 0)),
    )
    const actual = new Set(
      counted.map((line) =>
        nameOf(line.mediaId, line.type, line.contributorId, line.bytes, line.durationSec),
      ),
    )
    used.checked += expected.size
    used.problems.push(
      ...[...expected].filter((name) => !actual.has(name)).map((name) => `${id} does not count ${name}`),
      ...[...actual].filter((name) => !expected.has(name)).map((name) => `${id} counts ${name}`),
    )
    const reservations = lines.filter(({ expiresAt }) => expiresAt !== null)
    reserved.checked += reservations.length
    reserved.problems.push(
      ...reservations
        .filter(
          ({ expiresAt }) => Number(expiresAt) < now || Number(expiresAt) > now + RESERVATION_EXPIRES_MS,
        )
        .map(({ mediaId }) => `${id} ${mediaId}`),
    )
  }
  return [used, reserved]
}

function nameOf(id: string, type: string, contributorId: string | null, bytes: number, durationSec: number) {
  return `${id} ${type} of ${contributorId ?? 'the owner'}, ${bytes} bytes, ${durationSec.toFixed(3)} s`
}

import { HOUR_MS, IMAGE_WIDTHS, RESERVATION_IDLE_MS, THUMBNAIL_WIDTH } from '#shared/limits.ts'
import type { Finding, QuotaLine, SandboxRecords, Sql, StoredObject } from './invariants.ts'

/** The sweep runs every hour, deletes objects that are an hour old, and stops after a fixed number. */
const SWEPT_AFTER_MS = 3 * HOUR_MS

type MediaRow = {
  id: string
  object_key: string
  size: number
  has_thumbnail: number
  poster_key: string | null
}
type ProgrammeRow = { id: string; programme_key: string; programme_size: number }

/** Checks that every row has its complete object, and that no object without a row survives the sweep. */
export async function objectFindings(sql: Sql, objects: StoredObject[], now: number): Promise<Finding[]> {
  const media = await sql<MediaRow>(`SELECT id, object_key, size, has_thumbnail, poster_key FROM media
    UNION ALL SELECT id, object_key, bytes, item ->> 'hasThumbnail', item ->> 'posterKey' FROM removed_items
      WHERE object_key IS NOT NULL`)
  const programmes = await sql<ProgrammeRow>(
    'SELECT id, programme_key, programme_size FROM funeral_events WHERE programme_key IS NOT NULL',
  )
  const memorials = await sql<{ id: string }>('SELECT id FROM memorials')
  const deletions = await sql<{ prefix: string }>('SELECT prefix FROM object_deletions')
  const sizes = new Map(objects.map(({ key, size }) => [key, size]))
  const wanted = [
    ...media.map((row) => ({ id: row.id, key: row.object_key, size: row.size })),
    ...programmes.map((row) => ({ id: row.id, key: row.programme_key, size: row.programme_size })),
  ]
  const variants = media
    .filter((row) => row.has_thumbnail)
    .flatMap(({ id, object_key, poster_key }) =>
      [THUMBNAIL_WIDTH, Math.max(...IMAGE_WIDTHS)].map((width) => ({
        id,
        key: `${poster_key ?? object_key}/w${width}.webp`,
      })),
    )
  // A preview card without a portrait has its own key; one with a portrait is stored under the portrait's key.
  const cards = memorials.map(({ id }) => `m/${id}/card.jpg`)
  const known = [...wanted.map(({ key }) => key), ...deletions.map(({ prefix }) => prefix), ...cards]
  const roots = new Set(known)
  const old = objects.filter(
    ({ key, uploadedAt }) => key.startsWith('m/') && uploadedAt < now - SWEPT_AFTER_MS,
  )
  const marks = objects.filter(({ key }) => key.startsWith('marks/'))
  return [
    {
      rule: 'Every media item and programme has its object, with the size in its row',
      checked: wanted.length,
      problems: wanted
        .filter(({ key, size }) => sizes.get(key) !== size)
        .map(({ id, key, size }) => `${id} ${key} has ${sizes.get(key) ?? 'no'} bytes of ${size}`),
    },
    {
      rule: 'Every image has its thumbnail and the variant that visitors see',
      checked: variants.length,
      problems: variants
        .filter(({ key }) => !((sizes.get(key) ?? -1) > 0))
        .map(({ id, key }) => `${id} ${key}`),
    },
    {
      rule: 'No object survives the sweep without a row or a pending deletion',
      checked: old.length,
      problems: old
        .map(({ key }) => key)
        .filter((key) => !roots.has(rootOf(key, 3)) && !roots.has(rootOf(key, 2))),
    },
    {
      rule: 'The database has every restore marker that the bucket has: it is not older than the files',
      checked: marks.length,
      problems: marks.map(({ key }) => key).filter((key) => !roots.has(key)),
    },
  ]
}

/** `m/<memorial>/<media item or file>` of an object or its variant; with depth 2 the prefix of its memorial. */
function rootOf(key: string, depth: 2 | 3): string {
  return key.split('/').slice(0, depth).join('/')
}

/** What a quota object counts of a media item. */
type Counted = Omit<QuotaLine, 'expiresAt'>

/** Checks that each quota object counts exactly the media of its memorial, and that no reservation is out of date. */
export async function quotaFindings(
  sql: Sql,
  quota: (memorialId: string) => Promise<QuotaLine[] | null>,
  now: number,
): Promise<Finding[]> {
  const memorials = await sql<{ id: string }>('SELECT id FROM memorials')
  const rows = await sql<Counted & { memorialId: string }>(
    `SELECT id AS mediaId, memorial_id AS memorialId, type, contributor_id AS contributorId, size AS bytes,
       coalesce(duration_sec, 0) AS durationSec, null AS lease FROM media
     UNION ALL SELECT id, memorial_id, item ->> 'type', contributor_id, bytes,
       coalesce(item ->> 'durationSec', 0), 'removed' FROM removed_items WHERE object_key IS NOT NULL`,
  )
  const used: Finding = {
    rule: 'A quota counts exactly the media that exist or can be restored',
    checked: 0,
    problems: [],
  }
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
    const expected = new Set(rows.filter(({ memorialId }) => memorialId === id).map(nameOf))
    const actual = new Set(counted.map(nameOf))
    used.checked += expected.size
    used.problems.push(
      ...[...expected].filter((name) => !actual.has(name)).map((name) => `${id} does not count ${name}`),
      ...[...actual].filter((name) => !expected.has(name)).map((name) => `${id} counts ${name}`),
    )
    const reservations = lines.filter(({ expiresAt }) => expiresAt !== null)
    reserved.checked += reservations.length
    reserved.problems.push(
      ...reservations
        .filter(({ expiresAt }) => Number(expiresAt) < now || Number(expiresAt) > now + RESERVATION_IDLE_MS)
        .map(({ mediaId }) => `${id} ${mediaId}`),
    )
  }
  return [used, reserved]
}

function nameOf({ mediaId, type, contributorId, bytes, durationSec, lease }: Counted): string {
  return `${mediaId} ${lease === null ? '' : `${lease} `}${type} of ${contributorId ?? 'the owner'}, ${bytes} bytes, ${durationSec.toFixed(3)} s`
}

type MailRow = { id: string; attempts: number }

/** Compares our rows about mails and payments with the sandbox's records. */
export async function sandboxFindings(sql: Sql, outside: SandboxRecords): Promise<Finding[]> {
  const copies = new Map<string, number>()
  const arrived = await outside.mails()
  for (const { id } of arrived) copies.set(id, (copies.get(id) ?? 0) + 1)
  const oldest = arrived[0]?.at ?? Number.MAX_SAFE_INTEGER
  const sent = await sql<MailRow>(
    `SELECT id, attempts FROM mails WHERE status = 'SENT' AND sent_at >= ${oldest}`,
  )
  const tries = await sql<MailRow>('SELECT id, attempts FROM mails')
  const paid = await sql<{ id: string }>(
    "SELECT id FROM payments WHERE status IN ('PAID', 'REFUNDED', 'DISPUTED')",
  )
  const paidIds = new Set(paid.map(({ id }) => id))
  const charged = await outside.paidPaymentIds()
  const chargedIds = new Set(charged)
  return [
    {
      rule: 'A mail that is SENT has arrived',
      checked: sent.length,
      problems: sent.filter(({ id }) => !copies.has(id)).map(({ id }) => id),
    },
    {
      // If the response is lost, the mail may have been sent. Only then do we send a second copy.
      rule: 'No mail arrives twice unless a response was lost, and none more often than it was attempted',
      checked: copies.size,
      problems: tries
        .filter(({ id, attempts }) => (copies.get(id) ?? 0) > Math.max(1, attempts))
        .map(({ id }) => id),
    },
    {
      rule: 'Every charge is exactly one PAID payment, and every PAID payment is a charge',
      checked: charged.length,
      problems: [
        ...charged.filter((id) => !paidIds.has(id)).map((id) => `${id} is charged and not PAID`),
        ...paid.filter(({ id }) => !chargedIds.has(id)).map(({ id }) => `${id} is PAID and not charged`),
        ...charged.filter((id, at) => charged.indexOf(id) !== at).map((id) => `${id} is charged twice`),
      ],
    },
  ]
}

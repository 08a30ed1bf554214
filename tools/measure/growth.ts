import { globSync, mkdtempDisposableSync, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { prepareToFill } from './fill.ts'
import { report, rounded } from './results.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/**
 * A memorial of usual size. Files are those of docs/costs.md; all other numbers are assumptions, except `placeholder` (the mean
 * of the demo's photos). Characters are ASCII, so also bytes.
 */
const USUAL = {
  photos: 60,
  videosAndRecordings: 6,
  /** Every second file and message is a contributor's, the others are the owner's. */
  contributors: 25,
  messages: 40,
  messageChars: 200,
  likes: 60,
  /** 1,200 words. */
  storyChars: 7000,
  captionChars: 40,
  placeholder: 154,
  services: 2,
  invitationLinks: 2,
  removedItems: 2,
  auditRows: 2,
  stripeEvents: 2,
  /** Rows that are deleted half a year later: those of one memorial's first months. */
  idempotencyKeys: 107,
  sessionTokens: 25,
  mails: 6,
  guests: 40,
} as const
/** What is left of a memorial after half a year. */
const SETTLED = { ...USUAL, idempotencyKeys: 0, sessionTokens: 0, mails: 0, guests: 0 }
type Size = { [K in keyof typeof USUAL]: number }

const SIZES = [2000, 20_000, 100_000]
const D1_MAX_BYTES = 10e9
const ALWAYS_FILLED = 20_000
/** A database of more memorials is filled only if that is expected to take less. */
const FILL_MAX_SEC = 600
const BATCH = 500

const CONTRIBUTOR = (of: string) => `id('con', i, (${of}) % ${USUAL.contributors})`
const BY_CONTRIBUTOR = `part % 2`
/** Table and columns, how many rows a memorial has, and what each has. `i` counts memorials, `part` the rows of one. */
const ROWS: [into: string, rows: keyof Size | 1, values: string][] = [
  [
    'users (id, email, first_name, last_name, password_hash, email_verified_at, terms_accepted_at, created_at, updated_at)',
    1,
    "id('usr', i, 0), 'owner-' || i || '@family.example', 'Farai', 'Dube', printf('%.*c', 110, 'h'), made, made, made, made",
  ],
  [
    `memorials (id, owner_id, slug, honouree_full_name, title, date_of_birth, date_of_death, cover_media_id, profile_media_id, life_story,
       status, privacy, locked_at, allow_search_engines, created_at, updated_at)`,
    1,
    `id('mem', i, 0), id('usr', i, 0), replace(lower(name(i)), ' ', '-') || printf('-%06d', i), name(i), 'Never too busy to listen.',
       '1941-05-06', '2025-07-08', id('med', i, 1), id('med', i, 0), printf('%.*c', $storyChars, 's'), 'ACTIVE',
       iif(i % 2, 'INVITE', 'LOCKED'), iif(i % 2, NULL, made), 1 - i % 2, made, made`,
  ],
  [
    'locations (memorial_id, label, latitude, longitude, updated_at)',
    1,
    "id('mem', i, 0), 'Warren Hills', -17.8, 30.9, made",
  ],
  [
    `payments (id, user_id, target_memorial_id, memorial_id, status, provider, amount, currency, provider_intent_id, idempotency_key,
       paid_at, created_at, updated_at)`,
    1,
    `id('pay', i, 0), id('usr', i, 0), id('mem', i, 0), id('mem', i, 0), 'PAID', 'stripe', 6000, 'usd', id('pi_3', i, 0),
       id('pi:pay', i, 0) || ':ake6m9b6', made, made, made`,
  ],
  [
    'webhook_events (id, type, outcome, received_at, happened_at)',
    'stripeEvents',
    "id('evt_3', i, part), 'payment_intent.succeeded', 'paid', made, made",
  ],
  [
    'invite_tokens (token, status, memorial_id, assigned_at, created_at)',
    'invitationLinks',
    "id('', i, part) || printf('%.*c', 15, '0'), iif(part = 0, 'ASSIGNED', 'REVOKED'), id('mem', i, 0), made, made",
  ],
  [
    'contributors (id, memorial_id, invite_token, display_name, is_guest, token_hash, expires_at, created_at)',
    'contributors',
    `id('con', i, part), id('mem', i, 0), id('', i, 0) || printf('%.*c', 15, '0'), name(part), 0,
       iif(part < $sessionTokens, id('', i, part) || printf('%.*c', 43, '0'), NULL), made, made + part`,
  ],
  [
    'contributors (id, memorial_id, invite_token, display_name, is_guest, token_hash, expires_at, created_at)',
    'guests',
    `id('con', i, 100 + part), id('mem', i, 0), id('', i, 0) || printf('%.*c', 15, '0'), 'Guest Visitor', 1,
       id('', i, 100 + part) || printf('%.*c', 43, '0'), made, made + part`,
  ],
  [
    `funeral_events (id, memorial_id, position, title, date_time, time_zone, venue_name, address_line, city, country, created_at, updated_at)`,
    'services',
    `id('evt', i, part), id('mem', i, 0), part + 1, 'Burial service', made, 'Africa/Harare', 'Warren Hills Cemetery', '12 Jacaranda Road',
       'Harare', 'Zimbabwe', made, made`,
  ],
  ...(['photos', 'videosAndRecordings'] as const).map((which): [string, typeof which, string] => [
    `media (id, memorial_id, contributor_id, type, mime_type, size, width, height, original_file_name, caption, placeholder, object_key,
       has_thumbnail, created_at)`,
    which,
    which === 'photos'
      ? `id('med', i, part), id('mem', i, 0), iif(${BY_CONTRIBUTOR}, ${CONTRIBUTOR('part')}, NULL), 'IMAGE', 'image/jpeg', 400000, 2048, 1536,
         'IMG-20250708-WA0012.jpg', iif(part % 3, NULL, printf('%.*c', $captionChars, 'c')), printf('%.*c', $placeholder, 'p'),
         'm/' || id('mem', i, 0) || '/' || id('med', i, part), 1, made + part * 60000`
      : `id('med', i, 100 + part), id('mem', i, 0), iif(${BY_CONTRIBUTOR}, ${CONTRIBUTOR('part')}, NULL), 'AUDIO', 'audio/mp4', 2000000, NULL,
         NULL, 'AUD-20250708-WA0012.m4a', NULL, NULL, 'm/' || id('mem', i, 0) || '/' || id('med', i, 100 + part), 0, made + part * 60000`,
  ]),
  [
    'comments (id, memorial_id, body, author_user_id, author_contributor_id, like_count, created_at)',
    'messages',
    `id('com', i, part), id('mem', i, 0), printf('%.*c', $messageChars, 'm'), iif(${BY_CONTRIBUTOR}, NULL, id('usr', i, 0)),
       iif(${BY_CONTRIBUTOR}, ${CONTRIBUTOR('part')}, NULL), 1, made + part * 60000`,
  ],
  [
    'comment_likes (comment_id, liked_by, created_at)',
    'likes',
    `id('com', i, part % 40), ${CONTRIBUTOR('part * 7')}, made + part`,
  ],
  [
    'removed_items (id, memorial_id, contributor_id, removed_by, is_by_admin, bytes, was_cover, was_portrait, item, likes, removed_at)',
    'removedItems',
    `id('com', i, 100 + part), id('mem', i, 0), ${CONTRIBUTOR('part')}, id('usr', i, 0), 0, 0, 0, 0, printf('%.*c', 500, '{'), '[]', made`,
  ],
  [
    'audit_log (id, actor_id, action, target_kind, target_id, memorial_id, created_at)',
    'auditRows',
    "id('aud', i, part), id('usr', 0, 0), 'visit', 'memorial', id('mem', i, 0), id('mem', i, 0), made",
  ],
  [
    'idempotency_keys (actor_id, key, result_id, created_at)',
    'idempotencyKeys',
    `iif(${BY_CONTRIBUTOR}, ${CONTRIBUTOR('part')}, id('usr', i, 0)), id('', i, part) || printf('%.*c', 15, '0'), id('med', i, part), made + part`,
  ],
  [
    'mails (id, kind, recipient, subject_id, status, attempts, sent_at, created_at)',
    'mails',
    "id('mail', i, part), 'receipt', 'owner-' || i || '@family.example', id('pay', i, 0), 'SENT', 1, made, made",
  ],
]

/** An empty database with the tables, indexes and triggers of the migrations. */
function migrated(file: string): DatabaseSync {
  const db = new DatabaseSync(file)
  for (const name of globSync('migrations/*.sql', { cwd: ROOT }).toSorted())
    db.exec(readFileSync(join(ROOT, name), 'utf8'))
  prepareToFill(db)
  return db
}

/** Adds memorials of this size. Those of one batch grow side by side: the first photo of all, then the second, as in life. */
function fill(db: DatabaseSync, from: number, to: number, size: Size): void {
  for (let first = from; first < to; first += BATCH) {
    const last = Math.min(first + BATCH, to) - 1
    db.exec('BEGIN')
    for (const [into, rows, values] of ROWS) {
      const parts = rows === 1 ? 1 : size[rows]
      if (parts === 0) continue
      const sized = values.replaceAll(/\$(\w+)/gu, (_, name: keyof Size) => String(size[name]))
      db.exec(`INSERT INTO ${into} SELECT ${sized} FROM
        (WITH RECURSIVE p(part) AS (VALUES (0) UNION ALL SELECT part + 1 FROM p WHERE part < ${parts - 1}) SELECT part FROM p) CROSS JOIN
        (WITH RECURSIVE n(i, made) AS (VALUES (${first}, 1700000000000 + ${first} * 3600000) UNION ALL
          SELECT i + 1, made + 3600000 FROM n WHERE i < ${last}) SELECT i, made FROM n)`)
    }
    db.exec('COMMIT')
  }
}

type Measured = { name: string; of: string; bytes: number }

/** Bytes of every table and index on disk, with the free space in their pages. */
function measure(db: DatabaseSync): Measured[] {
  return db
    .prepare(
      `SELECT s.name AS name, coalesce(m.tbl_name, s.name) AS of, sum(s.pgsize) AS bytes FROM dbstat s
       LEFT JOIN sqlite_schema m ON m.name = s.name GROUP BY s.name ORDER BY bytes DESC`,
    )
    .all() as Measured[]
}

const sum = (measured: Measured[]) => measured.reduce((bytes, one) => bytes + one.bytes, 0)
const nameOf = ({ name, of }: Measured) => (name.startsWith('sqlite_autoindex') ? `${of}, primary key` : name)

function rowsOf(measured: Measured[], memorials: number): object[] {
  const total = sum(measured)
  const row = (name: string, bytes: number) => ({
    'table or index': name,
    'bytes a memorial': Math.round(bytes / memorials),
    percent: rounded((100 * bytes) / total),
  })
  const shown = measured.filter(({ bytes }) => bytes / memorials >= 50)
  const rest = total - sum(shown)
  return [...shown.map((one) => row(nameOf(one), one.bytes)), row('all others', rest), row('total', total)]
}

/** Why a database of this size is not filled but extrapolated; null if it is filled. */
function refusalOf(folder: string, bytes: number, seconds: number): string | null {
  const { bavail, bsize } = statfsSync(folder)
  if (seconds > FILL_MAX_SEC) return `it would take ${Math.round(seconds / 60)} minutes`
  if (bytes * 1.5 > bavail * bsize) return `it needs ${Math.round(bytes / 1e9)} GB of disk`
  return null
}

/**
 * Measures the bytes of each table and index per memorial of usual size, with a growing number of memorials in one database, and
 * prints at how many D1's 10 GB are full. Says which numbers it did not measure.
 */
export async function measureGrowth(): Promise<void> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'nhaka-growth-'))
  const totals: object[] = []
  for (const [what, size] of [
    ['in its first half-year', USUAL],
    ['later', SETTLED],
  ] as const) {
    using db = migrated(join(folder.path, `${what}.sqlite`))
    let [filled, perMemorial, secondsEach] = [0, 0, 0]
    for (const memorials of SIZES) {
      const refusal =
        memorials > ALWAYS_FILLED
          ? refusalOf(folder.path, perMemorial * memorials, secondsEach * (memorials - filled) * 1.5)
          : null
      if (refusal === null) {
        const startedAt = performance.now()
        fill(db, filled, memorials, size)
        secondsEach = (performance.now() - startedAt) / 1000 / (memorials - filled)
        filled = memorials
        const measured = measure(db)
        perMemorial = sum(measured) / memorials
        report(`growth: a memorial ${what}, among ${memorials}`, rowsOf(measured, memorials))
      }
      totals.push({
        'a memorial': what,
        memorials,
        'bytes each': Math.round(perMemorial),
        GB: rounded((perMemorial * memorials) / 1e9),
        '10 GB hold': Math.floor(D1_MAX_BYTES / perMemorial),
        measured: refusal === null ? 'yes' : `no, extrapolated: ${refusal}`,
      })
    }
  }
  report('growth', totals)
}

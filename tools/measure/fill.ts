import { DatabaseSync } from 'node:sqlite'
import { findDatabaseFile } from '../operate/local/local-state.ts'

const HOUR_MS = 3_600_000
const MEMORIALS_PER_ACCOUNT = 4
/** One memorial in this many is as full as the measured one; the others have enough rows for a realistic size of every index. */
const FULL_EVERY = 1000
const FIRST = 'Farai Nyasha Rutendo Blessing Tapiwa Chipo Simba Grace Themba Ruth'.split(' ')
const LAST = 'Dube Ncube Sithole Mlambo Gumbo Banda Nkomo Zulu Mutasa Shumba'.split(' ')
const STORY = `<p>${'She kept a garden that fed the street, and a chair for whoever came to the gate. '.repeat(8)}</p>`

/** `i` is a number from 0 for each memorial, `made` its time; `part` counts the media or messages of one memorial. */
const OWNER = `id('usr', i / ${MEMORIALS_PER_ACCOUNT}, 0)`
const parts = (full: number) =>
  `JOIN (WITH RECURSIVE p(part) AS (VALUES (0) UNION ALL SELECT part + 1 FROM p WHERE part < ${full - 1}) SELECT part FROM p)
     ON part < iif(i % ${FULL_EVERY} = 0, ${full}, 2)`
const ROWS = [
  `users (id, email, first_name, last_name, password_hash, email_verified_at, terms_accepted_at, created_at, updated_at)
   SELECT ${OWNER}, 'owner-' || i || '@family.example', 'Farai', 'Dube', 'none', made, made, made, made
   FROM n WHERE i = first OR i % ${MEMORIALS_PER_ACCOUNT} = 0`,
  `memorials (id, owner_id, slug, honouree_full_name, title, date_of_birth, date_of_death, profile_media_id, life_story,
     status, privacy, locked_at, created_at, updated_at)
   SELECT id('mem', i, 0), ${OWNER}, replace(lower(name(i)), ' ', '-') || printf('-%06d', i), name(i),
     'Never too busy to listen.', '1941-05-06', '2025-07-08', id('med', i, 0), '${STORY}', 'ACTIVE',
     iif(i % 2, 'INVITE', 'LOCKED'), iif(i % 2, NULL, made), made, made FROM n`,
  `payments (id, user_id, memorial_id, status, provider, amount, currency, provider_intent_id, idempotency_key, paid_at,
     created_at, updated_at)
   SELECT id('pay', i, 0), ${OWNER}, id('mem', i, 0), 'PAID', 'stripe', 6000, 'usd', id('pi', i, 0), id('key', i, 0), made,
     made, made FROM n`,
  `invite_tokens (token, status, memorial_id, assigned_at, created_at)
   SELECT id('tok', i, 0), 'ASSIGNED', id('mem', i, 0), made, made FROM n`,
  `funeral_events (id, memorial_id, position, title, date_time, time_zone, city, created_at, updated_at)
   SELECT id('fun', i, 0), id('mem', i, 0), 1, 'Burial service', made, 'Africa/Harare', 'Mutare', made, made FROM n`,
  `mails (id, kind, recipient, subject_id, status, created_at)
   SELECT id('mail', i, 0), 'receipt', 'owner-' || i || '@family.example', id('pay', i, 0), 'SENT', made FROM n`,
  `media (id, memorial_id, type, mime_type, size, width, height, original_file_name, object_key, created_at)
   SELECT id('med', i, part), id('mem', i, 0), 'IMAGE', 'image/jpeg', 400000, 2048, 1536, 'photo.jpg',
     id('mem', i, 0) || '/' || id('med', i, part), made + part FROM n ${parts(24)}`,
  `comments (id, memorial_id, body, author_user_id, created_at)
   SELECT id('com', i, part), id('mem', i, 0), 'Zororai murugare. We remember the garden, the radio and the open door.',
     ${OWNER}, made + part FROM n ${parts(30)}`,
]

/**
 * Fills the database in `state` up to this many memorials, with accounts, payments, invitations, services, media, messages and
 * mails, all older than the existing rows. No server may be running on it.
 */
export function fillTo(state: string, memorials: number): void {
  using db = new DatabaseSync(findDatabaseFile(state))
  prepareToFill(db)
  db.exec('BEGIN')
  const first = Number(db.prepare('SELECT count(*) AS n FROM memorials').get()?.['n'])
  const numbers = `WITH RECURSIVE n(i, made, first) AS (SELECT ${first}, ${Date.now()} - ${first} * ${HOUR_MS}, ${first}
    WHERE ${first} < ${memorials} UNION ALL SELECT i + 1, made - ${HOUR_MS}, first FROM n WHERE i + 1 < ${memorials})`
  for (const rows of ROWS) db.exec(`${numbers} INSERT INTO ${rows}`)
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
}

/** A deterministic id. Ids are scattered as real ones are, because an index filled in order is unrealistic. */
function idOf(kind: string, at: number, part: number): string {
  const scattered = BigInt(at * 256 + part + 1) * 0x9e3779b97f4a7c15n
  return `${kind}_${(scattered & 0xffffffffffffffffn).toString(36).padStart(13, '0')}filler0`
}

/** Makes a database quick to fill, and adds the SQL functions `id(kind, memorial, part)` and `name(memorial)`. */
export function prepareToFill(db: DatabaseSync): void {
  db.exec('PRAGMA cache_size = -600000; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF')
  db.function('id', (kind, at, part) => idOf(String(kind), Number(at), Number(part)))
  db.function('name', (at) => `${FIRST[Number(at) % 10]} ${LAST[Math.floor(Number(at) / 10) % 10]}`)
}

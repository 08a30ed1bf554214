import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { findDatabaseFile } from '../operate/local/local-state.ts'

const HOUR_MS = 3_600_000
const MEMORIALS_PER_ACCOUNT = 4
/** One memorial in this many is as full as the measured one; the others have enough rows for a realistic size of every index. */
const FULL_EVERY = 1000
const FIRST = [
  'Farai',
  'Nyasha',
  'Rutendo',
  'Blessing',
  'Tapiwa',
  'Chipo',
  'Simba',
  'Grace',
  'Themba',
  'Ruth',
]
const LAST = ['Dube', 'Ncube', 'Sithole', 'Mlambo', 'Gumbo', 'Banda', 'Nkomo', 'Zulu', 'Mutasa', 'Shumba']
const STORY = `<p>${'She kept a garden that fed the street, and a chair for whoever came to the gate. '.repeat(8)}</p>`

type Row = Record<string, SQLInputValue>

/**
 * Fills the database in `state` up to this many memorials, with accounts, payments, invitations, services, media, messages and
 * mails, all older than the existing rows. No server may be running on it.
 */
export function fillTo(state: string, memorials: number): void {
  const db = new DatabaseSync(findDatabaseFile(state))
  try {
    db.exec('PRAGMA cache_size = -600000; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN')
    const insert = inserter(db)
    const [before] = db.prepare('SELECT count(*) AS n FROM memorials').all() as { n: number }[]
    const now = Date.now()
    const first = before?.n ?? 0
    for (let at = first; at < memorials; at++) {
      const createdAt = now - at * HOUR_MS
      if (at === first || at % MEMORIALS_PER_ACCOUNT === 0) addOwner(insert, at, createdAt)
      addMemorial(insert, at, createdAt)
    }
    db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
}

function inserter(db: DatabaseSync): (table: string, row: Row) => void {
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  return (table, row) => {
    const columns = Object.keys(row)
    const statement =
      statements.get(table) ??
      db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`)
    statements.set(table, statement)
    statement.run(...Object.values(row))
  }
}

/** A deterministic id. Ids are scattered as real ones are, because an index filled in order is unrealistic. */
function idOf(kind: string, at: number, part = 0): string {
  const scattered = BigInt(at * 64 + part + 1) * 0x9e3779b97f4a7c15n
  return `${kind}_${(scattered & 0xffffffffffffffffn).toString(36).padStart(13, '0')}filler0`
}

function ownerIdOf(memorial: number): string {
  return idOf('usr', Math.floor(memorial / MEMORIALS_PER_ACCOUNT))
}

function addOwner(insert: (table: string, row: Row) => void, at: number, createdAt: number): void {
  insert('users', {
    id: ownerIdOf(at),
    email: `owner-${at}@family.example`,
    first_name: FIRST[at % 7] ?? '',
    last_name: LAST[at % 9] ?? '',
    password_hash: 'none',
    email_verified_at: createdAt,
    terms_accepted_at: createdAt,
    created_at: createdAt,
    updated_at: createdAt,
  })
}

function addMemorial(insert: (table: string, row: Row) => void, at: number, createdAt: number): void {
  const ownerId = ownerIdOf(at)
  const id = idOf('mem', at)
  const name = `${FIRST[at % 10]} ${LAST[Math.floor(at / 10) % 10]}`
  const times = { created_at: createdAt, updated_at: createdAt }
  const isPublic = at % 2 === 0
  insert('memorials', {
    id,
    owner_id: ownerId,
    slug: `${name.toLowerCase().replace(' ', '-')}-${at.toString(36).padStart(6, '0')}`,
    honouree_full_name: name,
    title: 'Never too busy to listen.',
    date_of_birth: '1941-05-06',
    date_of_death: '2025-07-08',
    profile_media_id: idOf('med', at),
    life_story: STORY,
    status: 'ACTIVE',
    privacy: isPublic ? 'LOCKED' : 'INVITE',
    locked_at: isPublic ? createdAt : null,
    ...times,
  })
  insert('payments', {
    id: idOf('pay', at),
    user_id: ownerId,
    memorial_id: id,
    status: 'PAID',
    provider: 'stripe',
    amount: 6000,
    currency: 'usd',
    provider_intent_id: idOf('pi', at),
    idempotency_key: idOf('key', at),
    paid_at: createdAt,
    ...times,
  })
  insert('invite_tokens', {
    token: idOf('tok', at),
    status: 'ASSIGNED',
    memorial_id: id,
    assigned_at: createdAt,
    created_at: createdAt,
  })
  insert('funeral_events', {
    id: idOf('fun', at),
    memorial_id: id,
    position: 1,
    title: 'Burial service',
    date_time: createdAt,
    time_zone: 'Africa/Harare',
    city: 'Mutare',
    ...times,
  })
  insert('mails', {
    id: idOf('mail', at),
    kind: 'receipt',
    recipient: `owner-${at}@family.example`,
    subject_id: idOf('pay', at),
    status: 'SENT',
    created_at: createdAt,
  })
  const isFull = at % FULL_EVERY === 0
  for (let part = 0; part < (isFull ? 24 : 2); part++) {
    insert('media', {
      id: idOf('med', at, part),
      memorial_id: id,
      type: 'IMAGE',
      mime_type: 'image/jpeg',
      size: 400_000,
      width: 2048,
      height: 1536,
      original_file_name: 'photo.jpg',
      object_key: `${id}/${idOf('med', at, part)}`,
      created_at: createdAt + part,
    })
  }
  for (let part = 0; part < (isFull ? 30 : 2); part++) {
    insert('comments', {
      id: idOf('com', at, part),
      memorial_id: id,
      body: 'Zororai murugare. We remember the garden, the radio and the open door.',
      author_user_id: ownerId,
      created_at: createdAt + part,
    })
  }
}

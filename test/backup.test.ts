import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { backUp } from '../scripts/lib/backup/back-up.ts'
import { runBackupCommand } from '../scripts/lib/backup/backup-command.ts'
import { backupNames } from '../scripts/lib/backup/manifest.ts'
import { remotePlace } from '../scripts/lib/backup/remote-place.ts'
import { restore } from '../scripts/lib/backup/restore.ts'
import { sumTables } from '../scripts/lib/backup/sql-dump.ts'
import { BACKUPS_KEPT_DAYS, DAY_MS } from '../src/shared/limits.ts'
import { startS3, type Fault } from './s3-stand-in.ts'
import { wranglerOn } from './wrangler-stand-in.ts'

// Databases are made and commands run, on machines that are busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const PICTURE = 'm/mem_a/med_a'
const PROGRAMME = 'm/mem_a/file a+ü'
const FIRST = new Date('2026-11-21T02:00:00Z')
const daysLater = (days: number) => new Date(FIRST.getTime() + days * DAY_MS)

type S3 = Awaited<ReturnType<typeof startS3>>
let root = ''
let folder = ''
let database = ''
let s3: S3
let fault: (method: string, key: string) => Fault | null = () => null
const closing: S3[] = []

async function bucket(): Promise<S3> {
  const started = await startS3((method, key) => fault(method, key))
  closing.push(started)
  return started
}

/** A deployed service: its database a file, its bucket a port. */
const deployed = () => remotePlace(wranglerOn(database), s3.bucket)
const make = (now = FIRST, place = deployed()) => backUp({ folder, place, keepDays: BACKUPS_KEPT_DAYS, now })

function sql(file: string, change: string): void {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  db.exec(`PRAGMA synchronous = OFF; ${change}`)
  db.close()
}

function rowsIn(file: string) {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return sumTables(db)
  } finally {
    db.close()
  }
}

const template = join(mkdtempSync(join(tmpdir(), 'nhaka-migrated-')), 'empty.sqlite')

/** A database with every migration and nothing else, as a deployment makes it. */
function migrated(name: string): string {
  const file = join(root, name)
  copyFileSync(template, file)
  return file
}

beforeAll(() => {
  const migrations = globSync('migrations/*.sql')
    .sort()
    .map(
      (path) =>
        `${readFileSync(path, 'utf8')};\nINSERT INTO d1_migrations (name) VALUES ('${path.split('/').at(-1)}')`,
    )
  sql(
    template,
    `BEGIN; CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE);
     ${migrations.join(';\n')}; COMMIT`,
  )
})
afterAll(() => rmSync(join(template, '..'), { recursive: true }))

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'nhaka-backup-'))
  folder = join(root, 'kept')
  fault = () => null
  s3 = await bucket()
  database = migrated('deployed.sqlite')
  sql(
    database,
    `INSERT INTO users (id, email, first_name, last_name, password_hash, terms_accepted_at, created_at, updated_at)
       VALUES ('usr_a', 'a@family.test', 'Rudo', 'Moyo', 'x', 1, 1, 1);
     INSERT INTO memorials (id, owner_id, slug, honouree_full_name, life_story, created_at, updated_at)
       VALUES ('mem_a', 'usr_a', 'tendai-aaaaaa', 'Tendai', 'She wrote \\n' || char(10) || 'and ' || char(13) || '\\r.', 1, 1);
     INSERT INTO invite_tokens (token, status, memorial_id, assigned_at, created_at)
       VALUES ('tok_a', 'ASSIGNED', 'mem_a', 1, 1);
     INSERT INTO contributors (id, memorial_id, invite_token, display_name, is_guest, token_hash, expires_at, created_at)
       VALUES ('con_a', 'mem_a', 'tok_a', 'Farai', 0, 'hash_a', 9e12, 1);
     INSERT INTO media (id, memorial_id, contributor_id, type, mime_type, size, original_file_name, object_key, has_thumbnail, created_at)
       VALUES ('med_a', 'mem_a', 'con_a', 'IMAGE', 'image/jpeg', 7, 'a.jpg', '${PICTURE}', 1, 1);
     INSERT INTO funeral_events (id, memorial_id, position, date_time, time_zone, programme_key, programme_name, programme_size, created_at, updated_at)
       VALUES ('fun_a', 'mem_a', 1, 1, 'Africa/Harare', '${PROGRAMME}', 'a.pdf', 3, 1, 1)`,
  )
  s3.put(PICTURE, 'picture', { 'Content-Type': 'image/jpeg', 'x-amz-meta-mark': 'm1' })
  s3.put(`${PICTURE}/w320.webp`, 'small', { 'Content-Type': 'image/webp' })
  s3.put(`${PICTURE}/w1920.webp`, 'large', { 'Content-Type': 'image/webp' })
  s3.put(PROGRAMME, 'pdf', { 'Content-Type': 'application/pdf', 'Cache-Control': 'private' })
  s3.put('m/mem_a/card.jpg', '')
  s3.put('m/mem_a/same', 'small')
  s3.put('marks/1795248000000', '')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all(closing.splice(0).map((started) => started.close()))
  rmSync(root, { recursive: true, force: true })
})

test('a second backup fetches nothing, a third only what is new or was written anew', async () => {
  const first = await make()
  expect(first).toMatchObject({ problems: [], objects: { count: 6, bytes: 25 }, fetched: { count: 6 } })
  const second = await make(daysLater(1))
  expect(second).toMatchObject({ problems: [], objects: { count: 6 }, fetched: { count: 0, bytes: 0 } })
  s3.put('m/mem_a/med_b', 'new')
  s3.put('m/mem_a/card.jpg', 'drawn anew')
  s3.gets.length = 0
  expect(await make(daysLater(2))).toMatchObject({ objects: { count: 7 }, fetched: { count: 2 } })
  expect(s3.gets.toSorted()).toEqual(['m/mem_a/card.jpg', 'm/mem_a/med_b'])
})

test('the catalogue may be lost: what lies there is known from the newest backup', async () => {
  await make()
  writeFileSync(join(folder, 'catalogue.sqlite'), 'torn by a power cut')
  expect(await make(daysLater(1))).toMatchObject({ objects: { count: 6 }, fetched: { count: 0 } })
})

test('what is restored to an empty place is the same: every row, every byte, every header', async () => {
  await make()
  const before = rowsIn(database)
  const source = s3
  const kv = new Map<string, string>()
  s3 = await bucket()
  database = migrated('new.sqlite')
  const place = remotePlace(wranglerOn(database, kv), s3.bucket)
  await restore({ folder, place, mayReplace: false, now: FIRST, say: () => {} })
  const { users: usersBefore, ...restBefore } = before
  const { users, ...rest } = rowsIn(database)
  expect(rest).toEqual(restBefore)
  // Everybody signs in again; nothing else of an account is changed.
  sql(database, 'UPDATE users SET session_epoch = 0')
  sql(join(root, 'deployed.sqlite'), 'UPDATE users SET session_epoch = 0')
  expect(users?.sha256).not.toBe(usersBefore?.sha256)
  expect(rowsIn(database)['users']).toEqual(rowsIn(join(root, 'deployed.sqlite'))['users'])
  const names = (headers: Record<string, string>) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const wanted = [...source.objects].filter(([key]) => !key.startsWith('marks/'))
  expect([...s3.objects.keys()].toSorted()).toEqual(wanted.map(([key]) => key).toSorted())
  for (const [key, { bytes, headers }] of wanted) {
    expect(s3.objects.get(key)?.bytes.equals(bytes)).toBe(true)
    expect(s3.objects.get(key)?.headers).toEqual(names(headers))
  }
  expect([...kv]).toEqual([['contributor:hash_a', 'con_a']])
  expect(readdirSync(folder).toSorted()).toEqual(['backups', 'catalogue.sqlite', 'database', 'objects'])
})

test('an account’s sessions end with a restore, also one whose number was used after the backup', async () => {
  await make()
  sql(database, 'UPDATE users SET session_epoch = 7')
  await restore({ folder, place: deployed(), mayReplace: true, now: FIRST, say: () => {} })
  const db = new DatabaseSync(database, { readOnly: true })
  expect(Number(db.prepare('SELECT session_epoch AS n FROM users').get()?.['n'])).toBe(FIRST.getTime() / 1000)
  db.close()
})

test('a place that is not empty is left alone unless it may be replaced, and then nothing is written twice', async () => {
  await make()
  sql(database, "DELETE FROM media; UPDATE memorials SET title = 'changed since'")
  s3.put(PICTURE, 'spoiled')
  s3.put('m/mem_a/med_new', 'newer than the backup')
  const before = rowsIn(database)
  const options = { folder, place: deployed(), now: FIRST, say: () => {} }
  await expect(restore({ ...options, mayReplace: false })).rejects.toThrow(/rows and 8 objects already/u)
  expect(rowsIn(database)).toEqual(before)
  const untouched = s3.objects.get(PROGRAMME)
  await restore({ ...options, mayReplace: true })
  expect(rowsIn(database)['media']?.rows).toBe(1)
  expect(s3.objects.get(PICTURE)?.bytes.toString()).toBe('picture')
  expect(s3.objects.get(PROGRAMME)).toBe(untouched)
  expect(s3.objects.get('m/mem_a/med_new')?.bytes.toString()).toBe('newer than the backup')
})

/** `npm run backup` with these words: how it ends, and what it says. */
async function command(words: string[]) {
  const lines: string[] = []
  for (const channel of ['log', 'error'] as const) {
    vi.spyOn(console, channel).mockImplementation((line: string) => void lines.push(line))
  }
  const code = await runBackupCommand(words)
  vi.restoreAllMocks()
  return { code, text: lines.join('\n') }
}

const vaultPath = (text: string) => {
  const sum = createHash('sha256').update(text).digest('hex')
  return join(folder, 'objects', sum.slice(0, 2), sum)
}

test('damaged bytes are found by --verify, refused by a restore, and fetched anew by the next backup', async () => {
  await make()
  expect((await command(['--verify', folder])).code).toBe(0)
  writeFileSync(vaultPath('picture'), 'pictuRe')
  const found = await command(['--verify', folder])
  expect(found.code).toBe(1)
  expect(found.text).toContain(`${PICTURE}: its bytes`)
  const before = rowsIn(database)
  s3.objects.delete(PROGRAMME)
  const refused = restore({ folder, place: deployed(), mayReplace: true, now: FIRST, say: () => {} })
  await expect(refused).rejects.toThrow(/damaged, nothing was changed/u)
  expect(rowsIn(database)).toEqual(before)
  expect(s3.objects.has(PROGRAMME)).toBe(false)
  s3.put(PROGRAMME, 'pdf')
  expect(await make(daysLater(1))).toMatchObject({ problems: [], fetched: { count: 1 } })
  expect((await command(['--verify', folder])).code).toBe(0)
})

test.each(['database', 'backups'])('a damaged file of %s is refused by a restore', async (place) => {
  await make()
  const [file = ''] = globSync(`${place}/*.gz`, { cwd: folder })
  const bytes = readFileSync(join(folder, file))
  bytes[30] = (bytes[30] ?? 0) ^ 1
  writeFileSync(join(folder, file), bytes)
  const refused = restore({ folder, place: deployed(), mayReplace: true, now: FIRST, say: () => {} })
  await expect(refused).rejects.toThrow(`${file} is damaged`)
})

test('a run that is killed leaves the last backup whole, and the next one goes on where it was', async () => {
  await make()
  const keys = Array.from({ length: 40 }, (_, at) => `m/mem_a/more_${String(at).padStart(2, '0')}`)
  for (const key of keys) s3.put(key, `bytes of ${key}`)
  // After twenty objects the storage says no more than half of what was asked.
  fault = (method, key) =>
    method === 'GET' && key >= 'm/mem_a/more_20' && key.includes('more_') ? 'stall' : null
  const child = spawn(
    'node',
    ['--disable-warning=ExperimentalWarning', 'scripts/backup.ts', '--to', folder, '--remote'],
    {
      env: {
        ...process.env,
        R2_ACCESS_KEY_ID: s3.bucket.accessKeyId,
        R2_SECRET_ACCESS_KEY: s3.bucket.secretAccessKey,
        CLOUDFLARE_ACCOUNT_ID: 'none',
        R2_ENDPOINT: s3.bucket.endpoint,
      },
      stdio: 'inherit',
    },
  )
  const ended = once(child, 'exit')
  await vi.waitFor(
    () => expect(keys.slice(0, 20).every((key) => existsSync(vaultPath(`bytes of ${key}`)))).toBe(true),
    {
      timeout: 60_000,
    },
  )
  await vi.waitFor(() => expect(globSync('objects/part-*', { cwd: folder })).toHaveLength(8), 30_000)
  child.kill('SIGKILL')
  await ended
  expect(backupNames(folder)).toEqual(['2026-11-21T02-00-00Z'])
  expect((await command(['--verify', folder])).code).toBe(0)
  fault = () => null
  s3.gets.length = 0
  expect(await make(daysLater(1))).toMatchObject({
    problems: [],
    objects: { count: 46 },
    fetched: { count: 20 },
  })
  expect(s3.gets.toSorted()).toEqual(keys.slice(20))
  expect(globSync('objects/part-*', { cwd: folder })).toEqual([])
})

test('what is added and deleted while a backup is made leaves no row without its object', async () => {
  const place = deployed()
  let reads = 0
  const meanwhile = {
    ...place,
    async snapshot(file: string) {
      if (reads++ === 0) {
        s3.put('m/mem_a/med_b', 'added')
        sql(
          database,
          `INSERT INTO media (id, memorial_id, type, mime_type, size, original_file_name, object_key, created_at)
             VALUES ('med_b', 'mem_a', 'IMAGE', 'image/jpeg', 5, 'b.jpg', 'm/mem_a/med_b', 1)`,
        )
      }
      await place.snapshot(file)
      if (reads === 1) s3.objects.delete(PROGRAMME)
    },
  }
  const manifest = await make(FIRST, meanwhile)
  expect(manifest.problems).toEqual([])
  expect(manifest.objects.count).toBe(7)
})

test('a row without its object is said, and such a backup is restored only by its name', async () => {
  s3.objects.delete(PROGRAMME)
  s3.put(PICTURE, 'cut')
  const { problems } = await make()
  expect(problems).toEqual([
    `fun_a names ${PROGRAMME}, which is not there as it says`,
    `med_a names ${PICTURE}, which is not there as it says`,
  ])
  const options = { folder, place: deployed(), mayReplace: true, now: FIRST, say: () => {} }
  await expect(restore(options)).rejects.toThrow(/No backup in .* is whole/u)
  await expect(restore({ ...options, at: '2026-01-01T00-00-00Z' })).rejects.toThrow(/There is no backup/u)
  expect(await restore({ ...options, at: '2026-11-21T02-00-00Z' })).toMatchObject({ objects: 5 })
})

test('a storage that is busy or breaks off is asked again', async () => {
  const first = new Map<string, Fault>([
    [PICTURE, 'break'],
    ['', 'busy'],
  ])
  fault = (_, key) => {
    const met = first.get(key) ?? null
    first.delete(key)
    return met
  }
  expect(await make()).toMatchObject({ problems: [], objects: { count: 6 } })
  expect(s3.gets.filter((key) => key === PICTURE)).toHaveLength(2)
})

test('bytes that are not those of their etag are not kept', async () => {
  const object = s3.objects.get('m/mem_a/same')!
  s3.objects.set('m/mem_a/same', { ...object, bytes: Buffer.from('smell') })
  const { problems } = await make()
  expect(problems).toEqual([expect.stringContaining('m/mem_a/same could not be fetched')])
  expect(existsSync(vaultPath('smell'))).toBe(false)
})

test('what somebody deleted is gone from the backups when the last that knew it is too old', async () => {
  await make()
  s3.objects.delete('m/mem_a/same')
  s3.objects.delete(PROGRAMME)
  sql(database, 'DELETE FROM funeral_events')
  await make(daysLater(1))
  await make(daysLater(BACKUPS_KEPT_DAYS - 1))
  expect(existsSync(vaultPath('pdf'))).toBe(true)
  await make(daysLater(BACKUPS_KEPT_DAYS))
  expect(backupNames(folder)).toHaveLength(3)
  expect(existsSync(vaultPath('pdf'))).toBe(false)
  // The same bytes are also those of a picture that is still there.
  expect(existsSync(vaultPath('small'))).toBe(true)
  expect(globSync('{database,backups}/2026-11-21*', { cwd: folder })).toEqual([])
  expect((await command(['--verify', folder])).code).toBe(0)
})

test('two runs in one folder do not mix', async () => {
  const place = deployed()
  const waiting = { ...place, snapshot: async () => void (await make(daysLater(1))) }
  await expect(make(FIRST, waiting)).rejects.toThrow('Another run is at work in this folder.')
  expect(backupNames(folder)).toEqual([])
})

test.each([
  [[], 'Usage'],
  [['--to', 'x', '--verify', 'y'], 'Usage'],
  [['--to', 'x', '--keep', '31'], 'privacy page'],
  [['--to', 'x', '--env', 'staging'], '--env goes with --remote'],
  [['--to', 'x', '--remote'], 'Set R2_ACCESS_KEY_ID'],
  [['--verify', 'nowhere'], 'There is no backup'],
  [['--frm', 'x'], "Unknown option '--frm'"],
])('the words %j are refused in a sentence', async (words, sentence) => {
  vi.stubEnv('R2_ACCESS_KEY_ID', '')
  const { code, text } = await command(words)
  expect(code).toBe(2)
  expect(text).toContain(sentence)
  expect(existsSync('x')).toBe(false)
})

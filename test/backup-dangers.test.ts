import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { backUp } from '../scripts/lib/backup/back-up.ts'
import { nameOf, readManifest } from '../scripts/lib/backup/manifest.ts'
import { inParallel } from '../scripts/lib/backup/parallel.ts'
import { remotePlace } from '../scripts/lib/backup/remote-place.ts'
import { restore } from '../scripts/lib/backup/restore.ts'
import { sumTables } from '../scripts/lib/backup/sql-dump.ts'
import { DAY_MS } from '../src/shared/limits.ts'
import { startS3 } from './s3-stand-in.ts'
import { wranglerOn } from './wrangler-stand-in.ts'

// Databases are made and commands run, on machines that are busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const FIRST = new Date('2026-11-21T02:00:00Z')
const NAME = nameOf(FIRST.toISOString())
const PICTURE = 'm/mem_a/med_a'
const template = join(mkdtempSync(join(tmpdir(), 'nhaka-migrated-')), 'empty.sqlite')
let root = ''
let folder = ''
let database = ''
let s3: Awaited<ReturnType<typeof startS3>>

const deployed = () => remotePlace(wranglerOn(database), s3.bucket)
const make = (now = FIRST, keepDays = 30) => backUp({ folder, place: deployed(), keepDays, now })
const putBack = () => restore({ folder, place: deployed(), mayReplace: true, now: FIRST, say: () => {} })

function rowsIn(file: string) {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return sumTables(db)
  } finally {
    db.close()
  }
}

beforeAll(() => {
  const db = new DatabaseSync(template, { enableForeignKeyConstraints: false })
  db.exec('CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE)')
  for (const path of globSync('migrations/*.sql').sort()) {
    db.exec(readFileSync(path, 'utf8'))
    db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').run(path.split('/').at(-1) ?? '')
  }
  db.exec(`INSERT INTO users (id, email, first_name, last_name, password_hash, terms_accepted_at, created_at, updated_at)
    VALUES ('usr_a', 'a@family.test', 'Rudo', 'Moyo', 'x', 1, 1, 1)`)
  db.close()
})
afterAll(() => rmSync(join(template, '..'), { recursive: true }))

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'nhaka-backup-'))
  folder = join(root, 'kept')
  database = join(root, 'deployed.sqlite')
  copyFileSync(template, database)
  s3 = await startS3()
  s3.put(PICTURE, 'picture', { 'Content-Type': 'image/jpeg' })
})
afterEach(async () => {
  await s3.close()
  rmSync(root, { recursive: true, force: true })
})

/** Changes a file of the backup as somebody would who may write to the folder: its checksum is right again. */
function forge(part: 'database' | 'objects', change: (text: string) => string): void {
  const manifest = readManifest(folder, NAME)
  const path = join(folder, manifest[part].file)
  const bytes = gzipSync(change(gunzipSync(readFileSync(path)).toString()))
  writeFileSync(path, bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const forged = { ...manifest, [part]: { ...manifest[part], sha256 } }
  writeFileSync(join(folder, 'backups', `${NAME}.json`), JSON.stringify(forged))
}

test.each([
  ['attaches a file', (file: string) => `ATTACH '${file}' AS x;\nCREATE TABLE x.t (a);`],
  ['writes a copy', (file: string) => `VACUUM INTO '${file}';`],
  ['writes a copy after its end', (file: string) => `COMMIT;\nVACUUM INTO '${file}';\nBEGIN;`],
  [
    'hides it behind a trigger',
    (file: string) =>
      `CREATE TRIGGER t AFTER INSERT ON users BEGIN SELECT 1; END /**/; COMMIT; VACUUM INTO '${file}'; BEGIN; SELECT 1; END;`,
  ],
  ['changes how the schema is kept', () => 'PRAGMA writable_schema = ON;'],
])('a dump that %s is refused, and writes nothing', async (_, forged) => {
  await make()
  const written = join(root, 'written.sqlite')
  forge('database', (text) => `${text}\n${forged(written)}\n`)
  const before = rowsIn(database)
  await expect(putBack()).rejects.toThrow(
    /^The dump of the backup holds a statement that none of ours holds\. Nothing was changed\./u,
  )
  expect(existsSync(written)).toBe(false)
  expect(rowsIn(database)).toEqual(before)
})

test.each(['../other/stolen', 'm/../../other', 'm/./mem_a', '..', ''])(
  'the key %j, which would leave the bucket, is refused before anything is written',
  async (key) => {
    await make()
    forge('objects', (text) => `${text}${text.replace(JSON.stringify(PICTURE), JSON.stringify(key))}`)
    s3.objects.clear()
    const before = rowsIn(database)
    await expect(putBack()).rejects.toThrow(
      `The backup names an object ${JSON.stringify(key)}, which cannot be one of a bucket. Nothing was changed.`,
    )
    expect([...s3.objects.keys()]).toEqual([])
    expect(rowsIn(database)).toEqual(before)
  },
)

test('an object that no address can name is said to be missing, and none beside the bucket is read', async () => {
  s3.put('m/../elsewhere', 'odd')
  const { problems } = await make()
  expect(problems).toEqual([expect.stringContaining('m/../elsewhere could not be fetched')])
  expect(s3.gets).toEqual([PICTURE])
})

test('a failure among several at once ends the work, also one that came before all were begun', async () => {
  const done: number[] = []
  const work = inParallel([1, 2, 3, 4], 2, async (item) => {
    if (item === 1) throw new Error('the first failed')
    done.push(item)
  })
  await expect(work).rejects.toThrow('the first failed')
  expect(done).not.toContain(4)
})

test('what is no backup’s stays where it is, whatever is removed around it', async () => {
  await make()
  const kept = [
    'backups/notes.txt',
    'backups/2026-11-20T02-00-00Z.note',
    'database/old.sql.gz',
    'objects/readme',
    'objects/aa/aardvark',
    'objects/part-of-mine',
    'backups/mine/file',
    'database/2026-11-20T02-00-00Z.sql.gz/file',
    'objects/part-1/file',
    'objects/mine/file',
  ].map((path) => join(folder, path))
  const left = ['backups/2026-11-20T02-00-00Z.json.part', 'database/2026-11-19T02-00-00Z.sql.gz'].map(
    (path) => join(folder, path),
  )
  for (const path of [...kept, ...left]) {
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, 'mine')
  }
  await make(new Date(FIRST.getTime() + 3 * DAY_MS), 1)
  expect(kept.filter((path) => !existsSync(path))).toEqual([])
  expect([...left, join(folder, `backups/${NAME}.json`)].filter((path) => existsSync(path))).toEqual([])
})

/** Runs a script where others may read what is made, as on most machines. */
function script(words: string, env: Record<string, string>): void {
  execFileSync(
    'sh',
    ['-c', `umask 022; exec node --disable-warning=ExperimentalWarning scripts/${words}`],
    // What it says goes nowhere.
    { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] },
  )
}

const openToOthers = (place: string) =>
  globSync('**', { cwd: place }).filter(
    (path) => path !== '.' && path !== '' && (statSync(join(place, path)).mode & 0o077) !== 0,
  )

test('nothing of a backup, and nothing that is restored, can be read by other people of the machine', async () => {
  await make()
  const state = join(root, 'state')
  script(`restore.ts --from '${folder}'`, { NHAKA_STATE: state })
  expect(globSync('**/*.sqlite', { cwd: state })).not.toEqual([])
  expect(openToOthers(state)).toEqual([])
  expect(statSync(state).mode & 0o077).toBe(0)
  const open = join(root, 'open')
  mkdirSync(open, { mode: 0o755 })
  script(`backup.ts --to '${open}'`, { NHAKA_STATE: state })
  expect(existsSync(join(open, 'catalogue.sqlite'))).toBe(true)
  expect(openToOthers(open)).toEqual([])
})

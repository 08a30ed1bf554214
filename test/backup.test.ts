import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from 'miniflare'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { unstable_getMiniflareWorkerOptions as getWorkerOptions } from 'wrangler'
import { backUp } from '../tools/operate/backup/back-up.ts'
import { openBucket } from '../tools/operate/backup/bucket.ts'
import { bucketAccess, withPlace, type Place } from '../tools/operate/backup/place.ts'
import { dumpStatements } from '../tools/operate/backup/database.ts'
import { listBackups, objectFile, readManifest, type Manifest } from '../tools/operate/backup/folder.ts'
import { restore } from '../tools/operate/backup/restore.ts'
import { applyMigrations } from '../tools/operate/local/stack.ts'
import { BACKUP_RETENTION_DAYS, DAY_MS } from '../src/shared/limits.ts'

vi.setConfig({ testTimeout: 300_000 })

const FIRST = new Date('2026-11-21T02:00:00Z')
const NAME = '2026-11-21T02-00-00Z'
const daysLater = (days: number) => new Date(FIRST.getTime() + days * DAY_MS)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
let root = ''
let folder = ''

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nhaka-backup-test-'))
  folder = join(root, 'backups')
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  rmSync(root, { recursive: true })
})

const STORY = `<p>It's a long story 👵🏾</p>\r\n`.repeat(3000)
const USER = `INSERT INTO users (id, email, first_name, last_name, password_hash, terms_accepted_at, created_at, updated_at)
  VALUES ('usr_a', 'a@family.test', 'Rudo', 'Moyo', 'x', 1, 1, 1)`
const MEMORIAL = `INSERT INTO memorials (id, owner_id, slug, honouree_full_name, title, life_story, created_at, updated_at)
  VALUES ('mem_a', 'usr_a', 'tendai-aaaaaa', 'Tendai', 'O''Brien; DROP TABLE users; --', ?, 1, 1)`
const MEDIUM = `INSERT INTO media (id, memorial_id, type, mime_type, size, original_file_name, object_key, created_at)
  VALUES ('med_a', 'mem_a', 'IMAGE', 'image/jpeg', 7, 'a.jpg', 'm/mem_a/med_a', 1)`
const REST = String.raw`INSERT INTO invite_tokens (token, status, memorial_id, assigned_at, created_at)
  VALUES ('tok_a', 'ASSIGNED', 'mem_a', 1, 1);
INSERT INTO contributors (id, memorial_id, invite_token, display_name, is_guest, token_hash, expires_at, created_at)
  VALUES ('con_a', 'mem_a', 'tok_a', 'Farai', 0, 'hash_a', 2e12, 1);
UPDATE memorials SET title = 'She wrote \n' || char(10) || 'and ' || char(13) || '\r.'`

/** The D1, R2 and KV of a local state folder, opened as `npm start` opens them. */
async function openRuntime(state: string) {
  const { workerOptions } = getWorkerOptions(resolve('wrangler.toml'))
  const { d1Databases, r2Buckets, kvNamespaces } = workerOptions as Required<V4WorkerOptions>
  const bindings = { d1Databases, r2Buckets, kvNamespaces, modules: true, script: 'export default {}' }
  const options = { resourcePersistencePath: join(state, 'worker'), ...bindings }
  const miniflare = new Miniflare(convertV4MiniflareOptions(options))
  const db = await miniflare.getD1Database('DB')
  return {
    miniflare,
    db,
    bucket: await miniflare.getR2Bucket('MEDIA'),
    kv: await miniflare.getKVNamespace('KV'),
  }
}

/** Everything stored: the schema, every row of every table, every object with its bytes and metadata. */
async function everything({ db, bucket }: Awaited<ReturnType<typeof openRuntime>>) {
  const query = `SELECT type, name, sql FROM sqlite_schema WHERE sql NOT NULL AND name NOT GLOB '_cf_*' ORDER BY name`
  const { results: schema } = await db.prepare(query).all<{ type: string; name: string }>()
  const rows: Record<string, Record<string, unknown>[]> = {}
  for (const { type, name } of schema)
    if (type === 'table') rows[name] = (await db.prepare(`SELECT * FROM "${name}"`).all()).results
  const { objects } = await bucket.list({ prefix: 'm/' })
  const stored = objects.map(async ({ key }) => {
    const object = await bucket.get(key)
    return [key, await object?.text(), object?.httpMetadata, object?.customMetadata]
  })
  return { schema, rows, objects: await Promise.all(stored) }
}

/** Runs a script with a permissive umask, so only the script can keep its files private. Returns the output; throws on failure. */
function run(script: string, args: string[]) {
  const command = `umask 022; exec node --disable-warning=ExperimentalWarning tools/operate/${script}.ts "$@"`
  const env = { ...process.env, NHAKA_STATE: join(root, 'state') }
  return execFileSync('sh', ['-c', command, 'sh', ...args], { encoding: 'utf8', env })
}

test('a backup of running data restores the same rows and objects after a wipe', async () => {
  const state = join(root, 'state')
  const before = await openRuntime(state)
  await applyMigrations(before.db)
  await before.db.prepare(USER).run()
  await before.db.prepare(MEMORIAL).bind(STORY).run()
  await before.db.batch([MEDIUM, ...REST.split(';\n')].map((statement) => before.db.prepare(statement)))
  await before.bucket.put('m/mem_a/med_a', 'picture', {
    httpMetadata: { contentType: 'image/jpeg', cacheControl: 'private' },
    customMetadata: { mark: 'm1' },
  })
  await before.bucket.put('m/mem_a/file a+ü', 'pdf', { httpMetadata: { contentType: 'application/pdf' } })
  await before.bucket.put('m/mem_a/empty', '', { httpMetadata: { contentType: 'audio/x-caf' } })
  await before.bucket.put('marks/1', '')
  expect(run('backup', ['--to', folder])).toMatch(/3 objects, 3 of them downloaded now\.\n$/u)
  const wanted = await everything(before)
  await before.miniflare.dispose()
  rmSync(join(state, 'worker'), { recursive: true })

  expect(run('restore', ['--from', folder])).toContain('is restored, with 3 objects')
  // Other users of the machine can read none of the files.
  const written = globSync(['backups/**', 'state/worker/**'], { cwd: root }).map((path) => join(root, path))
  expect(written.length).toBeGreaterThan(15)
  expect(written.filter((path) => (statSync(path).mode & 0o077) !== 0)).toEqual([])
  const after = await openRuntime(state)
  const { rows, ...found } = await everything(after)
  expect(await after.kv.get('contributor:hash_a')).toBe('con_a')
  await after.miniflare.dispose()
  const [user] = rows['users'] ?? []
  // Account sessions are gone after a restore; contributor sessions stay.
  expect(Number(user?.['session_epoch'])).toBeGreaterThan(Date.now() / 1000 - 600)
  expect({ rows: { ...rows, users: [{ ...user, session_epoch: 0 }] }, ...found }).toEqual(wanted)
})

/** A deployment with an in-memory database behind the wrangler commands that backups use, and a Map for a bucket. */
function fakePlace() {
  const db = new DatabaseSync(':memory:')
  const objects = new Map<string, string>([['m/mem_a/med_a', 'picture']])
  const reads: string[] = []
  const etagOf = (text: string) => createHash('md5').update(text).digest('hex')
  for (const file of globSync('migrations/*.sql').toSorted()) db.exec(readFileSync(file, 'utf8'))
  db.exec(USER)
  db.prepare(MEMORIAL).run(STORY)
  db.exec(`${MEDIUM};\n${REST}`)
  const place: Place = {
    scratch: mkdtempSync(join(root, 'scratch-')),
    close: async () => {},
    wrangler(args) {
      const last = args.at(-1) ?? ''
      if (args.includes('--output')) writeFileSync(last, `${[...dumpStatements(db)].join(';\n')};`)
      else if (args.includes('--file')) db.exec(`BEGIN; ${readFileSync(last, 'utf8')} COMMIT`)
      const queries = args.includes('--command') ? last.split(';\n') : []
      return JSON.stringify(queries.map((query) => ({ results: db.prepare(query).all() })))
    },
    bucket: {
      list: async () =>
        [...objects].map(([key, text]) => ({ key, etag: etagOf(text), size: Buffer.byteLength(text) })),
      async get(key) {
        reads.push(key)
        const text = objects.get(key)
        if (text === undefined) return null
        return new Response(text, { headers: { etag: etagOf(text), 'content-length': String(text.length) } })
      },
      put: async (key, file) => void objects.set(key, readFileSync(file, 'utf8')),
    },
  }
  return { place, db, objects, reads }
}

test('a second backup fetches only objects that are new or were overwritten', async () => {
  const { place, objects, reads } = fakePlace()
  objects.set('m/mem_a/same', 'picture')
  expect(await backUp(folder, place, FIRST)).toEqual({ name: NAME, objects: 2, fetched: 2, problems: [] })
  objects.set('m/mem_a/same', 'written again')
  objects.set('m/mem_a/new', 'new')
  reads.length = 0
  expect(await backUp(folder, place, daysLater(1))).toMatchObject({ objects: 3, fetched: 2 })
  expect(reads.toSorted()).toEqual(['m/mem_a/new', 'm/mem_a/same'])
  await expect(backUp(folder, place, FIRST)).rejects.toThrow('There is already a backup')
})

test('deleted data leaves the backups after 30 days, other files in the folder stay', async () => {
  const { place, objects } = fakePlace()
  objects.set('m/mem_a/deleted', 'deleted')
  await backUp(folder, place, FIRST)
  objects.delete('m/mem_a/deleted')
  const foreign = ['notes.txt', `${NAME}.note`, 'objects/readme'].map((path) => join(folder, path))
  for (const path of [...foreign, join(folder, '2026-11-20T02-00-00Z.sql')]) writeFileSync(path, '')
  await backUp(folder, place, daysLater(BACKUP_RETENTION_DAYS - 1))
  expect(existsSync(objectFile(folder, sha256('deleted')))).toBe(true)
  await backUp(folder, place, daysLater(BACKUP_RETENTION_DAYS))
  expect(listBackups(folder)).toEqual(['2026-12-20T02-00-00Z', '2026-12-21T02-00-00Z'])
  expect(globSync('2026-11-*.{sql,json}', { cwd: folder })).toEqual([])
  expect(existsSync(objectFile(folder, sha256('deleted')))).toBe(false)
  expect(existsSync(objectFile(folder, sha256('picture')))).toBe(true)
  expect(foreign.filter((path) => !existsSync(path))).toEqual([])
})

test('an upload and a deletion during a backup leave no row without its object', async () => {
  const { place, db, objects } = fakePlace()
  const { wrangler } = place
  place.wrangler = (args) => {
    if (!args.includes('export')) return wrangler(args)
    objects.set('m/mem_a/med_b', 'uploaded')
    db.exec(MEDIUM.replaceAll('med_a', 'med_b').replace('7', '8'))
    wrangler(args)
    objects.delete('m/mem_a/med_a')
    return ''
  }
  expect(await backUp(folder, place, FIRST)).toMatchObject({ objects: 2, problems: [] })
})

test('a row without its object is reported, and a concurrent second run is refused', async () => {
  const { place, objects } = fakePlace()
  objects.clear()
  const [first, second] = await Promise.allSettled([
    backUp(folder, place, FIRST),
    backUp(folder, place, daysLater(1)),
  ])
  expect(first).toMatchObject({ value: { problems: [expect.stringContaining('med_a m/mem_a/med_a')] } })
  expect(second).toMatchObject({ reason: { message: `Another backup or restore is using ${folder}.` } })
})

/** Modifies a backup the way an attacker with write access could: the checksums are right. */
function forge(change: Partial<Manifest['objects'][number]>, sql = ''): void {
  const dump = join(folder, `${NAME}.sql`)
  appendFileSync(dump, sql)
  const manifest = readManifest(folder, NAME)
  manifest.objects = manifest.objects.map((object) => ({ ...object, ...change }))
  manifest.database = sha256(readFileSync(dump, 'utf8'))
  writeFileSync(join(folder, `${NAME}.json`), JSON.stringify(manifest))
}

test.each([
  ['a dump that attaches a file', () => forge({}, `ATTACH '${root}/x.sqlite' AS x; CREATE TABLE x.t (a);`)],
  ['a dump that writes a file', () => forge({}, `COMMIT; VACUUM INTO '${root}/x.sqlite'; BEGIN;`)],
  ['a dump that changes the schema table', () => forge({}, 'PRAGMA writable_schema = ON;')],
  ['a dump that drops a table', () => forge({}, 'DROP TABLE users;')],
  ['a key in another bucket', () => forge({ key: 'm/../../other/stolen' })],
  ['an object file outside the backup', () => forge({ sha256: '../../../etc/passwd' })],
  ['a damaged dump', () => appendFileSync(join(folder, `${NAME}.sql`), '.')],
  ['a damaged manifest', () => appendFileSync(join(folder, `${NAME}.json`), '.')],
  ['a damaged object', () => appendFileSync(objectFile(folder, sha256('picture')), '.')],
  ['a lost object', () => rmSync(objectFile(folder, sha256('picture')))],
])('a restore refuses %s and changes nothing', async (_, change) => {
  const { place, db, objects } = fakePlace()
  await backUp(folder, place, FIRST)
  change()
  db.exec("UPDATE memorials SET title = 'changed since'")
  objects.clear()
  const restored = restore(folder, place, { mayReplace: true, now: FIRST })
  await expect(restored).rejects.toThrow(/nothing was changed/u)
  expect(db.prepare('SELECT title FROM memorials').all()).toEqual([{ title: 'changed since' }])
  expect([...objects]).toEqual([])
  expect(existsSync(join(root, 'x.sqlite'))).toBe(false)
})

test('a restore with --yes replaces rows and changed objects and deletes no object', async () => {
  const { place, db, objects } = fakePlace()
  await backUp(folder, place, FIRST)
  db.exec('DELETE FROM media')
  objects.set('m/mem_a/med_a', 'spoiled').set('m/mem_a/newer', 'newer')
  const refused = restore(folder, place, { at: NAME, mayReplace: false, now: FIRST })
  await expect(refused).rejects.toThrow('There are 1 accounts and 2 objects already.')
  await restore(folder, place, { at: NAME, mayReplace: true, now: FIRST })
  expect(db.prepare('SELECT id FROM media').all()).toEqual([{ id: 'med_a' }])
  expect(Object.fromEntries(objects)).toEqual({ 'm/mem_a/med_a': 'picture', 'm/mem_a/newer': 'newer' })
})

test('every environment has a bucket, and missing credentials are named', () => {
  for (const name of ['ACCESS_KEY_ID', 'SECRET_ACCESS_KEY', 'ENDPOINT']) vi.stubEnv(`R2_${name}`, 'x')
  vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', 'x')
  const buckets = (['production', 'staging', 'default'] as const).map((env) => bucketAccess(env).bucket)
  expect(buckets).toEqual(['nhaka-media', 'nhaka-staging-media', 'nhaka-media'])
  vi.stubEnv('R2_ACCESS_KEY_ID', '')
  expect(() => bucketAccess('default')).toThrow('Set R2_ACCESS_KEY_ID.')
})

test('a listing is signed, follows its pages and decodes the keys', async () => {
  const page = (key: string, rest: string) =>
    `<Contents><Key>${key}</Key><Size>1</Size><ETag>&quot;e&quot;</ETag></Contents>${rest}`
  vi.stubGlobal('fetch', async ({ url, headers }: Request) => {
    expect(headers.get('authorization')).toContain('/auto/s3/aws4_request')
    if (url.includes('continuation-token=next')) return new Response(page('m%2Fc', ''))
    return new Response(page('m%2Fa%20b', '<NextContinuationToken>next</NextContinuationToken>'))
  })
  const access = { endpoint: 'https://r2.test', bucket: 'b', accessKeyId: 'a', secretAccessKey: 's' }
  const objects = ['m/a b', 'm/c'].map((key) => ({ key, etag: 'e', size: 1 }))
  expect(await openBucket(access).list()).toEqual(objects)
})

test('a wrong environment is refused before anything is opened', async () => {
  const open = (where: { remote: boolean; env: string }) => withPlace(where, 'Usage', async () => 0)
  await expect(open({ remote: false, env: 'staging' })).rejects.toThrow('--env goes with --remote.')
  await expect(open({ remote: true, env: 'prod' })).rejects.toThrow('There is no environment "prod".')
})

test('a broken connection to the bucket is tried again', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch')
  fetched.mockRejectedValueOnce(new TypeError('fetch failed'))
  fetched.mockResolvedValueOnce(new Response('<ListBucketResult></ListBucketResult>'))
  const keys = { accessKeyId: 'id', secretAccessKey: 'secret' }
  const bucket = openBucket({ endpoint: 'https://r2.test', bucket: 'media', ...keys })
  expect(await bucket.list()).toEqual([])
  expect(fetched).toHaveBeenCalledTimes(2)
  fetched.mockRestore()
})

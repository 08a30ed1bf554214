import { createHash, randomUUID } from 'node:crypto'
import { renameSync, statSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { problemsOf } from '../invariants/invariants.ts'
import { objectFindings } from '../invariants/findings.ts'
import { inBatches, type Bucket } from './bucket.ts'
import { dumpStatements, exportDatabase } from './database.ts'
import {
  backupName,
  hashFile,
  listBackups,
  objectFile,
  prune,
  readManifest,
  withLock,
  type BackupObject,
  type Manifest,
} from './folder.ts'
import type { Place } from './place.ts'
import { OperatorError } from '../local/command.ts'

/** Restore markers (decision 0011) belong to one bucket and mean nothing in another; system/ holds only health probes. */
const EXCLUDED = /^(?:marks|system)\//u
const METADATA = /^(?:content-(?:type|language|disposition|encoding)|cache-control|expires|x-amz-meta-.+)$/u
const ATTEMPTS = 3

/**
 * Creates a backup in `folder` and deletes expired ones. It downloads objects before and after the database export, so that
 * every object that a row names is there although people upload and delete meanwhile. Returns its name, the number of objects
 * in it and downloaded now, and the rows whose objects are missing. Throws an OperatorError.
 */
export function backUp(folder: string, place: Place, now: Date) {
  return withLock(folder, async () => {
    const name = backupName(now)
    const newest = listBackups(folder).at(-1)
    if (newest !== undefined && newest >= name)
      throw new OperatorError(`There is already a backup ${newest}.`)
    const known = newest === undefined ? [] : readManifest(folder, newest).objects
    const found = new Map(known.map((object) => [object.key, object]))
    const before = await fetchObjects(folder, place.bucket, found)
    const db = exportDatabase(place)
    const after = await fetchObjects(folder, place.bucket, found)
    const objects = [...new Set([...before.keys, ...after.keys])].flatMap((key) => found.get(key) ?? [])
    const findings = await objectFindings(
      async <T>(query: string) => db.prepare(query).all() as T[],
      objects.map(({ key, size }) => ({ key, size, uploadedAt: now.getTime() })),
      now.getTime(),
    )
    const dump = join(folder, `${name}.sql`)
    writeFileSync(dump, `${[...dumpStatements(db)].join(';\n')};\n`, { mode: 0o600, flush: true })
    db.close()
    const manifest: Manifest = { version: 1, at: now.toISOString(), database: await hashFile(dump), objects }
    const part = join(folder, `${name}.json.part`)
    writeFileSync(part, JSON.stringify(manifest), { mode: 0o600, flush: true })
    renameSync(part, join(folder, `${name}.json`))
    prune(folder, now)
    const counts = { objects: objects.length, fetched: before.fetched + after.fetched }
    return { name, ...counts, problems: problemsOf(findings) }
  })
}

/** Downloads every object that `found` lacks or has with another etag or size. Returns all keys and the number downloaded. */
async function fetchObjects(folder: string, bucket: Bucket, found: Map<string, BackupObject>) {
  const listed = (await bucket.list()).filter(({ key }) => !EXCLUDED.test(key))
  const missing = listed.filter(({ key, etag, size }) => {
    const known = found.get(key)
    if (known?.etag !== etag || known.size !== size) return true
    return statSync(objectFile(folder, known.sha256), { throwIfNoEntry: false })?.size !== size
  })
  await inBatches(missing, async ({ key }) => {
    const object = await fetchObject(folder, bucket, key)
    if (object) found.set(key, object)
    else found.delete(key)
  })
  return { keys: listed.map(({ key }) => key), fetched: missing.length }
}

/** Downloads an object, with retries when the connection breaks. Returns null if it was deleted after the listing. */
async function fetchObject(folder: string, bucket: Bucket, key: string): Promise<BackupObject | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await bucket.get(key)
      return response && (await saveObject(folder, key, response))
    } catch (error) {
      if (attempt === ATTEMPTS) throw new OperatorError(`Could not download ${key}: ${String(error)}`)
    }
  }
}

async function saveObject(folder: string, key: string, response: Response): Promise<BackupObject> {
  const part = join(folder, 'objects', `${randomUUID()}.part`)
  const hash = createHash('sha256')
  let size = 0
  async function* measured() {
    for await (const chunk of response.body ?? []) {
      hash.update(chunk)
      size += chunk.byteLength
      yield chunk
    }
  }
  await writeFile(part, measured(), { flag: 'wx', mode: 0o600, flush: true })
  const length = response.headers.get('content-length')
  if (size !== Number(length)) throw new Error(`${size} of ${length} bytes arrived`)
  const sha256 = hash.digest('hex')
  renameSync(part, objectFile(folder, sha256))
  const etag = (response.headers.get('etag') ?? '').replaceAll('"', '')
  const headers = Object.fromEntries([...response.headers].filter(([name]) => METADATA.test(name)))
  return { key, etag, size, sha256, headers }
}

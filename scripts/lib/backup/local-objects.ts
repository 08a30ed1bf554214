import { createReadStream, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sqliteFiles } from '../local-state.ts'
import type { FetchedObject, ListedObject, ObjectMetadata, ObjectStore } from './place.ts'

const PAGE = 1000
/** Writes of the server may hold the file for a moment. */
const LOCK_TIMEOUT_MS = 5000

type Row = {
  key: string
  blob_id: string | null
  etag: string
  size: number
  http_metadata: string
  custom_metadata: string
}

/**
 * The objects of a local folder, read from its files: it changes nothing and works whether or not the server runs. A file
 * of bytes is never written again under its name, so one that is found is whole.
 */
export function localObjects(folder: string): ObjectStore {
  let found: string | undefined
  // Looked for once: below the folder lies every object.
  const file = () => (found ??= sqliteFiles(folder, '**/miniflare-R2BucketObject', '_mf_objects')[0])
  return {
    async *list() {
      for (let after = ''; ;) {
        const page = read<ListedObject>(
          file(),
          'SELECT key, etag, size FROM _mf_objects WHERE key > ? ORDER BY key LIMIT ?',
          after,
          PAGE,
        )
        yield* page
        const last = page.at(-1)
        if (!last || page.length < PAGE) return
        after = last.key
      }
    },
    async get(key) {
      // Written anew or deleted between the look at its row and at its bytes: the row is read once more.
      return findObject(file(), key) ?? findObject(file(), key)
    },
  }
}

function findObject(file: string | undefined, key: string): FetchedObject | null {
  if (!file) return null
  const [row] = read<Row>(file, 'SELECT * FROM _mf_objects WHERE key = ?', key)
  if (!row) return null
  const parts = read<{ blob_id: string }>(
    file,
    'SELECT blob_id FROM _mf_multipart_parts WHERE object_key = ? ORDER BY part_number',
    key,
  )
  const blobs = (row.blob_id === null ? parts : [{ blob_id: row.blob_id }]).map(({ blob_id }) =>
    resolve(file, '../../nhaka-media/blobs', blob_id),
  )
  if (!blobs.every((blob) => existsSync(blob))) return null
  const custom = JSON.parse(row.custom_metadata) as Record<string, string>
  return {
    etag: row.etag,
    size: row.size,
    metadata: {
      ...(JSON.parse(row.http_metadata) as ObjectMetadata),
      ...(Object.keys(custom).length > 0 ? { custom } : {}),
    },
    body: bytesOf(blobs),
  }
}

async function* bytesOf(files: string[]): AsyncGenerator<Uint8Array> {
  for (const file of files) {
    for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) yield chunk as Buffer
  }
}

function read<T>(file: string | undefined, query: string, ...values: (string | number)[]): T[] {
  if (!file) return []
  const db = new DatabaseSync(file, { readOnly: true, timeout: LOCK_TIMEOUT_MS })
  try {
    return db.prepare(query).all(...values) as T[]
  } finally {
    db.close()
  }
}

import { openAsBlob } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import { OperatorError } from '../local/command.ts'

/** The S3 endpoint, such as `https://<account>.r2.cloudflarestorage.com`, a bucket, and the keys to it. */
export type BucketAccess = { endpoint: string; bucket: string; accessKeyId: string; secretAccessKey: string }

/** An object in a listing; the etag has no quotes, the size is in bytes. */
type ListedObject = { key: string; etag: string; size: number }

/** One R2 bucket. `get` returns null if no object has the key. Every method throws an OperatorError when it fails. */
export type Bucket = {
  list: () => Promise<ListedObject[]>
  get: (key: string) => Promise<Response | null>
  /** Uploads a file with these metadata headers. The bucket checks the SHA-256 of the bytes. */
  put: (key: string, file: string, sha256: string, headers: Record<string, string>) => Promise<void>
}

const PARALLEL = 8
const TRIES = 4
const RETRY_MS = 500

/** False for a key whose URL would lead out of the bucket, or to the bucket itself. */
export function isSafeKey(key: string): boolean {
  return key !== '' && !key.split('/').some((part) => part === '.' || part === '..')
}

/** Opens a bucket through R2's S3 API (https://developers.cloudflare.com/r2/api/s3/api/): wrangler cannot list objects. */
export function openBucket({ endpoint, bucket, ...keys }: BucketAccess): Bucket {
  // The client signs requests and retries after 429 and 5xx.
  const client = new AwsClient({ ...keys, service: 's3', region: 'auto' })

  /** Tries again after a broken connection: every request may be repeated, and nobody watches a nightly backup. */
  async function connect(path: string, init: RequestInit, tries = TRIES): Promise<Response> {
    try {
      return await client.fetch(`${endpoint}/${bucket}${path}`, init)
    } catch (error) {
      if (tries === 1) throw new OperatorError(`Could not reach ${bucket}: ${String(error)}`)
      await setTimeout(RETRY_MS)
      return connect(path, init, tries - 1)
    }
  }

  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await connect(path, init)
    if (response.ok || (response.status === 404 && init.method === undefined)) return response
    const text = await response.text()
    throw new OperatorError(`${bucket} answered ${response.status}: ${tagOf(text, 'Message') || text}`)
  }

  return {
    async list() {
      const objects: ListedObject[] = []
      for (let token = ''; ;) {
        const query = new URLSearchParams({ 'list-type': '2', 'encoding-type': 'url' })
        if (token) query.set('continuation-token', token)
        const response = await send(`?${query}`)
        if (!response.ok) throw new OperatorError(`There is no bucket ${bucket}.`)
        const page = await response.text()
        for (const [entry] of page.matchAll(/<Contents>.*?<\/Contents>/gsu)) {
          objects.push({
            key: decodeURIComponent(tagOf(entry, 'Key').replaceAll('+', '%20')),
            etag: tagOf(entry, 'ETag').replaceAll(/&quot;|&#34;|"/gu, ''),
            size: Number(tagOf(entry, 'Size')),
          })
        }
        token = tagOf(page, 'NextContinuationToken')
        if (!token) return objects
      }
    },
    async get(key) {
      const response = await send(pathOf(key))
      return response.ok ? response : null
    },
    async put(key, file, sha256, headers) {
      const body = await openAsBlob(file)
      await send(pathOf(key), {
        method: 'PUT',
        body,
        headers: { ...headers, 'x-amz-content-sha256': sha256 },
      })
    },
  }
}

/** Does the work for every item, eight at a time. */
export async function inBatches<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += PARALLEL)
    await Promise.all(items.slice(at, at + PARALLEL).map(work))
}

function pathOf(key: string): string {
  if (!isSafeKey(key)) throw new OperatorError(`${JSON.stringify(key)} is not a valid object key.`)
  return `/${key.split('/').map(encodeURIComponent).join('/')}`
}

function tagOf(xml: string, name: string): string {
  return new RegExp(`<${name}>(.*?)</${name}>`, 'su').exec(xml)?.[1] ?? ''
}

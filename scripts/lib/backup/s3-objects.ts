import { request as plainRequest, type IncomingMessage } from 'node:http'
import { request as secureRequest } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { StateProblem } from '../local-state.ts'
import { exchange } from './exchange.ts'
import type { ListedObject, NewObject, ObjectMetadata, ObjectStore } from './place.ts'
import { EMPTY_SHA256, encodeForS3, signS3, type S3Keys } from './s3-signature.ts'

export type Bucket = S3Keys & {
  /** Where S3 is spoken, as `https://<account>.r2.cloudflarestorage.com`. */
  endpoint: string
  bucket: string
}

type Call = {
  method: 'GET' | 'PUT'
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: { open: () => AsyncIterable<Uint8Array>; size: number; sha256: string }
}

/** Between one try and the next; after the last the failure stands. */
const AGAIN_AFTER_MS = [500, 2000, 8000]
/** A line that has said nothing for so long says nothing more. */
const SILENCE_MS = 60_000
const LIST_MAX = '1000'

const HTTP_METADATA = {
  'content-type': 'contentType',
  'content-language': 'contentLanguage',
  'content-disposition': 'contentDisposition',
  'content-encoding': 'contentEncoding',
  'cache-control': 'cacheControl',
} as const
const CUSTOM = 'x-amz-meta-'

/**
 * The objects of a bucket, and how one is written, by the S3 API of R2: wrangler's sign-in lists objects to nobody. What fails
 * for a moment is tried again. Source: https://developers.cloudflare.com/r2/api/s3/api/
 */
export function s3Objects(bucket: Bucket): ObjectStore & { put: (object: NewObject) => Promise<void> } {
  return {
    async *list() {
      for (let token: string | null = null; ;) {
        const query: Record<string, string> = {
          'list-type': '2',
          'encoding-type': 'url',
          'max-keys': LIST_MAX,
        }
        const page = await readText(
          await call(bucket, {
            method: 'GET',
            query: token === null ? query : { ...query, 'continuation-token': token },
          }),
        )
        yield* readListing(page)
        token = textOf(page, 'NextContinuationToken')
        if (textOf(page, 'IsTruncated') !== 'true' || token === null) return
      }
    },
    async get(key) {
      const answer = await call(bucket, { method: 'GET', key })
      if (answer.statusCode === 404) {
        answer.resume()
        return null
      }
      return {
        etag: bare(answer.headers.etag ?? ''),
        size: Number(answer.headers['content-length']),
        metadata: readMetadata(answer),
        body: answer as AsyncIterable<Uint8Array>,
      }
    },
    async put({ key, size, sha256, metadata, open }) {
      const headers = writeMetadata(metadata)
      await readText(await call(bucket, { method: 'PUT', key, headers, body: { open, size, sha256 } }))
    },
  }
}

/** True for a key that an address cannot hold: `.` and `..` would lead out of the bucket, none at all to the bucket itself. */
export function isOddKey(key: string): boolean {
  return key === '' || key.split('/').some((part) => part === '.' || part === '..')
}

/** The answer, when it is 200 or 404. Throws a StateProblem with what the bucket said otherwise. */
async function call(bucket: Bucket, what: Call): Promise<IncomingMessage> {
  for (let attempt = 0; ; attempt++) {
    const pause = AGAIN_AFTER_MS[attempt]
    try {
      const answer = await send(bucket, what)
      const status = answer.statusCode ?? 0
      if (status === 200 || (status === 404 && what.key !== undefined && what.method === 'GET')) return answer
      const said = await readText(answer)
      const mayPass = status >= 500 || status === 429
      if (!mayPass || pause === undefined) {
        throw new StateProblem(
          `${bucket.bucket} answered ${status}: ${textOf(said, 'Message') ?? said.slice(0, 200)}`,
        )
      }
    } catch (error) {
      if (error instanceof StateProblem) throw error
      if (pause === undefined)
        throw new StateProblem(`${bucket.bucket} could not be reached: ${String(error)}`)
    }
    await wait(pause)
  }
}

async function send(
  bucket: Bucket,
  { method, key, query, headers = {}, body }: Call,
): Promise<IncomingMessage> {
  if (key !== undefined && isOddKey(key))
    throw new StateProblem(`${JSON.stringify(key)} cannot be the key of an object.`)
  const path = [bucket.bucket, ...(key ?? '').split('/')].map(encodeForS3).join('/')
  const url = new URL(`${bucket.endpoint}/${key === undefined ? encodeForS3(bucket.bucket) : path}`)
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
  const bodySha256 = body?.sha256 ?? EMPTY_SHA256
  const signed = signS3({ method, url, headers, bodySha256 }, bucket, new Date())
  const start = url.protocol === 'https:' ? secureRequest : plainRequest
  const outgoing = start(url, { method, headers: { ...signed, 'content-length': String(body?.size ?? 0) } })
  outgoing.setTimeout(SILENCE_MS, () => outgoing.destroy(new Error('the storage says nothing')))
  return exchange(outgoing, body ? body.open() : null)
}

async function readText(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += String(chunk)
  return text
}

function* readListing(page: string): Generator<ListedObject> {
  const isEncoded = textOf(page, 'EncodingType') === 'url'
  for (const [, entry = ''] of page.matchAll(/<Contents>(.*?)<\/Contents>/gsu)) {
    const key = textOf(entry, 'Key') ?? ''
    yield {
      key: isEncoded ? decodeURIComponent(key.replaceAll('+', '%20')) : key,
      etag: bare(textOf(entry, 'ETag') ?? ''),
      size: Number(textOf(entry, 'Size')),
    }
  }
}

const ENTITIES: Record<string, string> = {
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
  amp: '&',
  '#34': '"',
  '#39': "'",
}

function textOf(xml: string, name: string): string | null {
  const found = new RegExp(`<${name}>(.*?)</${name}>`, 'su').exec(xml)?.[1]
  return found?.replaceAll(/&(#?\w+);/gu, (whole, entity: string) => ENTITIES[entity] ?? whole) ?? null
}

function bare(etag: string): string {
  return etag.replaceAll('"', '')
}

function readMetadata({ headers }: IncomingMessage): ObjectMetadata {
  const metadata: ObjectMetadata = {}
  for (const [header, name] of Object.entries(HTTP_METADATA)) {
    const value = headers[header]
    if (typeof value === 'string') metadata[name] = value
  }
  if (headers.expires) metadata.cacheExpiry = Date.parse(headers.expires)
  const custom = Object.entries(headers)
    .filter(([name]) => name.startsWith(CUSTOM))
    .map(([name, value]) => [name.slice(CUSTOM.length), String(value)])
  if (custom.length > 0) metadata.custom = Object.fromEntries(custom) as Record<string, string>
  return metadata
}

function writeMetadata(metadata: ObjectMetadata): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [header, name] of Object.entries(HTTP_METADATA)) {
    const value = metadata[name]
    if (value !== undefined) headers[header] = value
  }
  if (metadata.cacheExpiry !== undefined) headers['expires'] = new Date(metadata.cacheExpiry).toUTCString()
  for (const [name, value] of Object.entries(metadata.custom ?? {})) headers[`${CUSTOM}${name}`] = value
  return headers
}

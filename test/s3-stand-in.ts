import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { signS3, type S3Keys } from '../scripts/lib/backup/s3-signature.ts'

export type Stored = { bytes: Buffer; etag: string; headers: Record<string, string> }
/** What a call may be met with instead of its answer. `stall`: half of it, and then nothing. */
export type Fault = 'stall' | 'break' | 'busy'

const KEYS: S3Keys = { accessKeyId: 'AKTEST', secretAccessKey: 'secret', region: 'auto' }
/** Small, so that a listing has pages. */
const PAGE = 4

/** A bucket that speaks as much S3 as R2 does for us, on a port of this machine, with its objects in memory. */
export async function startS3(faults: (method: string, key: string) => Fault | null = () => null) {
  const objects = new Map<string, Stored>()
  const gets: string[] = []
  const server = createServer((request, answer) => {
    void handle(request, answer).catch(() => answer.destroy())
  })
  async function handle(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
    const key = url.pathname.split('/').slice(2).map(decodeURIComponent).join('/')
    const method = request.method ?? ''
    const body: Buffer[] = []
    for await (const chunk of request) body.push(chunk as Buffer)
    const bytes = Buffer.concat(body)
    if (!isSigned(request, url, bytes)) return refuse(answer, 403, 'The request signature does not match.')
    if (method === 'GET' && key) gets.push(key)
    const fault = faults(method, key)
    if (fault === 'busy') return refuse(answer, 503, 'Reduce your rate of requests.')
    if (method === 'GET' && key === '') return list(url, answer)
    if (method === 'PUT') {
      const etag = createHash('md5').update(bytes).digest('hex')
      const names = Object.keys(request.headers).filter((name) =>
        /^(?:content-(?!length)|cache-control|expires|x-amz-meta-)/u.test(name),
      )
      const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name])]))
      objects.set(key, { bytes, etag, headers })
      answer.writeHead(200, { ETag: `"${etag}"` }).end()
      return
    }
    const object = objects.get(key)
    if (!object) return refuse(answer, 404, 'The specified key does not exist.')
    answer.writeHead(200, {
      ...object.headers,
      ETag: `"${object.etag}"`,
      'Content-Length': object.bytes.byteLength,
    })
    if (fault === 'stall') {
      answer.write(object.bytes.subarray(0, object.bytes.byteLength / 2))
      return
    }
    if (fault === 'break') {
      answer.write(object.bytes.subarray(0, object.bytes.byteLength - 1), () => answer.destroy())
      return
    }
    answer.end(object.bytes)
  }
  function list(url: URL, answer: ServerResponse): void {
    const after = url.searchParams.get('continuation-token') ?? ''
    const keys = [...objects.keys()].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    const left = keys.filter((key) => Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0)
    const page = left.slice(0, PAGE)
    const isTruncated = left.length > PAGE
    const entries = page.map((key) => {
      const { etag, bytes } = objects.get(key)!
      const name = encodeURIComponent(key).replaceAll('%20', '+')
      return `<Contents><Key>${name}</Key><ETag>&quot;${etag}&quot;</ETag><Size>${bytes.byteLength}</Size></Contents>`
    })
    const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    answer.end(
      `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${isTruncated}</IsTruncated>${next}${entries.join('')}</ListBucketResult>`,
    )
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    bucket: { ...KEYS, endpoint, bucket: 'nhaka-media' },
    objects,
    /** Keys that were read, in order. */
    gets,
    put(key: string, text: string, headers: Record<string, string> = {}) {
      const bytes = Buffer.from(text)
      objects.set(key, { bytes, etag: createHash('md5').update(bytes).digest('hex'), headers })
    },
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

function refuse(answer: ServerResponse, status: number, message: string): void {
  answer.writeHead(status).end(`<Error><Message>${message}</Message></Error>`)
}

function isSigned(request: IncomingMessage, url: URL, bytes: Buffer): boolean {
  const { authorization = '', ...headers } = request.headers as Record<string, string>
  const bodySha256 = createHash('sha256').update(bytes).digest('hex')
  if (headers['x-amz-content-sha256'] !== bodySha256) return false
  const names = /SignedHeaders=([^,]+)/u.exec(authorization)?.[1]?.split(';') ?? []
  const signed = Object.fromEntries(names.map((name) => [name, headers[name] ?? '']))
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/u.exec(
    headers['x-amz-date'] ?? '',
  ) ?? ['']
  const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  const again = signS3({ method: request.method ?? '', url, headers: signed, bodySha256 }, KEYS, at)
  return again['authorization'] === authorization
}

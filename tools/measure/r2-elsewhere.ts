import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, mkdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

type Part = { file: string; size: number }
type Stored = { parts: Part[]; httpFields: object; uploaded: number; etag: string }
/** What the runtime asks of a bucket: https://github.com/cloudflare/workerd, `src/workerd/api/r2-api.capnp`. */
type Asked = {
  method: string
  object: string
  objects?: string[]
  prefix?: string
  uploadId: string
  partNumber: number
  parts: { part: number }[]
  httpFields?: object
  range?: { offset?: string | number; length?: string | number }
}

const BAD: Record<string, string> = {
  'cf-r2-error': JSON.stringify({ version: 1, v4code: 10007, message: 'The specified key does not exist.' }),
}

/**
 * An R2 bucket in this process. The runtime's local one lives in the very process whose memory is to be measured, and
 * takes memory of the size of the files that come out of it. It knows what uploads and downloads need and nothing besides.
 */
export async function startBucket(folder: string): Promise<{ url: string; close: () => void }> {
  mkdirSync(folder, { recursive: true })
  const objects = new Map<string, Stored>()
  const uploads = new Map<string, { parts: Map<number, Part>; httpFields: object }>()

  const sizeOf = ({ parts }: Stored) => parts.reduce((sum, { size }) => sum + size, 0)
  const facts = (name: string, stored: Stored, range?: { offset: number; length: number }) => ({
    name,
    version: stored.etag,
    size: sizeOf(stored),
    etag: stored.etag,
    uploaded: stored.uploaded,
    httpFields: stored.httpFields,
    customFields: [],
    checksums: {},
    ...(range && { range }),
  })
  const answer = (response: ServerResponse, value: object, body = 0) => {
    const json = JSON.stringify(value)
    const bytes = Buffer.byteLength(json)
    response.writeHead(200, { 'cf-r2-metadata-size': bytes, 'Content-Length': bytes + body })
    response.write(json)
  }
  const keep = (name: string, parts: Part[], httpFields: object) => {
    const stored = { parts, httpFields, uploaded: Date.now(), etag: randomUUID().replaceAll('-', '') }
    objects.set(name, stored)
    return facts(name, stored)
  }
  const take = async (request: IncomingMessage): Promise<Part> => {
    const file = join(folder, randomUUID())
    const to = createWriteStream(file)
    await pipeline(request, to)
    return { file, size: to.bytesWritten }
  }
  const drop = (name: string) => {
    for (const { file } of objects.get(name)?.parts ?? []) rmSync(file, { force: true })
    objects.delete(name)
  }

  async function get(asked: Asked, response: ServerResponse): Promise<void> {
    if (asked.method === 'list') {
      const found = [...objects].filter(([name]) => name.startsWith(asked.prefix ?? ''))
      answer(response, {
        objects: found.map(([name, stored]) => facts(name, stored)),
        truncated: false,
        delimitedPrefixes: [],
      })
      return
    }
    const stored = objects.get(asked.object)
    if (!stored) {
      response.writeHead(404, BAD)
      return
    }
    if (asked.method === 'head') {
      answer(response, facts(asked.object, stored))
      return
    }
    const size = sizeOf(stored)
    const offset = Number(asked.range?.offset ?? 0)
    const length = Math.min(Number(asked.range?.length ?? size), size - offset)
    answer(response, facts(asked.object, stored, { offset, length }), length)
    // Each part adds its own.
    response.setMaxListeners(0)
    let before = 0
    for (const part of stored.parts) {
      const start = Math.max(0, offset - before)
      const end = Math.min(part.size, offset + length - before)
      before += part.size
      if (start >= end) continue
      const from = createReadStream(part.file, { start, end: end - 1 })
      await pipeline(from, response, { end: false })
    }
  }

  async function put(asked: Asked, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (asked.method === 'put') {
      const part = await take(request)
      drop(asked.object)
      answer(response, keep(asked.object, [part], asked.httpFields ?? {}))
    } else if (asked.method === 'createMultipartUpload') {
      const uploadId = randomUUID()
      uploads.set(uploadId, { parts: new Map(), httpFields: asked.httpFields ?? {} })
      answer(response, { uploadId })
    } else if (asked.method === 'uploadPart') {
      const part = await take(request)
      uploads.get(asked.uploadId)?.parts.set(asked.partNumber, part)
      answer(response, { etag: randomUUID() })
    } else if (asked.method === 'completeMultipartUpload') {
      const upload = uploads.get(asked.uploadId)
      const parts = asked.parts.flatMap(({ part }) => upload?.parts.get(part) ?? [])
      answer(response, keep(asked.object, parts, upload?.httpFields ?? {}))
    } else if (asked.method === 'delete') {
      for (const name of asked.objects ?? [asked.object]) drop(name)
      answer(response, {})
    } else {
      response.writeHead(501)
    }
  }

  const server = createServer((request, response) => {
    const header = (name: string) => String(request.headers[`mf-header-${name}`] ?? '')
    const work = async () => {
      const inHeader = header('cf-r2-request')
      if (inHeader !== '') return get(JSON.parse(inHeader) as Asked, response)
      const asked = await readPrefix(request, Number(header('cf-r2-metadata-size')))
      return put(JSON.parse(asked) as Asked, request, response)
    }
    work().then(
      () => response.end(),
      (error: unknown) => {
        console.error('the bucket failed:', error)
        response.destroy()
      },
    )
  })
  // The runtime keeps connections for later; one that is closed meanwhile would fail its next request.
  server.keepAliveTimeout = 0
  server.requestTimeout = 0
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The first bytes of a request, which say what the rest is. */
async function readPrefix(request: IncomingMessage, size: number): Promise<string> {
  for (;;) {
    const prefix = request.read(size) as Buffer | null
    if (prefix) return prefix.toString('utf8')
    await new Promise((done) => request.once('readable', done))
  }
}

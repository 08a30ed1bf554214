import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, mkdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

type Part = { file: string; size: number }
type Stored = { parts: Part[]; httpFields: object; uploaded: number; etag: string }
/** The runtime's request to a bucket: https://github.com/cloudflare/workerd, `src/workerd/api/r2-api.capnp`. */
type BucketRequest = {
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

const NOT_FOUND: Record<string, string> = {
  'cf-r2-error': JSON.stringify({ version: 1, v4code: 10007, message: 'The specified key does not exist.' }),
}

/**
 * Serves an R2 bucket from this process. The runtime's own local bucket would run in the process whose memory is measured, and
 * buffers whole files. Only the methods that uploads and downloads need are implemented.
 */
export async function startBucket(folder: string): Promise<Disposable & { url: string }> {
  mkdirSync(folder, { recursive: true })
  const objects = new Map<string, Stored>()
  const uploads = new Map<string, { parts: Map<number, Part>; httpFields: object }>()

  const sizeOf = ({ parts }: Stored) => parts.reduce((sum, { size }) => sum + size, 0)
  const describe = (name: string, stored: Stored, range?: { offset: number; length: number }) => ({
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
  const save = (name: string, parts: Part[], httpFields: object) => {
    const stored = { parts, httpFields, uploaded: Date.now(), etag: randomUUID().replaceAll('-', '') }
    objects.set(name, stored)
    return describe(name, stored)
  }
  const receive = async (request: IncomingMessage): Promise<Part> => {
    const file = join(folder, randomUUID())
    const to = createWriteStream(file)
    await pipeline(request, to)
    return { file, size: to.bytesWritten }
  }
  const remove = (name: string) => {
    for (const { file } of objects.get(name)?.parts ?? []) rmSync(file, { force: true })
    objects.delete(name)
  }

  async function get(call: BucketRequest, response: ServerResponse): Promise<void> {
    if (call.method === 'list') {
      const found = [...objects].filter(([name]) => name.startsWith(call.prefix ?? ''))
      answer(response, {
        objects: found.map(([name, stored]) => describe(name, stored)),
        truncated: false,
        delimitedPrefixes: [],
      })
      return
    }
    const stored = objects.get(call.object)
    if (!stored) {
      response.writeHead(404, NOT_FOUND)
      return
    }
    if (call.method === 'head') {
      answer(response, describe(call.object, stored))
      return
    }
    const size = sizeOf(stored)
    const offset = Number(call.range?.offset ?? 0)
    const length = Math.min(Number(call.range?.length ?? size), size - offset)
    answer(response, describe(call.object, stored, { offset, length }), length)
    // Each part adds its own listeners.
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

  async function put(call: BucketRequest, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (call.method === 'put') {
      const part = await receive(request)
      remove(call.object)
      answer(response, save(call.object, [part], call.httpFields ?? {}))
    } else if (call.method === 'createMultipartUpload') {
      const uploadId = randomUUID()
      uploads.set(uploadId, { parts: new Map(), httpFields: call.httpFields ?? {} })
      answer(response, { uploadId })
    } else if (call.method === 'uploadPart') {
      const part = await receive(request)
      uploads.get(call.uploadId)?.parts.set(call.partNumber, part)
      answer(response, { etag: randomUUID() })
    } else if (call.method === 'completeMultipartUpload') {
      const upload = uploads.get(call.uploadId)
      const parts = call.parts.flatMap(({ part }) => upload?.parts.get(part) ?? [])
      answer(response, save(call.object, parts, upload?.httpFields ?? {}))
    } else if (call.method === 'delete') {
      for (const name of call.objects ?? [call.object]) remove(name)
      answer(response, {})
    } else {
      response.writeHead(501)
    }
  }

  const server = createServer((request, response) => {
    const header = (name: string) => String(request.headers[`mf-header-${name}`] ?? '')
    const work = async () => {
      const inHeader = header('cf-r2-request')
      if (inHeader !== '') return get(JSON.parse(inHeader) as BucketRequest, response)
      const json = await readPrefix(request, Number(header('cf-r2-metadata-size')))
      return put(JSON.parse(json) as BucketRequest, request, response)
    }
    work().then(
      () => response.end(),
      (error: unknown) => {
        console.error('the bucket failed:', error)
        response.destroy()
      },
    )
  })
  // The runtime reuses connections; if this server closed an idle one, the next request on it would fail.
  server.keepAliveTimeout = 0
  server.requestTimeout = 0
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Reads the first `size` bytes of a request, which describe the rest. */
async function readPrefix(request: IncomingMessage, size: number): Promise<string> {
  for (;;) {
    const prefix = request.read(size) as Buffer | null
    if (prefix) return prefix.toString('utf8')
    await new Promise((done) => request.once('readable', done))
  }
}

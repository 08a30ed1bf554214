import { Buffer } from 'node:buffer'
import { LARGEST_CHUNK_BYTES, chunkBytes } from '../../src/shared/media/uploads.ts'
import type { Stack } from '../operate/local/stack.ts'
import { TENDAI } from '../operate/demo/texts.ts'
import { account, DEMO, paidMemorial } from '../operate/seed.ts'

/** The runtime closes connections that are idle for 5 s, and a busy client may notice that too late. */
const FRESH = { Connection: 'close' }

/** Sends the same files in the same requests, to the product or to the bare Worker. */
export type Sender = {
  /** Uploads in one request. Returns an id for {@link Sender.download} and {@link Sender.remove}. */
  sendForm: (form: Form) => Promise<string>
  /** Uploads with one request to start, then one for each chunk. Returns an id, as `sendForm` does. */
  sendChunks: (file: Buffer<ArrayBuffer>) => Promise<string>
  /** Downloads all of it. Returns the number of bytes. */
  download: (id: string) => Promise<number>
  remove: (id: string) => Promise<void>
}

export type Form = { body: Buffer<ArrayBuffer>; headers: Record<string, string> }

/** A video as the upload form sends it. */
export function formOf(file: Buffer<ArrayBuffer>): Form {
  const boundary = 'nhaka-bench-boundary'
  const before =
    `--${boundary}\r\nContent-Disposition: form-data; name="type"\r\n\r\nVIDEO\r\n` +
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="film.mp4"\r\n` +
    'Content-Type: video/mp4\r\n\r\n'
  return {
    body: Buffer.concat([Buffer.from(before), file, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    headers: { ...FRESH, 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  }
}

type Chunk = { offset: number; bytes: Buffer<ArrayBuffer> }

/** The chunks of a resumable upload, as large as in a browser on a fast network. */
function chunksOf(file: Buffer<ArrayBuffer>, sizeAt: (offset: number) => number): Chunk[] {
  const chunks: Chunk[] = []
  for (let offset = 0; offset < file.length;) {
    const bytes = file.subarray(offset, offset + sizeAt(offset))
    chunks.push({ offset, bytes })
    offset += bytes.length
  }
  return chunks
}

async function expectStatus(status: number, sent: Promise<Response>): Promise<Response> {
  const response = await sent
  if (response.status !== status) throw new Error(`${response.url}: status ${response.status}`)
  return response
}

async function readAll(sent: Promise<Response>): Promise<number> {
  const { body } = await expectStatus(200, sent)
  let bytes = 0
  for await (const chunk of body ?? []) bytes += chunk.byteLength
  return bytes
}

/** Sends to the product, as the owner of a new memorial. `downloadExport` downloads its export and returns its size in bytes. */
export async function productSender({
  url,
  sandboxUrl,
}: Stack): Promise<Sender & { downloadExport: () => Promise<number> }> {
  const owner = await account(url, sandboxUrl, DEMO.owner)
  const memorial = await paidMemorial(owner, sandboxUrl, TENDAI)
  const path = `/api/memorials/${memorial.id}`
  const tus = { ...FRESH, 'Tus-Resumable': '1.0.0' }
  return {
    async sendForm({ body, headers }) {
      const response = await expectStatus(201, owner.send('POST', `${path}/media/upload`, body, headers))
      return ((await response.json()) as { id: string }).id
    },
    async sendChunks(file) {
      const created = owner.send('POST', `${path}/uploads`, undefined, {
        ...tus,
        'Upload-Length': String(file.length),
        'Upload-Metadata': `filename ${btoa('film.mp4')},type ${btoa('VIDEO')}`,
      })
      const upload = (await expectStatus(201, created)).headers.get('Location') ?? ''
      let id: string | null = null
      for (const { offset, bytes } of chunksOf(file, (at) => chunkBytes(at, LARGEST_CHUNK_BYTES))) {
        const headers = {
          ...tus,
          'Content-Type': 'application/offset+octet-stream',
          'Upload-Offset': String(offset),
        }
        const answer = await expectStatus(204, owner.send('PATCH', upload, bytes, headers))
        id = answer.headers.get('Nhaka-Media-Id')
      }
      if (id === null) throw new Error('the last chunk created no media item')
      return id
    },
    download: (id) => readAll(owner.send('GET', `/media/stream/${id}`, undefined, FRESH)),
    downloadExport: () => readAll(owner.send('GET', `${path}/export`, undefined, FRESH)),
    async remove(id) {
      await expectStatus(204, owner.send('DELETE', `/api/media/${id}`, undefined, FRESH))
    },
  }
}

/** Sends to the bare Worker at `url`. */
export function bareSender(url: string): Sender {
  let uploads = 0
  const newKey = () => `${url}/${++uploads}`
  return {
    async sendForm({ body, headers }) {
      const key = newKey()
      await expectStatus(201, fetch(key, { method: 'POST', body, headers }))
      return key
    },
    async sendChunks(file) {
      const key = newKey()
      const started = await expectStatus(201, fetch(`${key}?start`, { method: 'POST', headers: FRESH }))
      const upload = await started.text()
      const parts: unknown[] = []
      // Each chunk is a part, and R2 wants parts of equal size. The product's first chunk is 256 bytes longer.
      for (const { offset, bytes } of chunksOf(file, () => LARGEST_CHUNK_BYTES)) {
        const isLast = offset + bytes.length === file.length
        const query = new URLSearchParams({
          upload,
          part: String(parts.length + 1),
          ...(isLast && { complete: JSON.stringify(parts) }),
        })
        const sent = fetch(`${key}?${query}`, { method: 'PATCH', body: bytes, headers: FRESH })
        parts.push(await (await expectStatus(200, sent)).json())
      }
      return key
    },
    download: (key) => readAll(fetch(key, { headers: FRESH })),
    async remove(key) {
      await expectStatus(204, fetch(key, { method: 'DELETE', headers: FRESH }))
    },
  }
}

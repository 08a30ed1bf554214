import { Buffer } from 'node:buffer'
import { LARGEST_CHUNK_BYTES, chunkBytes } from '../../src/shared/uploads.ts'
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

async function readAll(response: Response): Promise<number> {
  let bytes = 0
  for await (const chunk of response.body ?? []) bytes += chunk.byteLength
  return bytes
}

function expectStatus(response: Response, status: number): Response {
  if (response.status !== status) throw new Error(`${response.url}: status ${response.status}`)
  return response
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
      const response = expectStatus(await owner.send('POST', `${path}/media/upload`, body, headers), 201)
      return ((await response.json()) as { id: string }).id
    },
    async sendChunks(file) {
      const created = await owner.send('POST', `${path}/uploads`, undefined, {
        ...tus,
        'Upload-Length': String(file.length),
        'Upload-Metadata': `filename ${btoa('film.mp4')},type ${btoa('VIDEO')}`,
      })
      const upload = expectStatus(created, 201).headers.get('Location') ?? ''
      let id: string | null = null
      for (const { offset, bytes } of chunksOf(file, (at) => chunkBytes(at, LARGEST_CHUNK_BYTES))) {
        const headers = {
          ...tus,
          'Content-Type': 'application/offset+octet-stream',
          'Upload-Offset': String(offset),
        }
        const answer = expectStatus(await owner.send('PATCH', upload, bytes, headers), 204)
        id = answer.headers.get('Nhaka-Media-Id')
      }
      if (id === null) throw new Error('the last chunk created no media item')
      return id
    },
    download: async (id) =>
      readAll(expectStatus(await owner.send('GET', `/media/stream/${id}`, undefined, FRESH), 200)),
    downloadExport: async () =>
      readAll(expectStatus(await owner.send('GET', `${path}/export`, undefined, FRESH), 200)),
    async remove(id) {
      expectStatus(await owner.send('DELETE', `/api/media/${id}`, undefined, FRESH), 204)
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
      expectStatus(await fetch(key, { method: 'POST', body, headers }), 201)
      return key
    },
    async sendChunks(file) {
      const key = newKey()
      const upload = await expectStatus(
        await fetch(`${key}?start`, { method: 'POST', headers: FRESH }),
        201,
      ).text()
      const parts: unknown[] = []
      // Each chunk is a part, and R2 wants parts of equal size. The product's first chunk is 256 bytes longer.
      for (const { offset, bytes } of chunksOf(file, () => LARGEST_CHUNK_BYTES)) {
        const isLast = offset + bytes.length === file.length
        const query = new URLSearchParams({
          upload,
          part: String(parts.length + 1),
          ...(isLast && { complete: JSON.stringify(parts) }),
        })
        parts.push(
          await expectStatus(
            await fetch(`${key}?${query}`, { method: 'PATCH', body: bytes, headers: FRESH }),
            200,
          ).json(),
        )
      }
      return key
    },
    download: async (key) => readAll(expectStatus(await fetch(key, { headers: FRESH }), 200)),
    async remove(key) {
      expectStatus(await fetch(key, { method: 'DELETE', headers: FRESH }), 204)
    },
  }
}

import { Buffer } from 'node:buffer'
import { LARGEST_CHUNK_BYTES, chunkBytes } from '../../src/shared/chunk-size.ts'
import type { Stack } from '../operate/local/stack.ts'
import { account, DEMO, paidMemorial } from '../operate/seed.ts'

/** The runtime closes a connection that rests for 5 s, which a client that works hard may notice too late. */
const FRESH = { Connection: 'close' }

/** The same files, to us and to the bare Worker, in the same requests. */
export type Sender = {
  /** In one request. Returns what {@link Sender.download} and {@link Sender.remove} want. */
  sendForm: (form: Form) => Promise<string>
  /** One request to begin, then one for each piece. */
  sendPieces: (file: Buffer<ArrayBuffer>) => Promise<string>
  /** Reads all of it. Returns the bytes that came. */
  download: (id: string) => Promise<number>
  remove: (id: string) => Promise<void>
}

export type Form = { body: Buffer<ArrayBuffer>; headers: Record<string, string> }

/** A film as the spec's form carries it. */
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

type Piece = { offset: number; bytes: Buffer<ArrayBuffer> }

/** Pieces of a resumable upload, as large as the browser makes them on a good line. */
function piecesOf(file: Buffer<ArrayBuffer>, sizeAt: (offset: number) => number): Piece[] {
  const pieces: Piece[] = []
  for (let offset = 0; offset < file.length;) {
    const bytes = file.subarray(offset, offset + sizeAt(offset))
    pieces.push({ offset, bytes })
    offset += bytes.length
  }
  return pieces
}

async function readAll(response: Response): Promise<number> {
  let bytes = 0
  for await (const chunk of response.body ?? []) bytes += chunk.byteLength
  return bytes
}

function demand(response: Response, status: number): Response {
  if (response.status !== status) throw new Error(`${response.url} answered ${response.status}`)
  return response
}

/** To our Worker, as the owner of a new memorial. `takeOut` reads all of its export, and returns the bytes that came. */
export async function toUs({ url, sandboxUrl }: Stack): Promise<Sender & { takeOut: () => Promise<number> }> {
  const owner = await account(url, sandboxUrl, DEMO.owner)
  const memorial = await paidMemorial(owner, sandboxUrl, {
    honoureeFullName: 'Tendai Rudo Moyo',
    title: 'She taught half of Mutare to read.',
    dateOfBirth: '1948-03-14',
    dateOfDeath: '2026-06-02',
  })
  const path = `/api/memorials/${memorial.id}`
  const tus = { ...FRESH, 'Tus-Resumable': '1.0.0' }
  return {
    async sendForm({ body, headers }) {
      const response = demand(await owner.send('POST', `${path}/media/upload`, body, headers), 201)
      return ((await response.json()) as { id: string }).id
    },
    async sendPieces(file) {
      const begun = await owner.send('POST', `${path}/uploads`, undefined, {
        ...tus,
        'Upload-Length': String(file.length),
        'Upload-Metadata': `filename ${btoa('film.mp4')},type ${btoa('VIDEO')}`,
      })
      const upload = demand(begun, 201).headers.get('Location') ?? ''
      let id: string | null = null
      for (const { offset, bytes } of piecesOf(file, (at) => chunkBytes(at, LARGEST_CHUNK_BYTES))) {
        const headers = {
          ...tus,
          'Content-Type': 'application/offset+octet-stream',
          'Upload-Offset': String(offset),
        }
        const answer = demand(await owner.send('PATCH', upload, bytes, headers), 204)
        id = answer.headers.get('Nhaka-Media-Id')
      }
      if (id === null) throw new Error('the last piece made no medium')
      return id
    },
    download: async (id) =>
      readAll(demand(await owner.send('GET', `/media/stream/${id}`, undefined, FRESH), 200)),
    takeOut: async () => readAll(demand(await owner.send('GET', `${path}/export`, undefined, FRESH), 200)),
    async remove(id) {
      demand(await owner.send('DELETE', `/api/media/${id}`, undefined, FRESH), 204)
    },
  }
}

/** To the bare Worker at `url`. */
export function toBare(url: string): Sender {
  let made = 0
  const place = () => `${url}/${++made}`
  return {
    async sendForm({ body, headers }) {
      const key = place()
      demand(await fetch(key, { method: 'POST', body, headers }), 201)
      return key
    },
    async sendPieces(file) {
      const key = place()
      const upload = await demand(await fetch(`${key}?begin`, { method: 'POST', headers: FRESH }), 201).text()
      const parts: unknown[] = []
      // It makes a part of each piece, and R2 wants them alike: the first has 256 bytes less than ours.
      for (const { offset, bytes } of piecesOf(file, () => LARGEST_CHUNK_BYTES)) {
        const isLast = offset + bytes.length === file.length
        const query = new URLSearchParams({
          upload,
          part: String(parts.length + 1),
          ...(isLast && { complete: JSON.stringify(parts) }),
        })
        parts.push(
          await demand(
            await fetch(`${key}?${query}`, { method: 'PATCH', body: bytes, headers: FRESH }),
            200,
          ).json(),
        )
      }
      return key
    },
    download: async (key) => readAll(demand(await fetch(key, { headers: FRESH }), 200)),
    async remove(key) {
      demand(await fetch(key, { method: 'DELETE', headers: FRESH }), 204)
    },
  }
}

import { env, runInDurableObject } from 'cloudflare:test'
import type { Client } from './harness.ts'

/** UTF-8 text in base64, as `Upload-Metadata` requires. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

const TUS = { 'Tus-Resumable': '1.0.0' }

/** Creates a resumable upload. Returns the answer; its `Location` is the upload's path. */
export async function beginUpload(
  client: Client,
  memorialId: string,
  file: { length: number; type: string; name?: string; headers?: Record<string, string> },
): Promise<Response> {
  return client.fetch(`/api/memorials/${memorialId}/uploads`, {
    method: 'POST',
    headers: {
      ...TUS,
      'Upload-Length': String(file.length),
      'Upload-Metadata': `filename ${base64(file.name ?? 'a file')},type ${base64(file.type)},filetype`,
      ...file.headers,
    },
  })
}

/** Creates a resumable upload of these bytes. Returns its path. */
export async function begunUpload(
  client: Client,
  memorialId: string,
  bytes: Uint8Array,
  type: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const created = await beginUpload(client, memorialId, { length: bytes.byteLength, type, headers })
  return created.headers.get('Location') ?? ''
}

/** Sends one chunk of an upload. */
export async function sendTusChunk(
  client: Client,
  path: string,
  offset: number,
  bytes: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return client.fetch(path, {
    method: 'PATCH',
    body: bytes,
    headers: {
      ...TUS,
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': String(offset),
      ...headers,
    },
  })
}

/** The current offset of an upload. */
export async function headOf(client: Client, path: string): Promise<Response> {
  return client.fetch(path, { method: 'HEAD', headers: TUS })
}

/** Ends an upload before it is complete. */
export async function endUpload(client: Client, path: string): Promise<Response> {
  return client.fetch(path, { method: 'DELETE', headers: TUS })
}

/** What the app reads about an upload. */
export async function stateOfUpload(client: Client, path: string) {
  return client.get(path, { headers: TUS })
}

/** Creates an upload and sends it in chunks of these sizes, repeating the last size. Returns the last answer. */
export async function sendInTusChunks(
  client: Client,
  memorialId: string,
  file: { bytes: Uint8Array<ArrayBuffer>; type: string; name?: string },
  sizes: number[],
): Promise<Response> {
  const created = await beginUpload(client, memorialId, { ...file, length: file.bytes.byteLength })
  const path = created.headers.get('Location') ?? ''
  let answer = created
  let chunk = 0
  for (let at = 0; at < file.bytes.byteLength;) {
    const size = sizes[Math.min(chunk++, sizes.length - 1)] ?? 1
    answer = await sendTusChunk(client, path, at, file.bytes.slice(at, at + size))
    if (answer.status !== 204) return answer
    at += size
  }
  return answer
}

/** What the Durable Object of an upload stores. */
export async function storedOf(id: string) {
  return runInDurableObject(env.UPLOADS.getByName(id), (_, { storage }) =>
    storage.sql.exec('SELECT name FROM sqlite_master').toArray(),
  )
}

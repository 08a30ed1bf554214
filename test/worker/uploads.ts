import { env, runInDurableObject } from 'cloudflare:test'
import type { MediaUploaded } from '#shared/media/media.ts'
import { media } from '#worker/schema/media.table.ts'
import { rateLimiterName, type RateLimitName } from '#worker/platform/rate-limiter.ts'
import { fixture } from './fixtures.ts'
import type { Answer, Client } from './harness.ts'
import { rowsOf } from './rows.ts'

type Upload = {
  bytes: Uint8Array<ArrayBuffer>
  name: string
  type: string
  /** Default true: the type field comes before the file. */
  typeFirst?: boolean
  /** Sent as a field after the file. */
  contributorToken?: string
  headers?: Record<string, string>
}

/** Sends one file as a browser would. */
// oxlint-disable-next-line typescript/no-explicit-any -- as in the harness
export async function upload<T = any>(client: Client, memorialId: string, file: Upload): Promise<Answer<T>> {
  const form = new FormData()
  if (file.typeFirst !== false) form.append('type', file.type)
  form.append('file', new File([file.bytes], file.name, { type: 'application/octet-stream' }))
  if (file.typeFirst === false) form.append('type', file.type)
  if (file.contributorToken !== undefined) form.append('contributorToken', file.contributorToken)
  const response = await client.fetch(`/api/memorials/${memorialId}/media/upload`, {
    method: 'POST',
    body: form,
    ...(file.headers ? { headers: file.headers } : {}),
  })
  return { status: response.status, body: await response.json<T>(), headers: response.headers }
}

/** A WAV file of `bytes` bytes: CD-quality silence with a valid header. */
export function silence(bytes: number): Uint8Array<ArrayBuffer> {
  const wav = new Uint8Array(bytes)
  const view = new DataView(wav.buffer)
  const put = (at: number, text: string) => wav.set(new TextEncoder().encode(text), at)
  put(0, 'RIFF')
  view.setUint32(4, bytes - 8, true)
  put(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 2, true)
  view.setUint32(24, 44_100, true)
  view.setUint32(28, 44_100 * 4, true)
  view.setUint16(32, 4, true)
  view.setUint16(34, 16, true)
  put(36, 'data')
  view.setUint32(40, bytes - 44, true)
  return wav
}

/** A recording that every memorial takes. */
export const SOUND = { bytes: silence(9000), name: 'v.wav', type: 'AUDIO' }

const TYPES: Record<string, string> = { mp4: 'VIDEO', webm: 'VIDEO', ogg: 'AUDIO', mp3: 'AUDIO' }

/** Uploads a file of test/fixtures, under its name unless `more` has another one. */
export async function uploadFixture(
  client: Client,
  memorialId: string,
  name: string,
  more: Partial<Upload> = {},
): Promise<Answer<MediaUploaded & { code?: string; message?: string }>> {
  const type = TYPES[name.split('.').at(-1) ?? ''] ?? 'IMAGE'
  return upload(client, memorialId, { bytes: await fixture(name), name, type, ...more })
}

/** Uploads a file of test/fixtures. Returns the id of its media item. */
export async function sendFixture(client: Client, memorialId: string, name: string): Promise<string> {
  return (await uploadFixture(client, memorialId, name)).body.id
}

/** Uploads the programme of a memorial's service. */
export async function sendProgramme(
  client: Client,
  memorialId: string,
  name = 'programme.pdf',
): Promise<Response> {
  const body = new FormData()
  body.set('file', new File([await fixture('programme.pdf')], name))
  return client.fetch(`/api/memorials/${memorialId}/funeral-program`, { method: 'POST', body })
}

/** Uploads a portrait: a file of test/fixtures, or these bytes. */
export async function sendPortrait(
  client: Client,
  memorialId: string,
  photo: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = new FormData()
  body.set('file', new File([typeof photo === 'string' ? await fixture(photo) : photo], 'portrait'))
  return client.fetch(`/api/memorials/${memorialId}/profile-image`, { method: 'POST', body, headers })
}

/** An upload whose body stalls after `first` bytes until `finish` is called; `breakOff` ends it there. `to`: the call that takes the file. */
export function slowUpload(
  client: Client,
  memorialId: string,
  file: Upload,
  first: number,
  to = 'media/upload',
) {
  const boundary = 'slow-boundary'
  const text = new TextEncoder()
  const parts = [
    text.encode(
      `--${boundary}\r\nContent-Disposition: form-data; name="type"\r\n\r\n${file.type}\r\n` +
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${file.name}"\r\n\r\n`,
    ),
    file.bytes.subarray(0, first),
  ]
  const rest = [file.bytes.subarray(first), text.encode(`\r\n--${boundary}--\r\n`)]
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const answer = client.fetch(`/api/memorials/${memorialId}/${to}`, {
    method: 'POST',
    body: readable,
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}`, ...file.headers },
  })
  const started = (async () => {
    for (const part of parts) await writer.write(part)
  })()
  return {
    answer,
    started,
    async finish() {
      for (const part of rest) await writer.write(part)
      await writer.close()
      return answer
    },
    async breakOff() {
      await writer.close()
      return answer
    },
  }
}

/** Keys of all R2 objects of a memorial's media. */
export async function objectsOf(memorialId: string): Promise<string[]> {
  const { objects } = await env.MEDIA.list({ prefix: `m/${memorialId}/` })
  return objects.map(({ key }) => key)
}

/** The media rows of a memorial. */
export async function mediaRowsOf(memorialId: string) {
  return rowsOf(media, { memorialId })
}

/** Ids of the media that the quota object counts or reserves, without removed ones, of which only the bytes count. */
export async function quotaItemsOf(memorialId: string): Promise<string[]> {
  return runInDurableObject(env.QUOTA.getByName(memorialId), (_, state) =>
    state.storage.sql
      .exec<{ media_id: string }>("SELECT media_id FROM items WHERE lease IS NOT 'removed' ORDER BY media_id")
      .toArray()
      .map((row) => row.media_id),
  )
}

/** What is stored of a memorial's media: rows, objects, and what the quota counts or reserves. */
export async function storedMedia(memorialId: string) {
  return {
    rows: await mediaRowsOf(memorialId),
    objects: await objectsOf(memorialId),
    quota: await quotaItemsOf(memorialId),
  }
}
export const NO_MEDIA = { rows: [], objects: [], quota: [] }

/** Counts `times` hits of a rate limiter without making the calls. */
export async function exhaustRateLimit(name: RateLimitName, key: string, times: number): Promise<void> {
  await runInDurableObject(env.THROTTLE.getByName(rateLimiterName(name, key)), (_, { storage }) => {
    storage.sql.exec('CREATE TABLE IF NOT EXISTS hits (at INTEGER NOT NULL, source TEXT NOT NULL)')
    storage.sql.exec(
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO hits SELECT ?, '' FROM n",
      times,
      Date.now(),
    )
  })
}

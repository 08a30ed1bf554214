import { api } from '#shared/api.ts'
import { FIRST_CHUNK_BYTES, nextChunkBytes, chunkBytes } from '#shared/media/uploads.ts'
import type { MediaUploaded } from '#shared/media/media.ts'
import type { MediaType } from '#shared/media/media-types.ts'
import { ApiError, call, NetworkError, pathOf } from '../call.ts'
import { sendRequest, type RequestOptions } from './single-request.ts'

const TUS = { 'Tus-Resumable': '1.0.0' }
/** A connection that receives nothing for this long is dead. A slow one may need this long for a chunk of 512 kB. */
const SILENCE_MAX_MS = 5 * 60_000
/** Polling interval for the media item, which the server makes from the complete upload. */
const POLL_MS = 2000

/** The state of an upload that attempts share. */
export type UploadPosition = {
  url: string | null
  /** Bytes that the server has confirmed. */
  safe: number
  chunkBytes?: number
}

export type TusUpload = {
  memorialId: string
  file: File
  type: MediaType
  /** Idempotency key: the server finds the upload again by it if the answer to its creation was lost. */
  key: string
  /** Updated during the upload. */
  position: UploadPosition
  signal: AbortSignal
  /** Called as bytes are sent. */
  onProgress: (bytesSent: number, bytesTotal: number) => void
  /** Called after `position` has changed. */
  onPosition: () => void
}

/**
 * One attempt to send a file in chunks (tus 1.0), from where the last one ended. Throws `ApiError`, `NetworkError`,
 * and an `AbortError` if the signal aborted it; it can then be resumed.
 */
export async function tusUpload(upload: TusUpload): Promise<MediaUploaded> {
  const wasStarted = upload.position.url !== null
  try {
    await sendRest(upload)
  } catch (error) {
    if (!wasStarted || !isGone(error)) throw error
    // It has expired, or was deleted elsewhere: start again.
    upload.position.url = null
    upload.position.safe = 0
    upload.onPosition()
    await sendRest(upload)
  }
  return fetchMedia(upload)
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 410)
}

async function sendRest(upload: TusUpload): Promise<void> {
  const { position, signal } = upload
  signal.throwIfAborted()
  const connection = openConnection(signal)
  try {
    let offset =
      position.url === null
        ? await create(upload, connection)
        : await fetchOffset(upload, position.url, connection)
    while (offset < upload.file.size) offset = await sendChunk(upload, connection, offset)
  } catch (error) {
    // Halve the next chunk, so that the next break costs less.
    if (error instanceof NetworkError)
      position.chunkBytes = nextChunkBytes(0, SILENCE_MAX_MS, position.chunkBytes)
    // A response to HEAD has no body. GET returns the error message, or succeeds.
    if (error instanceof ApiError && error.text === null && position.url !== null)
      await fetchState(position.url)
    throw error
  } finally {
    connection.close()
  }
}

type Connection = {
  send: (request: Omit<RequestOptions, 'signal'>) => Promise<XMLHttpRequest>
  close: () => void
}

/** Sends one request after another until `signal` aborts. A request fails if it receives nothing for too long. */
function openConnection(signal: AbortSignal): Connection {
  const ended = new AbortController()
  let silence: ReturnType<typeof setTimeout> | undefined
  const end = () => ended.abort(signal.reason)
  const restartTimer = () => {
    clearTimeout(silence)
    silence = setTimeout(
      () => ended.abort(new NetworkError(new Error('Nothing was received'))),
      SILENCE_MAX_MS,
    )
  }
  signal.addEventListener('abort', end, { once: true })
  return {
    send({ headers, onProgress, ...request }) {
      restartTimer()
      return sendRequest({
        ...request,
        headers: { ...TUS, ...headers },
        onProgress(sent, total) {
          restartTimer()
          onProgress?.(sent, total)
        },
        signal: ended.signal,
      })
    },
    close() {
      clearTimeout(silence)
      signal.removeEventListener('abort', end)
    },
  }
}

async function create(
  { memorialId, file, type, key, position, onPosition }: TusUpload,
  connection: Connection,
): Promise<number> {
  const metadata = { filename: file.name, filetype: file.type, type }
  const url = pathOf(api.createUpload, { params: { id: memorialId } })
  const answer = await connection.send({
    method: 'POST',
    url,
    headers: {
      'Upload-Length': String(file.size),
      'Upload-Metadata': Object.entries(metadata)
        .map(([name, value]) => `${name} ${base64(value)}`)
        .join(','),
      'Idempotency-Key': key,
    },
  })
  const location = answer.getResponseHeader('Location')
  if (location === null) throw new NetworkError(new Error('The server created an upload without a Location'))
  position.url = new URL(location, new URL(url, window.location.href)).href
  onPosition()
  // An upload found again by its key may have bytes already.
  return Number(answer.getResponseHeader('Upload-Offset') ?? 0)
}

async function fetchOffset(upload: TusUpload, url: string, connection: Connection): Promise<number> {
  const offset = offsetIn(await connection.send({ method: 'HEAD', url, headers: {} }))
  recordOffset(upload, offset)
  return offset
}

function recordOffset({ position, onPosition }: TusUpload, offset: number): void {
  if (offset <= position.safe) return
  position.safe = offset
  onPosition()
}

/** Sends the next chunk. Returns the offset after it. */
async function sendChunk(upload: TusUpload, connection: Connection, from: number): Promise<number> {
  const { file, position, onProgress } = upload
  if (position.url === null) throw new Error('a created upload has a URL')
  const wanted = position.chunkBytes ?? FIRST_CHUNK_BYTES
  const size = from === 0 ? wanted : chunkBytes(from, wanted)
  const since = performance.now()
  const answer = await connection.send({
    method: 'PATCH',
    url: position.url,
    headers: { 'Upload-Offset': String(from), 'Content-Type': 'application/offset+octet-stream' },
    body: file.slice(from, from + size),
    onProgress: (sent) => onProgress(from + sent, file.size),
  })
  const offset = offsetIn(answer)
  // Without this, the loop would never end if the server stored nothing.
  if (offset <= from) throw new NetworkError(new Error('The server answered a chunk without storing it'))
  position.chunkBytes = nextChunkBytes(offset - from, performance.now() - since, position.chunkBytes, size)
  recordOffset(upload, offset)
  onProgress(offset, file.size)
  return offset
}

function offsetIn(answer: XMLHttpRequest): number {
  const offset = Number(answer.getResponseHeader('Upload-Offset') ?? Number.NaN)
  if (!Number.isSafeInteger(offset)) throw new NetworkError(new Error('A response has no upload offset'))
  return offset
}

/** Values of `Upload-Metadata` are Base64 of UTF-8. */
function base64(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)))
}

/** The media item of a complete upload. If the server was interrupted while it made it, this call makes it resume. */
async function fetchMedia({ position, signal }: TusUpload): Promise<MediaUploaded> {
  for (;;) {
    signal.throwIfAborted()
    if (position.url === null) throw new Error('a complete upload has a URL')
    const { mediaId, media } = await fetchState(position.url)
    if (mediaId !== null && media) return { id: mediaId, media }
    if (mediaId !== null) throw new ApiError(404, '', 'deleted meanwhile')
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

async function fetchState(url: string) {
  return call(api.uploadState, { params: paramsOf(url), headers: TUS })
}

/** Deletes an upload on the server, with what it has stored. Does nothing if it is already deleted. */
export async function deleteTusUpload(url: string): Promise<void> {
  try {
    await call(api.deleteUpload, { params: paramsOf(url), headers: TUS })
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

/** Parameters of `/api/memorials/:id/uploads/:uploadId`. */
function paramsOf(url: string): { id: string; uploadId: string } {
  const [, id = '', uploadId = ''] = /\/memorials\/([^/]+)\/uploads\/([^/]+)$/u.exec(url) ?? []
  return { id, uploadId }
}

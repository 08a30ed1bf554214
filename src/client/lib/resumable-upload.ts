import { api } from '#shared/api.ts'
import type { MediaType, MediaUploaded } from '#shared/media.ts'
import { FIRST_PIECE_BYTES, nextPieceBytes, pieceBytes } from '#shared/piece-size.ts'
import { ApiError, call, NetworkError, pathOf } from './call.ts'
import { sendRequest, type Sent } from './upload.ts'

const TUS = { 'Tus-Resumable': '1.0.0' }
/** Nothing heard for so long means that the line is dead. A slow one may carry a piece of 512 kB as long as this. */
const SILENCE_MAX_MS = 5 * 60_000
/** Between questions whether the server has made the medium. */
const ASK_AGAIN_MS = 2000

/** What of an upload outlives an attempt. */
export type UploadPlace = {
  url: string | null
  /** Bytes that are on the server, as far as is known here. */
  safe: number
  pieceBytes?: number
}

export type Sending = {
  memorialId: string
  file: File
  type: MediaType
  /** Idempotency key: a creation whose answer was lost is found again by it. */
  key: string
  /** Read, and changed as the upload goes. */
  place: UploadPlace
  signal: AbortSignal
  /** The line carries something. */
  onProgress: (bytesSent: number, bytesTotal: number) => void
  /** After `place` has changed. */
  onPlace: () => void
}

/**
 * One attempt to send a file in pieces (tus 1.0), from where the last one ended. Throws `ApiError`, `NetworkError`, and an
 * `AbortError` when its signal ended it: then it can be gone on with.
 */
export async function sendInPieces(sending: Sending): Promise<MediaUploaded> {
  const wasBegun = sending.place.url !== null
  try {
    await sendRest(sending)
  } catch (error) {
    if (!wasBegun || !isGone(error)) throw error
    // It was begun too long ago, or ended elsewhere: anew.
    sending.place.url = null
    sending.place.safe = 0
    sending.onPlace()
    await sendRest(sending)
  }
  return askForMedium(sending)
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 410)
}

async function sendRest(sending: Sending): Promise<void> {
  const { place, signal } = sending
  signal.throwIfAborted()
  const line = openLine(signal)
  try {
    let offset =
      place.url === null ? await create(sending, line) : await askForOffset(sending, place.url, line)
    while (offset < sending.file.size) offset = await sendPiece(sending, line, offset)
  } catch (error) {
    // What the next break costs is half as much.
    if (error instanceof NetworkError) place.pieceBytes = nextPieceBytes(0, SILENCE_MAX_MS, place.pieceBytes)
    // An answer to HEAD has no words. The same question by GET has them, or knows of nothing wrong.
    if (error instanceof ApiError && error.text === null && place.url !== null) await stateOf(place.url)
    throw error
  } finally {
    line.close()
  }
}

type Line = { send: (request: Omit<Sent, 'signal'>) => Promise<XMLHttpRequest>; close: () => void }

/** Sends one request after the other until `signal` ends it. One on which nothing was heard for long fails. */
function openLine(signal: AbortSignal): Line {
  const ended = new AbortController()
  let silence: ReturnType<typeof setTimeout> | undefined
  const end = () => ended.abort(signal.reason)
  const hear = () => {
    clearTimeout(silence)
    silence = setTimeout(() => ended.abort(new NetworkError(new Error('Nothing was heard'))), SILENCE_MAX_MS)
  }
  signal.addEventListener('abort', end, { once: true })
  return {
    send({ headers, onProgress, ...request }) {
      hear()
      return sendRequest({
        ...request,
        headers: { ...TUS, ...headers },
        onProgress(sent, total) {
          hear()
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

/** Begins the upload on the server. Answers where it stands. */
async function create({ memorialId, file, type, key, place, onPlace }: Sending, line: Line): Promise<number> {
  const metadata = { filename: file.name, filetype: file.type, type }
  const url = pathOf(api.createUpload, { params: { id: memorialId } })
  const answer = await line.send({
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
  if (location === null) throw new NetworkError(new Error('A creation was answered without an address'))
  place.url = new URL(location, new URL(url, window.location.href)).href
  onPlace()
  // One that is found again by its key may have got further than its answer.
  return Number(answer.getResponseHeader('Upload-Offset') ?? 0)
}

async function askForOffset(sending: Sending, url: string, line: Line): Promise<number> {
  const offset = offsetIn(await line.send({ method: 'HEAD', url, headers: {} }))
  noteSafe(sending, offset)
  return offset
}

function noteSafe({ place, onPlace }: Sending, offset: number): void {
  if (offset <= place.safe) return
  place.safe = offset
  onPlace()
}

/** Sends what comes next, and answers where the upload stands then. */
async function sendPiece(sending: Sending, line: Line, from: number): Promise<number> {
  const { file, place, onProgress } = sending
  if (place.url === null) throw new Error('an upload that was begun has an address')
  const wanted = place.pieceBytes ?? FIRST_PIECE_BYTES
  const asked = from === 0 ? wanted : pieceBytes(from, wanted)
  const since = performance.now()
  const answer = await line.send({
    method: 'PATCH',
    url: place.url,
    headers: { 'Upload-Offset': String(from), 'Content-Type': 'application/offset+octet-stream' },
    body: file.slice(from, from + asked),
    onProgress: (sent) => onProgress(from + sent, file.size),
  })
  const offset = offsetIn(answer)
  // A server that takes nothing would be asked for ever.
  if (offset <= from) throw new NetworkError(new Error('A piece was answered, but not taken'))
  place.pieceBytes = nextPieceBytes(offset - from, performance.now() - since, place.pieceBytes, asked)
  noteSafe(sending, offset)
  onProgress(offset, file.size)
  return offset
}

function offsetIn(answer: XMLHttpRequest): number {
  const offset = Number(answer.getResponseHeader('Upload-Offset') ?? Number.NaN)
  if (!Number.isSafeInteger(offset))
    throw new NetworkError(new Error('An answer did not say where the upload stands'))
  return offset
}

/** As `Upload-Metadata` wants its values: the bytes of UTF-8. */
function base64(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)))
}

/** The medium that a whole upload became. The server may have been cut off while it made it: then it is made now. */
async function askForMedium({ place, signal }: Sending): Promise<MediaUploaded> {
  for (;;) {
    signal.throwIfAborted()
    if (place.url === null) throw new Error('an upload that is whole has an address')
    const { mediaId, media } = await stateOf(place.url)
    if (mediaId !== null && media) return { id: mediaId, media }
    if (mediaId !== null) throw new ApiError(404, '', 'deleted meanwhile')
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
  }
}

async function stateOf(url: string) {
  return call(api.uploadState, { params: paramsOf(url), headers: TUS })
}

/** Ends an upload on the server, with what it has stored. One that is not there any more is ended. */
export async function endUpload(url: string): Promise<void> {
  try {
    await call(api.deleteUpload, { params: paramsOf(url), headers: TUS })
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

/** `/api/memorials/:id/uploads/:uploadId` */
function paramsOf(url: string): { id: string; uploadId: string } {
  const [, id = '', uploadId = ''] = /\/memorials\/([^/]+)\/uploads\/([^/]+)$/u.exec(url) ?? []
  return { id, uploadId }
}

import { DetailedError, Upload } from 'tus-js-client'
import { api } from '#shared/api.ts'
import type { MediaType, MediaUploaded } from '#shared/media.ts'
import { FIRST_PIECE_BYTES, nextPieceBytes, pieceBytes } from '#shared/piece-size.ts'
import { ApiError, call, NetworkError, pathOf } from './call.ts'

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
  try {
    await new Promise<void>((resolve, reject) => startUpload(sending, resolve, reject))
  } catch (error) {
    // What the next break costs is half as much.
    if (error instanceof NetworkError) place.pieceBytes = nextPieceBytes(0, SILENCE_MAX_MS, place.pieceBytes)
    // An answer to HEAD has no words. The same question by GET has them, or knows of nothing wrong.
    if (error instanceof ApiError && error.text === null && place.url !== null) await stateOf(place.url)
    throw error
  }
}

function startUpload(sending: Sending, resolve: () => void, reject: (reason: unknown) => void): void {
  const { memorialId, file, type, key, place, signal, onProgress, onPlace } = sending
  let silence: ReturnType<typeof setTimeout> | undefined
  let since = performance.now()
  const end = () => {
    clearTimeout(silence)
    signal.removeEventListener('abort', abort)
  }
  const fail = (reason: unknown) => {
    end()
    void upload.abort()
    reject(reason)
  }
  const abort = () => fail(signal.reason)
  const hear = () => {
    clearTimeout(silence)
    silence = setTimeout(() => fail(new NetworkError(new Error('Nothing was heard'))), SILENCE_MAX_MS)
  }
  const upload = new Upload(file, {
    endpoint: place.url === null ? pathOf(api.createUpload, { params: { id: memorialId } }) : null,
    uploadUrl: place.url,
    chunkSize: place.pieceBytes ?? FIRST_PIECE_BYTES,
    metadata: { filename: file.name, filetype: file.type, type },
    // Attempts are counted elsewhere, and what has to outlive the page is kept elsewhere.
    retryDelays: null,
    storeFingerprintForResuming: false,
    onBeforeRequest(request) {
      hear()
      since = performance.now()
      if (request.getMethod() === 'POST') request.setHeader('Idempotency-Key', key)
    },
    onAfterResponse(_, response) {
      const safe = Number(response.getHeader('Upload-Offset') ?? 0)
      if (!(safe > place.safe)) return
      place.safe = safe
      onPlace()
    },
    onUploadUrlAvailable() {
      if (upload.url === place.url) return
      place.url = upload.url
      onPlace()
    },
    onProgress(bytesSent, bytesTotal) {
      hear()
      onProgress(bytesSent, bytesTotal)
    },
    onChunkComplete(sent, offset) {
      const took = performance.now() - since
      place.pieceBytes = nextPieceBytes(sent, took, place.pieceBytes, upload.options.chunkSize)
      upload.options.chunkSize = pieceBytes(offset, place.pieceBytes)
    },
    onSuccess() {
      end()
      resolve()
    },
    onError: (error) => fail(asCallError(error)),
  })
  signal.addEventListener('abort', abort, { once: true })
  hear()
  upload.start()
}

/** The failure of a request of tus, as every other call of ours fails. */
function asCallError(error: Error): Error {
  const response = error instanceof DetailedError ? error.originalResponse : null
  return response ? new ApiError(response.getStatus(), response.getBody(), '') : new NetworkError(error)
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

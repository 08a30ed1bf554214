import { api } from '#shared/api.ts'
import type { MediaType, MediaUploaded } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import { NetworkError, pathOf } from './call.ts'
import { keepTrying, kindOfFailure, type Held, type Signs } from './keep-trying.ts'
import type { UploadPlace } from './resumable-upload.ts'
import type { SendSwitch } from './send-switch.ts'
import { uploadFile } from './upload.ts'

/** Up to this a file goes in one request: less than a few seconds are lost with it, and no script has to come first. */
const ONE_REQUEST_MAX_BYTES = 1024 * 1024

export type SendOptions = {
  memorialId: string
  file: File
  type: MediaType
  /** Idempotency key: whatever breaks, the file does not appear twice. */
  key: string
  control: SendSwitch
  onProgress?: (bytesSent: number, bytesTotal: number) => void
  /** Nothing moves, by hand or for want of a connection; null when it does again. */
  onHeld?: (held: Held | null) => void
  /** Where an earlier visit had begun to send this file. */
  url?: string | null
  /** The address of the upload and the bytes that are safe, whenever one of them changes; null before it has one. */
  onPlace?: (url: string | null, bytesSafe: number) => void
  /** It was stopped. `isEnded`: and the server has nothing of it. */
  onStopped?: (isEnded: boolean) => void
}

/**
 * Sends one photo, video or recording to a memorial, and does not give up because a line breaks. Large ones go in pieces
 * and can be gone on with after a pause, a lost connection, or on another visit. Throws `ApiError` when the server will not
 * have it, {@link Unsendable}, and an `AbortError` when it was stopped: then the server is told to forget
 * what it had.
 */
export async function sendMedia(options: SendOptions): Promise<MediaUploaded> {
  const place: UploadPlace = { url: options.url ?? null, safe: 0 }
  const isSmall = options.file.size <= ONE_REQUEST_MAX_BYTES
  try {
    return await keepTrying({
      control: options.control,
      ...(options.onHeld && { onHeld: options.onHeld }),
      attempt: async (signal, signs) => {
        const attempt = isSmall ? sendAtOnce : sendPieces
        try {
          return await attempt(options, place, signal, signs)
        } catch (error) {
          // The browser tells a file that was moved or deleted as it tells a broken line.
          if (!(error instanceof NetworkError) || (await isReadable(options.file))) throw error
          throw new Unsendable(messages.media.unreadable, false)
        }
      },
    })
  } catch (error) {
    if (options.control.state() === 'stopped') {
      options.onStopped?.(place.url === null || (await endMedia(place.url)))
    }
    throw error
  }
}

/** It cannot be sent from this page, for no reason of the server's. The message is for a person. */
export class Unsendable extends Error {
  override name = 'Unsendable'
  /** Whether it can go on when the page is loaded anew. */
  readonly isForNow: boolean

  constructor(message: string, isForNow: boolean) {
    super(message)
    this.isForNow = isForNow
  }
}

async function sendAtOnce(
  { memorialId, file, type, key, onProgress }: SendOptions,
  _: UploadPlace,
  signal: AbortSignal,
  { alive }: Signs,
): Promise<MediaUploaded> {
  return uploadFile<MediaUploaded>({
    path: pathOf(api.uploadMedia, { params: { id: memorialId } }),
    file,
    fields: { type },
    headers: { 'Idempotency-Key': key },
    onProgress(part) {
      alive()
      onProgress?.(Math.round(part * file.size), file.size)
    },
    signal,
  })
}

async function sendPieces(
  { memorialId, file, type, key, onProgress, onPlace }: SendOptions,
  place: UploadPlace,
  signal: AbortSignal,
  { alive, nearer }: Signs,
): Promise<MediaUploaded> {
  const { sendInPieces } = await uploader()
  return sendInPieces({
    memorialId,
    file,
    type,
    key,
    place,
    signal,
    onProgress(bytesSent, bytesTotal) {
      alive()
      onProgress?.(bytesSent, bytesTotal)
    },
    onPlace() {
      if (place.safe > 0) nearer()
      onPlace?.(place.url, place.safe)
    },
  })
}

/**
 * The part of the program that sends in pieces. It comes over the same line: without it, there is no connection. Where there
 * is one, a newer version of us has taken its place, or the browser does not ask for it a second time.
 */
async function uploader() {
  try {
    return await import('./resumable-upload.ts')
  } catch (error) {
    if (await isServerThere()) throw new Unsendable(messages.media.pageOutdated, true)
    throw new NetworkError(error)
  }
}

async function isServerThere(): Promise<boolean> {
  try {
    return (await fetch(window.location.pathname, { method: 'HEAD', cache: 'no-store' })).ok
  } catch {
    return false
  }
}

async function isReadable(file: File): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer()
    return true
  } catch {
    return false
  }
}

/** Ends an upload on the server. False where it could not be told; it forgets it by itself within a day. */
export async function endMedia(url: string): Promise<boolean> {
  try {
    const { endUpload } = await uploader()
    await endUpload(url)
    return true
  } catch (error) {
    return kindOfFailure(error) === 'final'
  }
}

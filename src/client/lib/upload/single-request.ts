import { ApiError, NetworkError } from '../call.ts'

export type UploadOptions = {
  /** From `pathOf(api.uploadMedia, {params})`. */
  path: string
  file: File
  /** Sent before the file, because the server reads the body in order. */
  fields?: Record<string, string>
  headers?: Record<string, string>
  /** Fraction of the body sent so far, 0 to 1. */
  onProgress?: (progress: number) => void
  signal?: AbortSignal
}

/** Posts a file as multipart form data and returns the parsed JSON. Throws like {@link sendRequest}. */
export async function uploadFile<T>(options: UploadOptions): Promise<T> {
  const { path, file, fields = {}, headers = {}, onProgress, signal } = options
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', file, file.name)
  const request = await sendRequest({
    method: 'POST',
    url: path,
    headers: { Accept: 'application/json', ...headers },
    body: form,
    onProgress: (loaded, total) => onProgress?.(loaded / total),
    ...(signal && { signal }),
  })
  try {
    return JSON.parse(request.responseText) as T
  } catch (error) {
    throw new NetworkError(error)
  }
}

export type RequestOptions = {
  method: string
  url: string
  headers: Record<string, string>
  body?: XMLHttpRequestBodyInit
  /** Bytes of the body sent so far, and all its bytes. */
  onProgress?: (sent: number, total: number) => void
  signal?: AbortSignal
}

/**
 * Sends one request with XMLHttpRequest, because `fetch` reports no upload progress. Throws {@link ApiError} for a
 * response that is not OK, {@link NetworkError}, or the signal's reason if aborted.
 */
export function sendRequest({
  method,
  url,
  headers,
  body,
  onProgress,
  signal,
}: RequestOptions): Promise<XMLHttpRequest> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortReason(signal))
      return
    }
    const request = new XMLHttpRequest()
    request.open(method, url)
    request.withCredentials = true
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', ({ lengthComputable, loaded, total }) => {
      if (lengthComputable && total > 0) onProgress?.(loaded, total)
    })

    const abort = () => request.abort()
    signal?.addEventListener('abort', abort, { once: true })
    request.addEventListener('loadend', () => signal?.removeEventListener('abort', abort))
    request.addEventListener('abort', () => reject(abortReason(signal)))
    request.addEventListener('error', () => reject(new NetworkError(new Error('The upload was cut off'))))
    request.addEventListener('timeout', () => reject(new NetworkError(new Error('The upload timed out'))))
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status <= 299) resolve(request)
      else reject(new ApiError(request.status, request.responseText, request.statusText))
    })
    request.send(body ?? null)
  })
}

function abortReason(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason
  return reason instanceof Error ? reason : new DOMException('The upload was stopped', 'AbortError')
}

/** True if the user stopped the upload, which is not a failure. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

import { AppError } from '#shared/errors.ts'
import { MEDIA_MAX_BYTES } from '#shared/limits.ts'
import { MEDIA_TYPES, type MediaType } from '#shared/media/media-types.ts'
import { messages } from '#shared/messages.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** tus 1.0: https://tus.io/protocols/resumable-upload. Requests and responses have the version. */
const TUS_VERSION = '1.0.0'
export const TUS_OPTIONS = {
  'Tus-Version': TUS_VERSION,
  'Tus-Extension': 'creation,termination,expiration',
  'Tus-Max-Size': String(MEDIA_MAX_BYTES.owner.VIDEO),
} as const

const TUS_PATH = /^\/api\/memorials\/[^/]+\/uploads(?:\/|$)/u
const METADATA_MAX = 4096
const CHUNK_TYPE = 'application/offset+octet-stream'

/** Adds the server's tus version to every response of a resumable upload, errors included. */
export function addTusVersion(request: Request, { status, headers }: Response): void {
  if (!TUS_PATH.test(new URL(request.url).pathname)) return
  headers.set('Tus-Resumable', TUS_VERSION)
  if (status === 412) headers.set('Tus-Version', TUS_VERSION)
}

const NAMED_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PATCH', 'DELETE'])

/**
 * Applies `X-HTTP-Method-Override`, for networks that block PATCH and DELETE. Call it before anything reads the method.
 * Throws `method_not_allowed` for an unknown method.
 */
export function applyMethodOverride(request: Request): Request {
  const method = request.headers.get('X-HTTP-Method-Override')?.toUpperCase()
  if (method === undefined || !TUS_PATH.test(new URL(request.url).pathname)) return request
  if (!NAMED_METHODS.has(method)) {
    throw new AppError('method_not_allowed', serverMessages.system.methodNotAllowed)
  }
  const { url, headers } = request
  const body = ['GET', 'HEAD', 'OPTIONS'].includes(method) ? null : request.body
  return new Request(url, { method, headers, body })
}

/** Throws `unknown_version` (412) for a request with another or no tus version. */
export function requireTusVersion(headers: Headers): void {
  if (headers.get('Tus-Resumable') !== TUS_VERSION) {
    throw new AppError('unknown_version', serverMessages.media.uploadVersion)
  }
}

export type Creation = { length: number; type: MediaType; fileName: string; metadata: string }

/** Reads the headers of a creation. Throws `bad_input`; doesn't check the length against limits. */
export function readCreation(headers: Headers): Creation {
  const length = wholeNumber(headers.get('Upload-Length'))
  // The quota needs the length in advance, so `Upload-Defer-Length` is not supported.
  if (length === null) throw malformed()
  if (length === 0) throw new AppError('bad_input', messages.media.empty)
  const metadata = headers.get('Upload-Metadata') ?? ''
  const values = readMetadata(metadata)
  const type = MEDIA_TYPES.find((kind) => kind === values.get('type'))
  if (!type) throw new AppError('bad_input', serverMessages.media.typeMissing)
  return { length, type, fileName: values.get('filename') ?? '', metadata }
}

/** Parses `Upload-Metadata`: comma-separated pairs of a key and Base64 text. Throws `bad_input`. */
function readMetadata(header: string): Map<string, string> {
  const values = new Map<string, string>()
  if (header.length > METADATA_MAX) throw malformed()
  for (const pair of header.split(',').map((text) => text.trim())) {
    if (pair === '') continue
    const [key = '', value = '', ...more] = pair.split(' ')
    if (more.length > 0 || values.has(key)) throw malformed()
    values.set(key, textOf(value))
  }
  return values
}

function textOf(base64: string): string {
  try {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw malformed()
  }
}

/** Offset and length of a chunk; the length is null if unknown. Throws `wrong_type` and `bad_input`. */
export function readChunk(headers: Headers): { offset: number; announced: number | null } {
  if (headers.get('Content-Type') !== CHUNK_TYPE) {
    throw new AppError('wrong_type', serverMessages.media.uploadMalformed)
  }
  const offset = wholeNumber(headers.get('Upload-Offset'))
  if (offset === null) throw malformed()
  return { offset, announced: wholeNumber(headers.get('Content-Length')) }
}

function wholeNumber(text: string | null): number | null {
  if (text === null || !/^\d{1,15}$/u.test(text)) return null
  return Number(text)
}

function malformed(): AppError {
  return new AppError('bad_input', serverMessages.media.uploadMalformed)
}

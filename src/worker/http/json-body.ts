import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'

/**
 * Reads a JSON body of at most `maxBytes`; an empty body is undefined. Throws `too_large` before reading on, and
 * `bad_input` for what is not JSON.
 */
export async function readJsonBody(request: Request, maxBytes: number): Promise<unknown> {
  if (Number(request.headers.get('Content-Length') ?? 0) > maxBytes) throw tooLarge()
  if (!request.body) return undefined
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body) {
    size += chunk.byteLength
    if (size > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  if (size === 0) return undefined
  if (!/^application\/json\b/iu.test(request.headers.get('Content-Type') ?? '')) {
    throw new AppError('bad_input', messages.system.badJson)
  }
  try {
    return JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(concat(chunks, size)),
    )
  } catch {
    throw new AppError('bad_input', messages.system.badJson)
  }
}

function concat(chunks: Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.byteLength
  }
  return all
}

function tooLarge(): AppError {
  return new AppError('too_large', messages.system.tooLarge)
}

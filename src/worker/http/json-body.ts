import { Buffer } from 'node:buffer'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** Reads a whole body into memory; throws `too_large` above `maxBytes`. Media files are streamed instead. */
export async function readBytes(
  { headers, body }: Pick<Request | Response, 'headers' | 'body'>,
  maxBytes: number,
): Promise<Uint8Array> {
  if (Number(headers.get('Content-Length') ?? 0) > maxBytes) throw tooLarge()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Reads a JSON body; undefined if empty. Throws `too_large`, and `bad_input` for anything that isn't JSON. */
export async function readJsonBody(request: Request, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes)
  if (bytes.byteLength === 0) return undefined
  if (!/^application\/json\s*(?:;|$)/iu.test(request.headers.get('Content-Type') ?? '')) {
    throw new AppError('bad_input', serverMessages.system.badJson)
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes))
  } catch {
    throw new AppError('bad_input', serverMessages.system.badJson)
  }
}

function tooLarge(): AppError {
  return new AppError('too_large', messages.system.tooLarge)
}

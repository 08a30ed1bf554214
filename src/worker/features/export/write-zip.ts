import { makeZip } from 'client-zip'
import type { Ctx } from '#worker/platform/ctx.ts'

/** `size` is what `bytes` yields; `bytes` opens the file on its first read. `addedAt` is in milliseconds. */
export type ZipEntry = { name: string; size: number; addedAt: number; bytes: () => AsyncIterable<Uint8Array> }

/** Compresses nothing: media are compressed. A failing entry aborts the stream, so it never looks complete. */
export async function writeZip(
  ctx: Ctx,
  entries: readonly ZipEntry[],
  writable: WritableStream<Uint8Array>,
  cancel: () => void,
): Promise<void> {
  const zip = makeZip(
    entries.map(({ name, addedAt, bytes }) => ({
      name,
      lastModified: new Date(addedAt),
      input: bytes(),
    })),
    { buffersAreUTF8: true },
  ).getReader()
  const out = writable.getWriter()
  let isDisconnected = false
  try {
    for (;;) {
      const { done, value } = await zip.read()
      if (done) break
      await out.write(value).catch((error: unknown) => {
        isDisconnected = true
        throw error
      })
    }
    await out.close()
  } catch (error) {
    cancel()
    await out.abort(error).catch(() => null)
    await zip.cancel().catch(() => null)
    // Not our error if the client disconnects.
    if (!isDisconnected) ctx.log.error('export_broke_off', error)
  }
}

/** In bytes. Texts up to this size stay in memory between measuring and sending. */
const BUFFERED_MAX_BYTES = 1024 * 1024

/** A text with its size in bytes, known before it is sent. Call `chunks` once. */
export type TextFile = { size: number; chunks: () => AsyncIterable<Uint8Array> }

/** Generates a text to measure it, and again to send it if it is long. `write` must start from the beginning. */
export async function textFile(write: () => AsyncIterable<string>): Promise<TextFile> {
  const buffered: Uint8Array[] = []
  let size = 0
  for await (const chunk of encoded(write())) {
    size += chunk.byteLength
    if (size <= BUFFERED_MAX_BYTES) buffered.push(chunk)
    else buffered.length = 0
  }
  if (size > BUFFERED_MAX_BYTES) return { size, chunks: () => encoded(write()) }
  return {
    size,
    async *chunks() {
      yield* buffered
    },
  }
}

async function* encoded(text: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const chunk of text) yield encoder.encode(chunk)
}

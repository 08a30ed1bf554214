import { makeZip } from 'client-zip'
import type { Ctx } from '#worker/platform/ctx.ts'

/**
 * `name` is the path in the archive, `size` the number of bytes that `bytes` yields. `bytes` opens the file on its
 * first read. `addedAt` is in milliseconds.
 */
export type ZipEntry = { name: string; size: number; addedAt: number; bytes: () => AsyncIterable<Uint8Array> }

/**
 * Writes a ZIP into a stream. Opens each entry only when it is written, and compresses none, since media are compressed
 * already. If an entry fails, aborts the stream, so that nobody takes it as complete. `cancel` cancels open reads.
 */
export async function writeZip(
  ctx: Ctx,
  {
    entries,
    writable,
    cancel,
  }: { entries: readonly ZipEntry[]; writable: WritableStream<Uint8Array>; cancel: () => void },
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

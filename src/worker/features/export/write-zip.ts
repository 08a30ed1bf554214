import { makeZip } from 'client-zip'
import type { Ctx } from '#worker/platform/ctx.ts'

/** `name`: path in the archive. `size`: bytes that `bytes` gives, which begins when it is first read. `addedAt`: milliseconds. */
export type ZipEntry = { name: string; size: number; addedAt: number; bytes: () => AsyncIterable<Uint8Array> }

/**
 * Writes a ZIP into a stream, each entry opened when its turn comes and none compressed: photos and films are already. Breaks
 * the stream off where an entry fails, so that nobody takes a part for the whole. `giveUp` lets go of what is open.
 */
export async function writeZip(
  ctx: Ctx,
  {
    entries,
    writable,
    giveUp,
  }: { entries: readonly ZipEntry[]; writable: WritableStream<Uint8Array>; giveUp: () => void },
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
  let isGone = false
  try {
    for (;;) {
      const { done, value } = await zip.read()
      if (done) break
      await out.write(value).catch((error: unknown) => {
        isGone = true
        throw error
      })
    }
    await out.close()
  } catch (error) {
    giveUp()
    await out.abort(error).catch(() => null)
    await zip.cancel().catch(() => null)
    // A reader who goes away is no failure of ours.
    if (!isGone) ctx.log.error('export_broke_off', error)
  }
}

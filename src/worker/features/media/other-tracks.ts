import { AppError } from '#shared/errors.ts'
import { PART_BYTES } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import type { StoredUpload } from '#worker/features/media/receive-file.ts'
import { patched, planPatches } from '#worker/media-formats/other-tracks.ts'
import { UncertainFilmError } from '#worker/media-formats/ranges.ts'
import { isBoxed } from '#worker/media-formats/strip-location.ts'
import { putStream } from '#worker/platform/objects.ts'

/**
 * Removes positions and other timed data from a stored MP4 or QuickTime file: a phone writes the list of tracks at the end, when
 * their samples have long been stored. Only a file with such tracks is written again, in its place; safe to repeat, because a
 * cleaned file has none. Throws `bad_input` when the data can't be found for certain.
 */
export async function removeOtherTracks(ctx: Ctx, upload: StoredUpload): Promise<void> {
  const { objectKey, size, sniffed } = upload
  if (!isBoxed(sniffed.mimeType)) return
  const patches = await planFor(ctx, objectKey, size)
  if (patches.length === 0) return
  // R2 replaces an object only once the new one is complete, and by then all bytes of the old one have been read.
  await putStream(ctx.env, objectKey, patched(inParts(ctx, objectKey, size), patches), sniffed.mimeType)
}

/** The stored bytes, one part at a time: the runtime passes on a stream in pieces of 4 KiB. */
async function* inParts(ctx: Ctx, objectKey: string, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += PART_BYTES)
    yield readRange(ctx, objectKey, at, Math.min(size, at + PART_BYTES))
}

async function planFor(ctx: Ctx, objectKey: string, size: number) {
  try {
    return await planPatches((start, end) => readRange(ctx, objectKey, start, end), size)
  } catch (error) {
    if (error instanceof StorageFailure) throw error
    const isUncertain = error instanceof UncertainFilmError
    ctx.log.info('tracks_not_removed', { reason: error instanceof Error ? error.message : 'unknown' })
    throw new AppError('bad_input', isUncertain ? messages.media.hiddenData : messages.media.damaged)
  }
}

/** Reading from storage failed; the file may be fine. */
export class StorageFailure extends Error {}

export async function readRange(
  ctx: Ctx,
  objectKey: string,
  start: number,
  end: number,
): Promise<Uint8Array> {
  try {
    const object = await ctx.env.MEDIA.get(objectKey, { range: { offset: start, length: end - start } })
    if (!object) throw new Error('object is gone')
    return new Uint8Array(await object.arrayBuffer())
  } catch (cause) {
    throw new StorageFailure('the stored file could not be read', { cause })
  }
}

import type { MediaType } from '#shared/media.ts'
import type { Ctx } from '#worker/ctx.ts'
import { inspect } from '#worker/features/media/inspect.ts'
import type { MediaRow } from '#worker/features/media/media.ts'
import { makePicturesSoon } from '#worker/features/media/pictures.ts'
import type { Draft, Received } from '#worker/features/media/receive-file.ts'
import { saveMedia } from '#worker/features/media/save-media.ts'
import type { MemorialAccess } from '#worker/features/memorials/memorial-access.ts'
import { releaseQuota } from '#worker/features/quota/quota.ts'
import { deletePrefix } from '#worker/platform/objects.ts'

/**
 * Where every upload ends, whichever way its bytes came: looks into the stored file and makes its row. Throws what
 * {@link inspect} and {@link saveMedia} throw; then {@link abandonFile} is the caller's to call.
 */
export async function keepFile(
  ctx: Ctx,
  draft: Draft,
  access: MemorialAccess,
  received: Exclude<Received, { kind: 'made-before' }>,
  declared: MediaType,
): Promise<MediaRow> {
  const facts = await inspect(ctx, draft, access, received, declared)
  const row = await saveMedia(ctx, draft, access, received, facts)
  if (row.id !== draft.mediaId) await abandonFile(ctx, draft)
  else await makePicturesSoon(ctx, row)
  return row
}

/** Removes what a failed upload has stored, then gives its room back. What cannot be removed now the hourly sweep finds. */
export async function abandonFile(ctx: Ctx, draft: Draft): Promise<void> {
  try {
    if (!draft.isUncertain) await deletePrefix(ctx.env.MEDIA, draft.objectKey)
    await releaseQuota(ctx, draft.memorialId, draft.mediaId)
  } catch (error) {
    ctx.log.warn('upload_not_cleared', { mediaId: draft.mediaId, reason: String(error) })
  }
}

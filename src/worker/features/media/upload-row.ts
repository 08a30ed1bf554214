import { AppError, type ErrorCode } from '#shared/errors.ts'
import type { UploadState } from '#shared/media.ts'
import type { Ctx } from '#worker/ctx.ts'
import type { resumableUploads } from '#worker/features/media/resumable.table.ts'
import type { UploadPlan } from '#worker/features/media/upload-state.ts'
import {
  PIECE_HEADER,
  type Appended,
  type Piece,
  type UploadStore,
} from '#worker/features/media/upload-store.do.ts'
import type { QuotaItem } from '#worker/features/quota/quota.do.ts'

export type UploadRow = typeof resumableUploads.$inferSelect

/** How far an upload is, without the medium that it became. */
export type Progress = Omit<UploadState, 'media'>

/** What its sender is told of an upload; throws why it was refused. */
export function stateOf(upload: UploadRow, offset: number): Progress {
  if (upload.refusalCode !== null) {
    throw new AppError(upload.refusalCode as ErrorCode, upload.refusalMessage ?? '')
  }
  return {
    offset,
    length: upload.length,
    expiresAt: new Date(upload.expiresAt).toISOString(),
    mediaId: upload.endedAt === null ? null : upload.mediaId,
  }
}

/** The object that receives its bytes. */
export function storeOf(ctx: Ctx, { id }: UploadRow): DurableObjectStub<UploadStore> {
  return (ctx.env.UPLOADS as DurableObjectNamespace<UploadStore>).getByName(id)
}

/** Has the object take one piece in. `announced`: its length, null where it was not said. */
export async function appendPiece(
  ctx: Ctx,
  upload: UploadRow,
  { offset, announced }: Omit<Piece, 'plan'>,
  body: ReadableStream<Uint8Array> | null,
): Promise<Appended> {
  const piece: Piece = { plan: planOf(upload), offset, announced }
  const headers = { [PIECE_HEADER]: JSON.stringify(piece) }
  const answer = await storeOf(ctx, upload).fetch('https://upload/', { method: 'POST', body, headers })
  return answer.json<Appended>()
}

/** R2 key of the medium that it becomes. */
export function objectKeyOf({ memorialId, mediaId }: UploadRow): string {
  return `m/${memorialId}/${mediaId}`
}

export function planOf(upload: UploadRow): UploadPlan {
  return { objectKey: objectKeyOf(upload), length: upload.length }
}

/** What the quota holds for it; its length in seconds is not known yet. */
export function itemOf({ mediaId, type, contributorId, length }: UploadRow): QuotaItem {
  return { mediaId, type, contributorId, bytes: length, durationSec: 0 }
}

import { AppError, fieldError } from '#shared/errors.ts'
import { MEDIA_MAX_BYTES } from '#shared/limits.ts'
import { MEDIA_TYPES, type MediaType, type MediaUploaded } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import type { RequestCtx } from '#worker/ctx.ts'
import { HeldFile } from '#worker/features/media/hold-file.ts'
import { abandonFile, keepFile } from '#worker/features/media/keep-file.ts'
import { toMedia } from '#worker/features/media/media.ts'
import {
  receiveFile,
  requireMoreFiles,
  type Draft,
  type Received,
} from '#worker/features/media/receive-file.ts'
import { findMadeBefore } from '#worker/features/media/save-media.ts'
import { idempotencyKeyOf } from '#worker/http/idempotency-key.ts'
import {
  accessFor,
  findMemorial,
  requireAccess,
  type MemorialAccess,
  type MemorialRow,
} from '#worker/features/memorials/memorial-access.ts'
import { readMultipart, type MultipartFile } from '#worker/platform/multipart.ts'
import { newId } from '#worker/platform/random.ts'

/** Refusals that a contributor token in the form can turn. */
const TOKEN_MAY_HELP = new Set(['invitation_needed', 'name_required'])

/**
 * Takes one photo, film or recording into a memorial: streams it to R2, decides by its bytes what it is, makes the
 * variants of a photo, and shows it only once its row stands. Every failure leaves nothing behind. Throws
 * `wrong_type`, `too_large`, `too_long`, `quota_exceeded`, `memorial_locked`, `bad_input`, and what access says.
 */
export async function uploadMedia(
  ctx: RequestCtx,
  memorialId: string,
  purpose: Draft['purpose'] = 'medium',
): Promise<MediaUploaded> {
  const memorial = await findMemorial(ctx, memorialId)
  const inviteToken = new URL(ctx.request.url).searchParams.get('invite')
  const known = await admitEarly(ctx, memorial, purpose, inviteToken)
  const mediaId = newId('media')
  const draft: Draft = {
    mediaId,
    memorialId,
    objectKey: `m/${memorialId}/${mediaId}`,
    purpose,
    idempotencyKey: idempotencyKeyOf(ctx),
    reserved: null,
    isUncertain: false,
  }
  const held = new HeldFile()
  try {
    return await takeIn(ctx, draft, memorial, known, inviteToken, held)
  } catch (error) {
    if (draft.reserved) await abandonFile(ctx, draft)
    throw error
  } finally {
    held.release()
  }
}

async function takeIn(
  ctx: RequestCtx,
  draft: Draft,
  memorial: MemorialRow | null,
  known: MemorialAccess | null,
  inviteToken: string | null,
  held: HeldFile,
): Promise<MediaUploaded> {
  let access = known
  const admit = (contributorToken: string | null) =>
    requireAccess(ctx, memorial, 'contribute', { contributorToken, inviteToken })
  const receive = async (file: MultipartFile, sender: MemorialAccess): Promise<Received> => {
    const before = await findMadeBefore(ctx, sender, draft.idempotencyKey)
    if (before) return { kind: 'made-before', row: before }
    await requireMoreFiles(ctx, sender)
    return receiveFile(ctx, draft, sender, file, declaredType(draft, file.fields))
  }
  const { fields, file } = await readMultipart(ctx.request, {
    maxBytes: MEDIA_MAX_BYTES.owner.VIDEO,
    async onFile(arriving): Promise<Received | MultipartFile> {
      const token = arriving.fields.get('contributorToken')
      if (!access && token) access = await admit(token)
      return access ? receive(arriving, access) : held.take(arriving, () => admit(null))
    },
  })
  access ??= await admit(fields.get('contributorToken') ?? null)
  if (!file) throw fieldError('bad_input', 'file', messages.media.fileMissing)
  const declared = declaredType(draft, fields)
  const received = 'bytes' in file ? await receive({ ...file, fields }, access) : file
  if (received.kind === 'made-before') return { id: received.row.id, media: toMedia(received.row, access) }
  if (!declared) throw fieldError('bad_input', 'type', messages.media.typeMissing)
  const row = await keepFile(ctx, draft, access, received, declared)
  return { id: row.id, media: toMedia(row, access) }
}

/**
 * Decides before a byte is read. Returns null where a token in the form may still let the sender in, and throws the
 * refusal where none could.
 */
async function admitEarly(
  ctx: RequestCtx,
  memorial: MemorialRow | null,
  purpose: Draft['purpose'],
  inviteToken: string | null,
): Promise<MemorialAccess | null> {
  // Asked as `oversee`, refused as `edit`: an admin gets no further than this, and has changed nothing to record.
  if (purpose === 'profile-image') await requireAccess(ctx, memorial, 'oversee')
  if (!memorial || purpose === 'profile-image') return requireAccess(ctx, memorial, 'contribute')
  const found = await accessFor(ctx, memorial, { contributorToken: null, inviteToken })
  const refusal = found.access.refuse('contribute')
  if (!refusal) return found
  if (TOKEN_MAY_HELP.has(refusal.code)) return null
  throw new AppError(refusal.code, refusal.message)
}

function declaredType(draft: Draft, fields: ReadonlyMap<string, string>): MediaType | null {
  if (draft.purpose === 'profile-image') return 'IMAGE'
  return MEDIA_TYPES.find((type) => type === fields.get('type')) ?? null
}

import { AppError, fieldError } from '#shared/errors.ts'
import { MEDIA_MAX_BYTES } from '#shared/limits.ts'
import type { MediaUploaded } from '#shared/media/media.ts'
import { MEDIA_TYPES, type MediaType } from '#shared/media/media-types.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { finalizeUpload, findCreatedBefore } from '#worker/features/media/finalize-upload.ts'
import { toMedia, type MediaRow } from '#worker/features/media/media.ts'
import {
  discardUpload,
  receiveFile,
  requireMoreFiles,
  wrongType,
  type PendingUpload,
  type Received,
  type StoredUpload,
} from '#worker/features/media/receive-file.ts'
import { idempotencyKeyOf } from '#worker/http/idempotency-key.ts'
import {
  accessFor,
  findMemorial,
  requireAccess,
  type MemorialAccess,
  type MemorialRow,
} from '#worker/access/memorial-access.ts'
import { readMultipart, type MultipartFile } from '#worker/platform/multipart.ts'
import { newId } from '#worker/platform/random.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/*
 * The life of an upload.
 *
 * A small file arrives in one multipart request (this file), a large one in chunks by tus 1.0 (resumable.ts). Both go
 * through the same states, each an immutable value that the next step receives:
 *
 *   pending   ->  reserved  ->  stored  ->  committed
 *                                       ->  uncertain
 *
 * 1. Pending: the sender may contribute, and the upload has an id and an object key. Nothing is stored.
 * 2. Reserved: its leading bytes match an accepted type, and MemorialQuota has reserved its size. Its bytes are streamed to
 *    R2 (receive-file.ts, for chunks UploadStore), videos and recordings without the metadata of phones and cameras. Photos are
 *    stored as sent; only their variants, which have no metadata, are shown to others.
 * 3. Stored: the whole file is in R2. It is decoded or probed, and a photo gets its first variants (inspect.ts).
 * 4. Committed: one D1 batch has written the row, if the memorial was still open to the sender at that moment
 *    (finalize-upload.ts). Now every viewer of the memorial sees it, and a queue job creates the other variants.
 * 5. Uncertain: D1 did not answer, and a second query did not find the row. The object stays, because the row may exist.
 *
 * A step that fails discards its input: objects first, then the quota. The hourly sweep removes what a crash leaves behind:
 * objects without a row that are older than an hour, and abandoned multipart uploads.
 */

/** Buffer limit of one file whose contributor token may follow it. */
const BUFFER_MAX_BYTES = 16 * 1024 * 1024
/** Buffer limit of all such files together: an isolate has 128 MB of memory. */
const BUFFERS_MAX_BYTES = 32 * 1024 * 1024
const TRY_AGAIN_SEC = 10
/** Refusals that a contributor token in the form can resolve. */
const TOKEN_MAY_HELP = new Set(['invitation_needed', 'name_required'])

/**
 * Receives one file and makes it visible, or leaves nothing behind: see the life of an upload above. Throws `wrong_type`,
 * `too_large`, `too_long`, `quota_exceeded`, `memorial_locked`, `bad_input`, and the refusals of access.
 */
export async function uploadMedia(
  ctx: RequestCtx,
  memorialId: string,
  purpose: PendingUpload['purpose'] = 'media-item',
): Promise<MediaUploaded> {
  const memorial = await findMemorial(ctx, memorialId)
  const inviteToken = new URL(ctx.request.url).searchParams.get('invite')
  const known = await admitEarly(ctx, memorial, purpose, inviteToken)
  const mediaId = newId('media')
  const pending: PendingUpload = {
    mediaId,
    memorialId,
    objectKey: `m/${memorialId}/${mediaId}`,
    purpose,
    idempotencyKey: idempotencyKeyOf(ctx),
  }
  const buffered = new BufferedFile()
  try {
    const form = await receiveForm(ctx, pending, { memorial, known, inviteToken }, buffered)
    const row = 'row' in form ? form.row : await finalizeOrDiscard(ctx, form)
    return { id: row.id, media: toMedia(row, form.access) }
  } finally {
    buffered.release()
  }
}

/** The result of a form: a stored file, or the row that an earlier request with the same key created. */
type StoredForm = { access: MemorialAccess; declared: MediaType; upload: StoredUpload }
type RepeatedForm = { access: MemorialAccess; row: MediaRow }
/** `known`: access from the request itself; null where a token in the form may grant it. */
type Sender = { memorial: MemorialRow | null; known: MemorialAccess | null; inviteToken: string | null }

/** Reads the whole form and stores its file. Discards the file when it throws. */
async function receiveForm(
  ctx: RequestCtx,
  pending: PendingUpload,
  { memorial, known, inviteToken }: Sender,
  buffered: BufferedFile,
): Promise<StoredForm | RepeatedForm> {
  let access = known
  let stored = null as StoredUpload | null
  const admit = (contributorToken: string | null) =>
    requireAccess(ctx, memorial, 'contribute', { contributorToken, inviteToken })
  const receive = async (file: MultipartFile, sender: MemorialAccess): Promise<Received> => {
    const before = await findCreatedBefore(ctx, sender, pending.idempotencyKey)
    if (before) return { state: 'made-before', row: before }
    await requireMoreFiles(ctx, sender, pending.idempotencyKey)
    const received = await receiveFile(ctx, pending, sender, file, declaredType(pending, file.fields))
    if (received.state === 'stored') stored = received
    return received
  }
  try {
    const { fields, file } = await readMultipart(ctx.request, {
      maxBytes: MEDIA_MAX_BYTES.owner.VIDEO,
      async onFile(arriving): Promise<Received | MultipartFile> {
        const token = arriving.fields.get('contributorToken')
        if (!access && token) access = await admit(token)
        return access ? receive(arriving, access) : buffered.take(arriving, () => admit(null))
      },
    })
    access ??= await admit(fields.get('contributorToken') ?? null)
    if (!file) throw fieldError('bad_input', 'file', serverMessages.media.fileMissing)
    const declared = declaredType(pending, fields)
    const received = 'bytes' in file ? await receive({ ...file, fields }, access) : file
    if (received.state === 'made-before') return { access, row: received.row }
    if (!declared) throw fieldError('bad_input', 'type', serverMessages.media.typeMissing)
    if (received.state === 'unrecognized') throw wrongType(access, declared)
    return { access, declared, upload: received }
  } catch (error) {
    if (stored) await discardUpload(ctx, stored)
    throw error
  }
}

async function finalizeOrDiscard(ctx: RequestCtx, form: StoredForm): Promise<MediaRow> {
  const { access, declared, upload } = form
  const ended = await finalizeUpload(ctx, upload, access, declared).catch(async (error: unknown) => {
    await discardUpload(ctx, upload)
    throw error
  })
  if (ended.state === 'committed') return ended.row
  await discardUpload(ctx, ended)
  throw ended.error
}

/** Checks access before the body. Null if a token in the form may grant it; throws the refusal if none can. */
async function admitEarly(
  ctx: RequestCtx,
  memorial: MemorialRow | null,
  purpose: PendingUpload['purpose'],
  inviteToken: string | null,
): Promise<MemorialAccess | null> {
  // `oversee` has the rules of `edit` but records no audit entry: an admin is refused below without a change.
  if (purpose === 'profile-image') await requireAccess(ctx, memorial, 'readPrivate')
  if (!memorial || purpose === 'profile-image') return requireAccess(ctx, memorial, 'contribute')
  const found = await accessFor(ctx, memorial, { contributorToken: null, inviteToken })
  const refusal = found.refuse('contribute')
  if (!refusal) return found
  if (TOKEN_MAY_HELP.has(refusal.code)) return null
  throw new AppError(refusal.code, refusal.message)
}

function declaredType(upload: PendingUpload, fields: ReadonlyMap<string, string>): MediaType | null {
  if (upload.purpose === 'profile-image') return 'IMAGE'
  return MEDIA_TYPES.find((type) => type === fields.get('type')) ?? null
}

let bufferedBytes = 0

/** The memory buffer of one request. Always call {@link release} at the end of the request. */
export class BufferedFile {
  #size = 0

  /** Buffers a small file until its sender is known. For a larger one it calls `refuse`, which must throw. */
  async take(file: MultipartFile, refuse: () => Promise<unknown>): Promise<MultipartFile> {
    const chunks: Uint8Array[] = []
    for await (const chunk of file.bytes) {
      if (this.#size + chunk.byteLength > BUFFER_MAX_BYTES) await refuse()
      if (bufferedBytes + chunk.byteLength > BUFFERS_MAX_BYTES) {
        throw new AppError('too_many_requests', serverMessages.system.tooManyRequests, {
          retryAfterSec: TRY_AGAIN_SEC,
        })
      }
      bufferedBytes += chunk.byteLength
      this.#size += chunk.byteLength
      chunks.push(chunk)
    }
    async function* replay() {
      yield* chunks
    }
    return { ...file, bytes: replay() }
  }

  release(): void {
    bufferedBytes -= this.#size
    this.#size = 0
  }
}

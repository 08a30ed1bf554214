import { AppError, fieldError } from '#shared/errors.ts'
import { MEDIA_MAX_BYTES } from '#shared/limits.ts'
import { MEDIA_TYPES, type MediaType, type MediaUploaded } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { finalizeUpload, findMadeBefore } from '#worker/features/media/finalize-upload.ts'
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

/*
 * The life of an upload.
 *
 * A small file comes in one multipart request (this file), a large one in chunks by tus 1.0 (resumable.ts). Both go
 * through the same states, each a value that the next step takes and nobody changes:
 *
 *   pending   ->  reserved  ->  stored  ->  committed
 *                                       ->  uncertain
 *
 * 1. Pending: the sender may contribute, and the upload has an id and an object key. Nothing is stored.
 * 2. Reserved: its leading bytes are of a type that is accepted, and MemorialQuota holds room for it. Its bytes go to R2
 *    as they arrive, without the metadata of phones and cameras (receive-file.ts, for chunks UploadStore).
 * 3. Stored: the whole file is in R2. Its pixels or its length are read, and a photo gets its first sizes (inspect.ts).
 * 4. Committed: one D1 batch has written the row, if the memorial was still open to the sender at that moment
 *    (finalize-upload.ts). Now everybody who may see the memorial sees it, and a queue makes the other sizes.
 * 5. Uncertain: D1 did not answer, and a second look did not show the row. The object stays, because the row may exist.
 *
 * A step that fails discards what it was given: objects first, then the room. What a crash leaves behind, the hourly
 * sweep removes: objects without a row that are older than an hour, and abandoned multipart uploads.
 */

/** How much of one file is buffered while the token that may follow it is awaited. */
const BUFFER_MAX_BYTES = 16 * 1024 * 1024
/** How much may be buffered for all such senders together: an isolate has 128 MB for everything. */
const BUFFERS_MAX_BYTES = 32 * 1024 * 1024
const TRY_AGAIN_SEC = 10
/** Refusals that a contributor token in the form can turn into an admission. */
const TOKEN_MAY_HELP = new Set(['invitation_needed', 'name_required'])

/**
 * Takes one photo, video or recording into a memorial: streams it to R2, decides by its bytes what it is, makes the
 * variants of a photo, and shows it only once its row exists. Every failure leaves nothing behind. Throws
 * `wrong_type`, `too_large`, `too_long`, `quota_exceeded`, `memorial_locked`, `bad_input`, and what access says.
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

/** What a request has brought: a file that is stored, or the key of one that was stored before. */
type StoredForm = { access: MemorialAccess; declared: MediaType; upload: StoredUpload }
type RepeatedForm = { access: MemorialAccess; row: MediaRow }
/** `known`: what the request itself allows; null where a token in the form may allow it. */
type Sender = { memorial: MemorialRow | null; known: MemorialAccess | null; inviteToken: string | null }

/** Reads the form to its end and stores the file that is in it. Discards the file when it throws. */
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
    const before = await findMadeBefore(ctx, sender, pending.idempotencyKey)
    if (before) return { state: 'made-before', row: before }
    await requireMoreFiles(ctx, sender)
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
    if (!file) throw fieldError('bad_input', 'file', messages.media.fileMissing)
    const declared = declaredType(pending, fields)
    const received = 'bytes' in file ? await receive({ ...file, fields }, access) : file
    if (received.state === 'made-before') return { access, row: received.row }
    if (!declared) throw fieldError('bad_input', 'type', messages.media.typeMissing)
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

/**
 * Decides before a byte is read. Returns null where a token in the form may still let the sender in, and throws the
 * refusal where none could.
 */
async function admitEarly(
  ctx: RequestCtx,
  memorial: MemorialRow | null,
  purpose: PendingUpload['purpose'],
  inviteToken: string | null,
): Promise<MemorialAccess | null> {
  // `oversee` has the rules of `edit` but records no audit entry: an admin is refused below and has changed nothing.
  if (purpose === 'profile-image') await requireAccess(ctx, memorial, 'oversee')
  if (!memorial || purpose === 'profile-image') return requireAccess(ctx, memorial, 'contribute')
  const found = await accessFor(ctx, memorial, { contributorToken: null, inviteToken })
  const refusal = found.access.refuse('contribute')
  if (!refusal) return found
  if (TOKEN_MAY_HELP.has(refusal.code)) return null
  throw new AppError(refusal.code, refusal.message)
}

function declaredType(upload: PendingUpload, fields: ReadonlyMap<string, string>): MediaType | null {
  if (upload.purpose === 'profile-image') return 'IMAGE'
  return MEDIA_TYPES.find((type) => type === fields.get('type')) ?? null
}

let bufferedBytes = 0

/** What one request keeps in memory. Call {@link release} whatever becomes of the request. */
export class BufferedFile {
  #size = 0

  /**
   * Keeps a small file in memory until its sender is known. `refuse` is called, and must throw, for a larger one.
   * Throws `too_many_requests` while other requests fill the memory there is.
   */
  async take(file: MultipartFile, refuse: () => Promise<unknown>): Promise<MultipartFile> {
    const chunks: Uint8Array[] = []
    for await (const chunk of file.bytes) {
      if (this.#size + chunk.byteLength > BUFFER_MAX_BYTES) await refuse()
      if (bufferedBytes + chunk.byteLength > BUFFERS_MAX_BYTES) {
        throw new AppError('too_many_requests', messages.system.tooManyRequests, {
          retryAfterSec: TRY_AGAIN_SEC,
        })
      }
      bufferedBytes += chunk.byteLength
      this.#size += chunk.byteLength
      chunks.push(chunk)
    }
    async function* again() {
      yield* chunks
    }
    return { ...file, bytes: again() }
  }

  release(): void {
    bufferedBytes -= this.#size
    this.#size = 0
  }
}

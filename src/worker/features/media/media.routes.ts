import { api } from '#shared/api.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import {
  changeableMedia,
  updateMedia,
  posterableMedia,
  savePoster,
} from '#worker/features/media/edit-media.ts'
import { deleteUpload, type Progress } from '#worker/features/media/finish-resumable.ts'
import { listMedia } from '#worker/features/media/media.ts'
import { appendUpload, createUpload, readUpload, requireUpload } from '#worker/features/media/resumable.ts'
import { serveMedia, viewableMedia } from '#worker/features/media/serve-media.ts'
import { requireTusVersion, TUS_OPTIONS } from '#worker/features/media/tus.ts'
import { uploadMedia } from '#worker/features/media/upload.ts'
import { memorialFor, forViewers } from '#worker/access/memorial-access.ts'
import { route, type App } from '#worker/access/route.ts'

export function mediaRoutes(app: App): void {
  // No guard: the form may contain the contributor token after the file, so uploadMedia checks access.
  route(app, api.uploadMedia, {}, ({ ctx, params }) => uploadMedia(ctx, params.id))
  route(app, api.uploadProfileImage, {}, ({ ctx, params }) => uploadMedia(ctx, params.id, 'profile-image'))
  route(app, api.listMedia, forViewers, ({ ctx, access, query }) => listMedia(ctx, access, query))
  route(app, api.updateMedia, { found: changeableMedia }, ({ ctx, found, body }) =>
    updateMedia(ctx, found, body),
  )
  route(app, api.uploadPoster, { found: posterableMedia }, ({ ctx, found }) => savePoster(ctx, found))
  route(app, api.mediaStream, { found: viewableMedia }, ({ ctx, found, query }) =>
    serveMedia(ctx, found, query),
  )
}

const tus = (ctx: RequestCtx) => requireTusVersion(ctx.request.headers)
const guards = { access: memorialFor('contribute'), tus }

/** Mounts resumable uploads. Only the sender that created one may resume it. */
export function resumableRoutes(app: App): void {
  route(
    app,
    api.uploadOptions,
    forViewers,
    async () => new Response(null, { status: 204, headers: TUS_OPTIONS }),
  )
  route(app, api.createUpload, guards, async ({ ctx, access }) => {
    const upload = await createUpload(ctx, access)
    return new Response(null, {
      status: 201,
      headers: {
        Location: `${new URL(ctx.request.url).pathname}/${upload.id}`,
        'Upload-Expires': new Date(upload.expiresAt).toUTCString(),
      },
    })
  })
  route(app, api.uploadState, guards, async ({ ctx, access, params }) => {
    const upload = await requireUpload(ctx, access, params.uploadId)
    const state = await readUpload(ctx, access, upload)
    return Response.json(state, {
      headers: {
        ...headersOf(state),
        'Upload-Length': String(state.length),
        ...(upload.metadata === '' ? {} : { 'Upload-Metadata': upload.metadata }),
      },
    })
  })
  route(app, api.appendUpload, guards, async ({ ctx, access, params }) => {
    const upload = await requireUpload(ctx, access, params.uploadId)
    const state = await appendUpload(ctx, access, upload)
    return new Response(null, { status: 204, headers: headersOf(state) })
  })
  route(app, api.deleteUpload, guards, async ({ ctx, access, params }) => {
    await deleteUpload(ctx, await requireUpload(ctx, access, params.uploadId))
    return null
  })
}

function headersOf({ offset, expiresAt, mediaId }: Progress): Record<string, string> {
  return {
    'Cache-Control': 'no-store',
    'Upload-Offset': String(offset),
    'Upload-Expires': new Date(expiresAt).toUTCString(),
    ...(mediaId === null ? {} : { 'Nhaka-Media-Id': mediaId }),
  }
}

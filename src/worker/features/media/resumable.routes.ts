import { api } from '#shared/api.ts'
import type { RequestCtx } from '#worker/ctx.ts'
import { deleteUpload } from '#worker/features/media/finish-upload.ts'
import { appendUpload, createUpload, readUpload, requireUpload } from '#worker/features/media/resumable.ts'
import { requireTusVersion, TUS_OPTIONS } from '#worker/features/media/tus.ts'
import type { Progress } from '#worker/features/media/upload-row.ts'
import { memorialFor } from '#worker/features/memorials/memorial-access.ts'
import { route, type App } from '#worker/http/route.ts'

const tus = (ctx: RequestCtx) => requireTusVersion(ctx.request.headers)
const guards = { access: memorialFor('contribute'), tus }

/** Mounts resumable uploads. Only who began one goes on with it. */
export function resumableRoutes(app: App): void {
  route(
    app,
    api.uploadOptions,
    { access: memorialFor('view') },
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

import { api } from '#shared/api.ts'
import { changeableMedia, deleteMedia, updateMedia } from '#worker/features/media/edit-media.ts'
import { listMedia } from '#worker/features/media/list-media.ts'
import { posterableMedia, savePoster } from '#worker/features/media/poster.ts'
import { serveMedia, viewableMedia } from '#worker/features/media/serve-media.ts'
import { uploadMedia } from '#worker/features/media/upload.ts'
import { memorialFor } from '#worker/features/memorials/memorial-access.ts'
import { route, type App } from '#worker/http/route.ts'

/** Mounts the calls of photos, films and recordings. */
export function mediaRoutes(app: App): void {
  // Who may upload is decided inside: the token that says so may stand in the form, after the file.
  route(app, api.uploadMedia, {}, ({ ctx, params }) => uploadMedia(ctx, params.id))
  route(app, api.uploadProfileImage, {}, ({ ctx, params }) => uploadMedia(ctx, params.id, 'profile-image'))
  route(app, api.listMedia, { access: memorialFor('view') }, ({ ctx, access, query }) =>
    listMedia(ctx, access, query),
  )
  route(app, api.updateMedia, { found: changeableMedia }, ({ ctx, found, body }) =>
    updateMedia(ctx, found, body),
  )
  route(app, api.uploadPoster, { found: posterableMedia }, ({ ctx, found }) => savePoster(ctx, found))
  route(app, api.deleteMedia, { found: changeableMedia }, async ({ ctx, found }) => {
    await deleteMedia(ctx, found)
    return null
  })
  route(app, api.mediaStream, { found: viewableMedia }, ({ ctx, found, query }) =>
    serveMedia(ctx, found, query),
  )
}

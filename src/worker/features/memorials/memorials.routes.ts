import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import {
  deleteMemorial,
  listDeletedMemorials,
  restoreMemorial,
} from '#worker/features/memorials/delete-memorial.ts'
import { updateMemorial } from '#worker/features/memorials/edit-memorial.ts'
import { memorialFor } from '#worker/access/memorial-access.ts'
import { createMemorial, listOwnMemorials } from '#worker/features/memorials/memorials.ts'
import { changePrivacy } from '#worker/features/memorials/privacy.ts'
import { signedIn } from '#worker/access/guards.ts'
import { idempotencyKeyOf } from '#worker/http/idempotency-key.ts'
import { route, type App } from '#worker/access/route.ts'

/** Mounts the calls of memorials. */
export function memorialRoutes(app: App): void {
  route(app, api.dashboard, { user: signedIn }, async ({ ctx, user }) => ({
    memorials: await listOwnMemorials(ctx, user),
  }))
  route(app, api.deletedMemorials, { user: signedIn }, async ({ ctx, user }) => ({
    memorials: await listDeletedMemorials(ctx, user),
  }))
  route(app, api.createMemorial, { user: signedIn }, async ({ ctx, user, body }) =>
    createMemorial(ctx, user, body, idempotencyKeyOf(ctx)),
  )
  route(app, api.updateMemorial, { access: memorialFor('edit') }, async ({ ctx, access, body }) =>
    updateMemorial(ctx, access, body),
  )
  route(app, api.updatePrivacy, { access: memorialFor('edit') }, async ({ ctx, access, body }) =>
    changePrivacy(ctx, access, body.privacy),
  )
  route(
    app,
    api.deleteMemorial,
    { user: signedIn, access: memorialFor('delete') },
    async ({ ctx, user, access, body }) => {
      await deleteMemorial(ctx, user, access.memorial, body.confirmName)
      return { message: messages.memorial.deleted }
    },
  )
  route(app, api.restoreMemorial, { access: memorialFor('restore') }, async ({ ctx, access }) =>
    restoreMemorial(ctx, access),
  )
}

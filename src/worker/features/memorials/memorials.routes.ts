import { api } from '#shared/api.ts'
import { listKeptMemorials } from '#worker/features/memorials/kept-memorials.ts'
import { messages } from '#shared/messages.ts'
import {
  deleteMemorial,
  listHiddenMemorials,
  restoreMemorial,
} from '#worker/features/memorials/delete-memorial.ts'
import { updateMemorial, changePrivacy } from '#worker/features/memorials/edit-memorial.ts'
import { memorialFor, forEditors } from '#worker/access/memorial-access.ts'
import { createMemorial, listOwnMemorials } from '#worker/features/memorials/memorials.ts'
import { markSeen } from '#worker/features/memorials/news.ts'
import { signedIn } from '#worker/access/guards.ts'
import { idempotencyKeyOf } from '#worker/http/idempotency-key.ts'
import { route, type App } from '#worker/access/route.ts'

export function memorialRoutes(app: App): void {
  route(app, api.dashboard, { user: signedIn }, async ({ ctx, user }) => {
    const [memorials, kept] = await Promise.all([listOwnMemorials(ctx, user), listKeptMemorials(ctx, user)])
    return { memorials, ...(kept.length > 0 && { kept }) }
  })
  route(app, api.deletedMemorials, { user: signedIn }, ({ ctx, user }) => listHiddenMemorials(ctx, user))
  route(app, api.createMemorial, { user: signedIn }, ({ ctx, user, body }) =>
    createMemorial(ctx, user, body, idempotencyKeyOf(ctx)),
  )
  route(app, api.updateMemorial, forEditors, ({ ctx, access, body }) => updateMemorial(ctx, access, body))
  route(app, api.updatePrivacy, forEditors, ({ ctx, access, body }) =>
    changePrivacy(ctx, access, body.privacy),
  )
  route(app, api.markSeen, { access: memorialFor('markSeen') }, async ({ ctx, access }) => {
    await markSeen(ctx, access)
    return null
  })
  route(
    app,
    api.deleteMemorial,
    { user: signedIn, access: memorialFor('deleteMemorial') },
    async ({ ctx, user, access, body }) => {
      await deleteMemorial(ctx, user, access.memorial, body.confirmName)
      return { message: messages.memorial.deleted }
    },
  )
  route(app, api.restoreMemorial, { access: memorialFor('restoreMemorial') }, ({ ctx, access }) =>
    restoreMemorial(ctx, access),
  )
}

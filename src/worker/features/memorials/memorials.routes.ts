import { api } from '#shared/api.ts'
import { memorialFor } from '#worker/features/memorials/memorial-access.ts'
import { createMemorial, listOwnMemorials } from '#worker/features/memorials/memorials.ts'
import { changePrivacy } from '#worker/features/memorials/privacy.ts'
import { signedIn } from '#worker/http/guards.ts'
import { route, type App } from '#worker/http/route.ts'

export function memorialRoutes(app: App): void {
  route(app, api.dashboard, { user: signedIn }, async ({ ctx, user }) => ({
    memorials: await listOwnMemorials(ctx, user),
  }))
  route(app, api.createMemorial, { user: signedIn }, async ({ ctx, user, body }) =>
    createMemorial(ctx, user, body),
  )
  route(app, api.updatePrivacy, { access: memorialFor('edit') }, async ({ ctx, access, body }) =>
    changePrivacy(ctx, access.memorial, body.privacy),
  )
}

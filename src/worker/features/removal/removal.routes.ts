import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { endContributorSessions } from '#worker/access/contributor-sessions.ts'
import { deleteAccount } from '#worker/features/removal/delete-account.ts'
import { signedIn } from '#worker/access/guards.ts'
import { route, type App } from '#worker/access/route.ts'

/** Mounts the deletion of an account. */
export function removalRoutes(app: App): void {
  route(app, api.deleteAccount, { user: signedIn }, async ({ ctx, user, body, headers }) => {
    const restorableUntil = await deleteAccount(ctx, user, body.password, headers)
    await endContributorSessions(ctx, headers)
    return { message: messages.account.deleted, restorableUntil }
  })
}

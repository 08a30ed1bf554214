import { api } from '#shared/api.ts'
import { letInMessages } from '#shared/invites/let-in-messages.ts'
import { setContributorCookie } from '#worker/access/contributor-sessions.ts'
import { forApprovers, limitWrong } from '#worker/access/memorial-access.ts'
import { route, type App } from '#worker/access/route.ts'
import { askToBeLetIn } from '#worker/features/let-in/ask.ts'
import { decideLetIn, openLetIn } from '#worker/features/let-in/decide.ts'

export function letInRoutes(app: App): void {
  route(app, api.askToBeLetIn, {}, async ({ ctx, params, body }) => {
    await askToBeLetIn(ctx, params.id, body)
    return { message: letInMessages.asked }
  })
  route(app, api.decideLetIn, forApprovers, async ({ ctx, access, params, body }) => {
    await decideLetIn(ctx, access, params.requestId, body.decision)
    return null
  })
  route(app, api.openLetIn, {}, async ({ ctx, params, headers }) => {
    const session = await limitWrong(ctx, openLetIn(ctx, params.token))
    setContributorCookie(headers, ctx.request, session.memorialId, session.authToken)
    return session
  })
}

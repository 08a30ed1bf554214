import { api } from '#shared/api.ts'
import { renewVisitorSession } from '#worker/access/contributor-sessions.ts'
import { memorialBySlug } from '#worker/access/memorial-access.ts'
import { route, type App } from '#worker/access/route.ts'
import { leaveMessage, listOwnWords } from '#worker/features/visitors/visitor-messages.ts'
import { rememberVisitor } from '#worker/features/visitors/visitor-sessions.ts'
import { proveMessage } from '#worker/features/visitors/visitor-proof.ts'
import { idempotencyKeyOf } from '#worker/http/idempotency-key.ts'

export function visitorRoutes(app: App): void {
  // The verb checks who may leave words, so that a repeated request gets its answer even after that ended.
  route(app, api.leaveMessage, { access: memorialBySlug }, async ({ ctx, access, body, headers }) => {
    const { comment, authToken, isLinkMailed } = await leaveMessage(ctx, access, body, idempotencyKeyOf(ctx))
    await rememberVisitor(ctx, headers, access, authToken)
    return { comment, ...(isLinkMailed && { isLinkMailed }) }
  })
  route(app, api.proveMessage, { access: memorialBySlug }, async ({ ctx, access, params, body }) => ({
    isShown: await proveMessage(ctx, access, params.id, body.nonce),
  }))
  route(app, api.visitorWords, { access: memorialBySlug }, async ({ ctx, access, headers }) => {
    if (access.contributor) await renewVisitorSession(ctx, headers, access.contributor)
    return listOwnWords(ctx, access)
  })
}

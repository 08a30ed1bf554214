import { api } from '#shared/api.ts'
import { AppError } from '#shared/errors.ts'
import { WRITTEN_BY_HEADER } from '#shared/ids.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { actorIdOf, listComments, setLike, visibleComment } from '#worker/features/comments/comments.ts'
import { setThanked } from '#worker/features/comments/thank-comment.ts'
import { postComment } from '#worker/features/comments/post-comment.ts'
import { type MemorialAccess, forViewers } from '#worker/access/memorial-access.ts'
import { idempotencyKeyOf } from '#worker/http/idempotency-key.ts'
import { route, type App } from '#worker/access/route.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

function requireActor(ctx: RequestCtx, access: MemorialAccess): string {
  const actorId = actorIdOf(ctx, access)
  if (actorId === null) throw new AppError('not_signed_in', serverMessages.comment.identityNeeded)
  return actorId
}

export function commentRoutes(app: App): void {
  route(app, api.listComments, forViewers, ({ ctx, access, query }) =>
    listComments(ctx, access, query.cursor ?? null),
  )
  // The verb checks who may add, so that a repeated request gets its answer even after that ended.
  route(app, api.postComment, forViewers, async ({ ctx, access, body }) => ({
    comment: await postComment(ctx, access, body.body, {
      key: idempotencyKeyOf(ctx),
      writtenBy: ctx.request.headers.get(WRITTEN_BY_HEADER),
    }),
  }))
  route(app, api.likeComment, { access: visibleComment }, ({ ctx, access }) =>
    setLike(ctx, access.comment.id, requireActor(ctx, access), true),
  )
  route(app, api.thankComment, { access: visibleComment }, async ({ ctx, access, body }) => ({
    comment: await setThanked(ctx, access, body.isThanked),
  }))
  route(app, api.unlikeComment, { access: visibleComment }, ({ ctx, access }) =>
    setLike(ctx, access.comment.id, requireActor(ctx, access), false),
  )
}

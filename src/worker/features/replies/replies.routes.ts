import { api } from '#shared/api.ts'
import { forEditors, forViewers, privateReader } from '#worker/access/memorial-access.ts'
import { setReplyCookie } from '#worker/access/reply-cookies.ts'
import { route, type App } from '#worker/access/route.ts'
import { listReplies, removeReply, repliesFile, replyCounts } from '#worker/features/replies/list-replies.ts'
import { changeReply, ownReplies, replyByLink, withdrawReply } from '#worker/features/replies/own-replies.ts'
import { leaveInGuestbook } from '#worker/features/replies/reply-in-guestbook.ts'
import { toReply } from '#worker/features/replies/replies.ts'
import { sendReply } from '#worker/features/replies/send-reply.ts'
import { tellReplies } from '#worker/features/replies/tell-replies.ts'
import { idempotencyKeyOf } from '#worker/http/idempotency-key.ts'
import { contentDisposition } from '#worker/platform/file-names.ts'

/** An admin's look at what people wrote to the family is recorded. */
const forReaders = { access: privateReader }

export function replyRoutes(app: App): void {
  route(app, api.sendReply, forViewers, async ({ ctx, access, params, body, headers }) => {
    const key = idempotencyKeyOf(ctx)
    const { row, deviceToken } = await sendReply(ctx, access, params.eventId, body, key)
    setReplyCookie(headers, ctx.request, access.memorial.id, deviceToken)
    const isInGuestbook = await leaveInGuestbook(ctx, access, body, key, headers)
    return {
      reply: toReply(row),
      ...(row.email !== null && { isMailed: true as const }),
      ...(isInGuestbook && { isInGuestbook }),
    }
  })
  route(app, api.ownReplies, forViewers, async ({ ctx, access }) => ({
    replies: await ownReplies(ctx, access),
  }))
  // What a browser's cookie or a mailed link proves: its sender may be no viewer any longer.
  route(app, api.replyByLink, {}, ({ ctx, params }) => replyByLink(ctx, params.reply))
  route(app, api.changeReply, {}, async ({ ctx, params, body }) => ({
    reply: await changeReply(ctx, params.reply, body),
  }))
  route(app, api.withdrawReply, {}, async ({ ctx, params }) => {
    await withdrawReply(ctx, params.reply)
    return null
  })
  route(app, api.replyCounts, forReaders, async ({ ctx, access }) => ({
    counts: await replyCounts(ctx, access),
  }))
  route(app, api.listReplies, forReaders, ({ ctx, access, params, query }) =>
    listReplies(ctx, access, params.eventId, query.cursor ?? null),
  )
  route(app, api.repliesFile, forReaders, async ({ ctx, access, params }) => {
    const { slug } = access.memorial
    return new Response(await repliesFile(ctx, access, params.eventId), {
      headers: {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': contentDisposition('attachment', `${slug}-replies.csv`),
      },
    })
  })
  route(app, api.removeReply, forEditors, async ({ ctx, access, params }) => {
    await removeReply(ctx, access, params.replyId)
    return null
  })
  route(app, api.tellReplies, forEditors, async ({ ctx, access, params }) => ({
    told: await tellReplies(ctx, access, params.eventId),
  }))
}

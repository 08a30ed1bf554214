import { reportMessages } from '#shared/removal/report-messages.ts'
import { api } from '#shared/api.ts'
import { forApprovers, queueReader } from '#worker/access/memorial-access.ts'
import { route, type App } from '#worker/access/route.ts'
import { visibleComment } from '#worker/features/comments/comments.ts'
import { viewableMedia } from '#worker/features/media/serve-media.ts'
import { reportItem } from '#worker/features/reports/report-item.ts'
import { keepReported, listReported } from '#worker/features/reports/reported-items.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { media } from '#worker/schema/media.table.ts'

/** The same for the first report and the hundredth, whatever became of it. */
const THANKS = { message: `${reportMessages.thanksTitle} ${reportMessages.thanks}` }

export function reportRoutes(app: App): void {
  route(app, api.reportComment, { access: visibleComment }, async ({ ctx, access, body }) => {
    const { id, authorContributorId: addedBy } = access.comment
    await reportItem(ctx, access, { table: comments, id, addedBy }, body)
    return THANKS
  })
  route(app, api.reportMedia, { found: viewableMedia }, async ({ ctx, found, body }) => {
    const { id, contributorId: addedBy } = found.row
    await reportItem(ctx, found, { table: media, id, addedBy }, body)
    return THANKS
  })
  route(app, api.listReported, { access: queueReader }, ({ ctx, access, query }) =>
    listReported(ctx, access, query.cursor ?? null),
  )
  route(app, api.keepReported, forApprovers, async ({ ctx, access, body }) => {
    await keepReported(ctx, access, body.itemId)
    return null
  })
}

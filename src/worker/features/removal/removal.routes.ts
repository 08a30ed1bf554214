import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { endContributorSessions } from '#worker/access/contributor-sessions.ts'
import { signedIn } from '#worker/access/guards.ts'
import { forEditors, queueReader, forApprovers, memorialFor } from '#worker/access/memorial-access.ts'
import { blockContributor, unblockContributor } from '#worker/features/removal/block-person.ts'
import { declineHeld, listDecided, showHeld, undoHeld } from '#worker/features/removal/decide-held.ts'
import { listHeld } from '#worker/features/removal/held-items.ts'
import { route, type App } from '#worker/access/route.ts'
import { deleteAdded, removeAdded, restoreAdded } from '#worker/features/removal/bulk-removal.ts'
import {
  deletableComment,
  deletableMedia,
  listRemoved,
  removedItem,
  restorer,
  serveRemoved,
} from '#worker/features/removal/removed-items.ts'
import { deleteAccount } from '#worker/features/removal/delete-account.ts'
import { deleteComment, deleteMedia, restoreComment, restoreMedia } from '#worker/features/removal/restore.ts'

export function removalRoutes(app: App): void {
  route(app, api.deleteAccount, { user: signedIn }, async ({ ctx, user, body, headers }) => {
    const restorableUntil = await deleteAccount(ctx, user, body, headers)
    await endContributorSessions(ctx, headers)
    return { message: messages.account.deleted, restorableUntil }
  })
  route(app, api.deleteMedia, { found: deletableMedia }, async ({ ctx, found, query }) => {
    await deleteMedia(ctx, found, query.forever === '1')
    return null
  })
  route(app, api.deleteComment, { found: deletableComment }, async ({ ctx, found, query }) => {
    await deleteComment(ctx, found, query.forever === '1')
    return null
  })
  route(app, api.listRemoved, { access: restorer }, ({ ctx, access, query }) =>
    listRemoved(ctx, access, { cursor: query.cursor ?? null, removal: query.removal ?? null }),
  )
  route(app, api.listHeld, { access: queueReader }, ({ ctx, access, query }) =>
    listHeld(ctx, access, query.reason),
  )
  route(app, api.showHeld, forApprovers, async ({ ctx, access, body }) => {
    const { amount, decidedAt } = await showHeld(ctx, access, body)
    return { shown: amount, decidedAt }
  })
  route(app, api.declineHeld, forApprovers, async ({ ctx, access, body }) => {
    const { amount, decidedAt } = await declineHeld(ctx, access, body)
    return { declined: amount, decidedAt }
  })
  route(app, api.undoHeld, forApprovers, async ({ ctx, access, body }) => ({
    undone: await undoHeld(ctx, access, body),
  }))
  route(app, api.listDecided, { access: queueReader }, ({ ctx, access, query }) =>
    listDecided(ctx, access, query.cursor ?? null),
  )
  route(app, api.blockContributor, forEditors, async ({ ctx, access, params }) => {
    await blockContributor(ctx, access, params.contributorId)
    return null
  })
  route(app, api.unblockContributor, forEditors, async ({ ctx, access, params }) => {
    await unblockContributor(ctx, access, params.contributorId)
    return null
  })
  route(app, api.removeAdded, forEditors, async ({ ctx, access, body }) => ({
    removal: await removeAdded(ctx, access, body),
  }))
  route(app, api.restoreAdded, forEditors, ({ ctx, access, params }) =>
    restoreAdded(ctx, access, params.removalId),
  )
  route(app, api.deleteAdded, { access: memorialFor('deleteForGood') }, async ({ ctx, access, params }) => {
    await deleteAdded(ctx, access, params.removalId)
    return null
  })
  route(app, api.restoreMedia, { access: removedItem('media') }, ({ ctx, access }) =>
    restoreMedia(ctx, access),
  )
  route(app, api.restoreComment, { access: removedItem('comment') }, async ({ ctx, access }) => ({
    comment: await restoreComment(ctx, access),
  }))
  route(app, api.removedThumbnail, { access: removedItem('media') }, ({ ctx, access }) =>
    serveRemoved(ctx, access),
  )
}

import { existsIn } from '#worker/platform/db.ts'
import { api } from '#shared/api.ts'
import { handoverMessages } from '#shared/handover-messages.ts'
import { messages } from '#shared/messages.ts'
import { endContributorSessions } from '#worker/access/contributor-sessions.ts'
import { signedIn } from '#worker/access/guards.ts'
import { forEditors, queueReader, forApprovers, memorialFor } from '#worker/access/memorial-access.ts'
import { blockContributor, unblockContributor } from '#worker/features/removal/block-person.ts'
import { declineHeld, listDecided, showHeld, undoHeld } from '#worker/features/removal/decide-held.ts'
import { listHeld } from '#worker/features/removal/held-items.ts'
import { route, type App } from '#worker/access/route.ts'
import type { User } from '#shared/accounts.ts'
import { and, eq, gt, isNull, not, sql } from 'drizzle-orm'
import { AppError, fieldError } from '#shared/errors.ts'
import { DELETED_RESTORABLE_MS } from '#shared/limits.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { voidResetLinks } from '#worker/features/accounts/account-tokens.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { requirePassword } from '#worker/features/accounts/login.ts'
import { rememberDevice } from '#worker/access/known-devices.ts'
import { voidEmailChange } from '#worker/features/accounts/waiting-email-change.ts'
import { dropSessionCookie, endSession } from '#worker/access/sessions.ts'
import { insertMailWhere, enqueueMail } from '#worker/platform/mail.ts'
import { nextUpdatedAt } from '#worker/features/memorials/memorials.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'
import { queueCachePurge, schedulePurge } from '#worker/platform/edge-cache.ts'
import { deleteAdded, removeAdded, restoreAdded } from '#worker/features/removal/bulk-removal.ts'
import {
  deletableComment,
  deletableMedia,
  listRemoved,
  removedItem,
  restorer,
  serveRemoved,
} from '#worker/features/removal/removed-items.ts'
import { deleteComment, deleteMedia, restoreComment, restoreMedia } from '#worker/features/removal/restore.ts'

export function removalRoutes(app: App): void {
  route(app, api.deleteAccount, { user: signedIn }, async ({ ctx, user, body, headers }) => {
    const restorableUntil = await deleteAccount(ctx, user, body.password, headers)
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

/**
 * Hides an account and its memorials, ends every session, and sends a mail. Signing in within 30 days restores
 * everything; then it is purged. Returns that deadline (ISO instant). Throws `bad_input` for a wrong password,
 * `too_many_requests` (counted by session), `conflict` if the password changes at the same time, and
 * while somebody can take back a memorial of this account.
 */
export async function deleteAccount(
  ctx: RequestCtx,
  user: User,
  password: string,
  headers: Headers,
): Promise<string> {
  const refusal = fieldError('bad_input', 'password', messages.account.wrongPassword)
  const passwordHash = await requirePassword(ctx, user, password, refusal)
  const at = ctx.now()
  const hasTakenOver = existsIn(
    memorials,
    and(eq(memorials.ownerId, user.id), gt(memorials.takeBackUntil, at), isNotDeleted()),
  )
  const isTarget = and(
    eq(users.id, user.id),
    eq(users.passwordHash, passwordHash),
    isNull(users.deletedAt),
    /* prove: account-keeps-what-can-be-taken-back */ not(hasTakenOver),
  )
  const accountExists = existsIn(users, isTarget)
  const isOwned = and(eq(memorials.ownerId, user.id), isNotDeleted(), accountExists)
  const mail = insertMailWhere(
    ctx,
    { kind: 'account-deleted', recipient: user.email, subjectId: user.id },
    accountExists,
  )
  // Update the account last: the other statements depend on its not being deleted yet.
  const [purgeTags, , , , , , deleted] = await ctx.db.batch([
    queueCachePurge(ctx, isOwned, { urgent: true }),
    mail.statement,
    ctx.db
      .update(memorials)
      .set({ status: 'DELETED', deletedAt: at, updatedAt: nextUpdatedAt(ctx) })
      .where(isOwned),
    ...voidResetLinks(ctx, user.id, accountExists),
    voidEmailChange(ctx, user.id, accountExists),
    ctx.db
      .update(users)
      .set({ deletedAt: at, sessionEpoch: sql`${users.sessionEpoch} + 1`, updatedAt: at })
      .where(isTarget)
      .returning({ id: users.id, sessionEpoch: users.sessionEpoch }),
  ])
  if (!deleted[0]) {
    const [{ isLater } = { isLater: 0 }] = await ctx.db
      .select({ isLater: sql<number>`${hasTakenOver}` })
      .from(sql`(select 1)`)
    throw new AppError('conflict', isLater ? handoverMessages.accountLater : messages.account.wrongPassword)
  }
  await endSession(ctx)
  dropSessionCookie(headers, ctx.request)
  rememberDevice(ctx, ctx.request, headers, deleted[0])
  await enqueueMail(ctx, mail.id)
  await schedulePurge(ctx, purgeTags)
  return new Date(at + DELETED_RESTORABLE_MS).toISOString()
}

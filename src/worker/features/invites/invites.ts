import { eq, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { GUEST_NAME, type ContributorSession, type ContributorSessionInput } from '#shared/invites.ts'
import { CONTRIBUTOR_SESSION_EXPIRES_MS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { afterAnswer, type RequestCtx } from '#worker/platform/ctx.ts'
import { commentLikes } from '#worker/schema/comments.table.ts'
import {
  clearContributorTokens,
  findLiveContributor,
  storeContributorToken,
  newContributorToken,
  type LiveContributor,
} from '#worker/access/contributor-sessions.ts'
import type { LiveInvite } from '#worker/features/invites/invite-links.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { readContributorQuotas } from '#worker/features/quota/quota.ts'
import { insertWhere } from '#worker/platform/db.ts'
import { newId } from '#worker/platform/random.ts'

/**
 * Creates a contributor session for anyone with the invitation. A "Guest Visitor" may look but not add; giving a name later
 * replaces this browser's guest. Throws `not_found` if the link was revoked in the meantime.
 */
export async function createContributorSession(
  ctx: RequestCtx,
  invite: LiveInvite,
  input: ContributorSessionInput,
): Promise<ContributorSession> {
  const memorialId = invite.memorial.id
  const isGuest = input.displayName === GUEST_NAME
  const previous = await findLiveContributor(ctx, memorialId, null)
  const id = newId('contributor')
  const { token, tokenHash } = newContributorToken()
  const [created, , replaced] = await ctx.db.batch([
    insertWhere(
      ctx.db,
      contributors,
      {
        id,
        memorialId,
        inviteToken: invite.token,
        displayName: input.displayName,
        isGuest,
        email: input.email ? input.email : null,
        tokenHash,
        expiresAt: ctx.now() + CONTRIBUTOR_SESSION_EXPIRES_MS,
        createdAt: ctx.now(),
      },
      sql`exists (select 1 from ${inviteTokens} inner join ${memorials} on ${memorials.id} = ${inviteTokens.memorialId}
        where ${inviteTokens.token} = ${invite.token} and ${inviteTokens.status} = 'ASSIGNED'
          and ${memorials.privacy} <> 'PRIVATE')`,
    ).returning({ id: contributors.id }),
    ...replaceGuest(ctx, previous, id),
  ])
  if (created.length === 0) throw new AppError('not_found', messages.invite.invalid)
  await storeContributorToken(ctx, tokenHash, id)
  const guestTokens = replaced.map((guest) => guest.tokenHash)
  afterAnswer(ctx, 'drop_guest_token', () => clearContributorTokens(ctx, guestTokens))
  return {
    memorialId,
    contributorId: id,
    displayName: input.displayName,
    authToken: token,
    quotas: await readContributorQuotas(ctx, memorialId, id),
  }
}

/** A guest can have added only likes: move them to the named session, then delete the guest. */
function replaceGuest(ctx: RequestCtx, previous: LiveContributor | null, id: string) {
  const guestId = previous?.isGuest ? previous.id : ''
  const isReplaced = sql`exists (select 1 from ${contributors} where ${contributors.id} = ${id})`
  return [
    ctx.db
      .update(commentLikes)
      .set({ likedBy: id })
      .where(sql`${commentLikes.likedBy} = ${guestId} and ${isReplaced}`),
    ctx.db
      .delete(contributors)
      .where(sql`${eq(contributors.id, guestId)} and ${isReplaced}`)
      .returning({ tokenHash: contributors.tokenHash }),
  ] as const
}

/** Converts the caller's own session to the API shape, with current quotas. It never contains the token. */
export async function toContributorSession(
  ctx: RequestCtx,
  contributor: LiveContributor,
): Promise<Omit<ContributorSession, 'authToken'>> {
  return {
    memorialId: contributor.memorialId,
    contributorId: contributor.id,
    displayName: contributor.displayName,
    quotas: await readContributorQuotas(ctx, contributor.memorialId, contributor.id),
  }
}

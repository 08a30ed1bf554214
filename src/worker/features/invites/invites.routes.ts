import { api } from '#shared/api.ts'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import { setContributorCookie } from '#worker/access/contributor-sessions.ts'
import {
  requireInviteLink,
  requireLiveInvite,
  rotateInviteLink,
  type LiveInvite,
} from '#worker/features/invites/invite-links.ts'
import { createContributorSession, toContributorSession } from '#worker/features/invites/invites.ts'
import { memorialFor } from '#worker/access/memorial-access.ts'
import { limitByIp } from '#worker/access/guards.ts'
import { route, type App, type Guard } from '#worker/access/route.ts'

/** The invitation named by `:token`, while it holds. */
const liveInvite: Guard<LiveInvite> = async (ctx, { params }) => requireLiveInvite(ctx, params['token'] ?? '')

/** Mounts the calls of invitations and contributor sessions. */
export function inviteRoutes(app: App): void {
  route(app, api.inviteLink, { access: memorialFor('edit') }, async ({ ctx, access }) => ({
    inviteLink: await requireInviteLink(ctx, access),
  }))
  route(app, api.rotateInviteLink, { access: memorialFor('edit') }, async ({ ctx, access }) => ({
    inviteLink: await rotateInviteLink(ctx, access),
  }))
  route(
    app,
    api.invite,
    // Before the look-up: who tries too often does not learn of a right one either.
    { limit: limitByIp('LIMIT_INVITE'), invite: liveInvite },
    async ({ invite }) => ({ memorial: invite.memorial }),
  )
  route(
    app,
    api.createContributorSession,
    { limit: limitByIp('LIMIT_CONTRIBUTOR_SESSION'), invite: liveInvite },
    async ({ ctx, invite, body, headers }) => {
      const session = await createContributorSession(ctx, invite, body)
      setContributorCookie(headers, ctx.request, session.memorialId, session.authToken)
      return session
    },
  )
  route(
    app,
    api.contributorSession,
    { access: memorialFor('view') },
    async ({ ctx, access: { contributor } }) => {
      if (!contributor) throw new AppError('not_found', messages.contributor.noSession)
      return toContributorSession(ctx, contributor)
    },
  )
}

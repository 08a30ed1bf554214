import { api } from '#shared/api.ts'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import { setContributorCookie } from '#worker/access/contributor-sessions.ts'
import {
  requireInviteLink,
  requireLiveInvite,
  rotateInviteLink,
  type LiveInvite,
  createContributorSession,
  toContributorSession,
} from '#worker/features/invites/invites.ts'
import { listContributors } from '#worker/features/invites/list-contributors.ts'
import { forViewers, forEditors, privateReader } from '#worker/access/memorial-access.ts'
import { limitByIp } from '#worker/access/guards.ts'
import { route, type App, type Guard } from '#worker/access/route.ts'

const liveInvite: Guard<LiveInvite> = async (ctx, { params }) => requireLiveInvite(ctx, params['token'] ?? '')

export function inviteRoutes(app: App): void {
  route(app, api.inviteLink, forEditors, async ({ ctx, access }) => ({
    inviteLink: await requireInviteLink(ctx, access),
  }))
  route(app, api.listContributors, { access: privateReader }, ({ ctx, access, query }) =>
    listContributors(ctx, access, query.cursor ?? null),
  )
  route(app, api.rotateInviteLink, forEditors, async ({ ctx, access }) => ({
    inviteLink: await rotateInviteLink(ctx, access),
  }))
  route(
    app,
    api.invite,
    // The limit comes before the lookup, so a rate-limited caller cannot learn that a token is valid.
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
  route(app, api.contributorSession, forViewers, async ({ ctx, access: { contributor } }) => {
    if (!contributor) throw new AppError('not_found', messages.contributor.noSession)
    return toContributorSession(ctx, contributor)
  })
}

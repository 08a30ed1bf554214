import { api } from '#shared/api.ts'
import { AppError } from '#shared/errors.ts'
import { setContributorCookie } from '#worker/access/contributor-sessions.ts'
import {
  readOwnSession,
  requireInviteLink,
  invitePin,
  liveInvite,
  rotateInviteLink,
  createContributorSession,
} from '#worker/features/invites/invites.ts'
import { addInvitation, endInvitation, listInvitations } from '#worker/features/invites/invitations.ts'
import { requirePin } from '#worker/features/invites/pins.ts'
import { listContributors } from '#worker/features/invites/list-contributors.ts'
import { forViewers, forEditors, privateReader } from '#worker/access/memorial-access.ts'
import { limitByKey, networkOf } from '#worker/access/guards.ts'
import { hashToken } from '#worker/platform/random.ts'
import { route, type App } from '#worker/access/route.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

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
  route(app, api.listInvitations, forEditors, async ({ ctx, access }) => ({
    invitations: await listInvitations(ctx, access),
  }))
  route(app, api.addInvitation, forEditors, async ({ ctx, access, body }) => ({
    invitations: await addInvitation(ctx, access, body),
  }))
  route(app, api.endInvitation, forEditors, async ({ ctx, access, params }) => {
    await endInvitation(ctx, access, params.linkId)
    return null
  })
  route(app, api.invite, { invite: liveInvite }, async ({ invite }) => ({ memorial: invite.memorial }))
  route(app, api.createContributorSession, { invite: invitePin }, async ({ ctx, invite, body, headers }) => {
    await requirePin(ctx, invite, body.pin)
    await limitByKey(ctx, 'LIMIT_CONTRIBUTOR_SESSION', `${hashToken(invite.token)} ${networkOf(ctx.ip)}`)
    const session = await createContributorSession(ctx, invite, body)
    setContributorCookie(headers, ctx.request, session.memorialId, session.authToken)
    return session
  })
  route(app, api.contributorSession, forViewers, async ({ ctx, access: { contributor } }) => {
    if (!contributor) throw new AppError('not_found', serverMessages.contributor.noSession)
    return readOwnSession(ctx, contributor)
  })
}

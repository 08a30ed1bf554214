import { api } from '#shared/api.ts'
import { signedIn } from '#worker/access/guards.ts'
import { keepersReader, limitWrong, memorialFor } from '#worker/access/memorial-access.ts'
import { route, type App, type Guard } from '#worker/access/route.ts'
import {
  acceptKeeperInvite,
  inviteKeeper,
  openKeeperInvite,
  revokeKeeperInvite,
} from '#worker/features/keepers/keeper-invites.ts'
import { listFamilyActions } from '#worker/features/keepers/family-actions.ts'
import { endHandover, offerHandover } from '#worker/features/keepers/handover.ts'
import { acceptHandover, takeBackHandover } from '#worker/features/keepers/take-over.ts'
import { changeKeeper, listKeepers, removeKeeper } from '#worker/features/keepers/keepers.ts'
import type { OpenedKeeperInvite } from '#shared/keepers/keepers.ts'

const forOwner = { access: memorialFor('manageKeepers') }
const forTheirs = { access: keepersReader }

/** Limits unknown links only: a link has 256 bits that nobody guesses. */
const opened: Guard<OpenedKeeperInvite> = (ctx, { params }) =>
  limitWrong(ctx, openKeeperInvite(ctx, params['token'] ?? ''))

export function keeperRoutes(app: App): void {
  route(app, api.listKeepers, forTheirs, ({ ctx, access }) => listKeepers(ctx, access))
  route(app, api.listFamilyActions, forTheirs, ({ ctx, access, query }) =>
    listFamilyActions(ctx, access, query.cursor ?? null),
  )
  route(app, api.inviteKeeper, forOwner, ({ ctx, access, body }) => inviteKeeper(ctx, access, body))
  route(app, api.revokeKeeperInvite, forOwner, async ({ ctx, access, params }) => {
    await revokeKeeperInvite(ctx, access, params.inviteId)
    return null
  })
  route(app, api.changeKeeper, forOwner, async ({ ctx, access, params, body }) => {
    await changeKeeper(ctx, access, params.keeperId, body)
    return listKeepers(ctx, access)
  })
  route(app, api.removeKeeper, forTheirs, async ({ ctx, access, params }) => {
    await removeKeeper(ctx, access, params.keeperId)
    return null
  })
  route(app, api.offerHandover, { ...forOwner, user: signedIn }, async ({ ctx, user, access, body }) => {
    await offerHandover(ctx, user, access, body.keeperId)
    return null
  })
  route(app, api.endHandover, forTheirs, async ({ ctx, access }) => {
    await endHandover(ctx, access)
    return null
  })
  route(app, api.acceptHandover, { ...forTheirs, user: signedIn }, async ({ ctx, user, access }) => {
    await acceptHandover(ctx, user, access)
    return null
  })
  route(app, api.takeBackHandover, { ...forTheirs, user: signedIn }, async ({ ctx, user, access }) => {
    await takeBackHandover(ctx, user, access)
    return null
  })
  route(app, api.keeperInvite, { invite: opened }, async ({ invite }) => invite)
  route(app, api.acceptKeeperInvite, { user: signedIn, invite: opened }, async ({ ctx, user, params }) => ({
    memorialId: await acceptKeeperInvite(ctx, user, params.token),
  }))
}

import { api } from '#shared/api.ts'
import { claimMessages } from '#shared/keepers/claim-messages.ts'
import { signedIn } from '#worker/access/guards.ts'
import { memorialFor, successorsReader } from '#worker/access/memorial-access.ts'
import { route, type App } from '#worker/access/route.ts'
import { askForMemorial, claimMemorial, findClaimable } from '#worker/features/successors/claim.ts'
import {
  changeSuccession,
  nameSuccessor,
  readSuccession,
  removeSuccessor,
} from '#worker/features/successors/successors.ts'

const forOwner = { access: memorialFor('manageKeepers') }
const forUser = { user: signedIn }

export function successorRoutes(app: App): void {
  route(app, api.listSuccessors, { access: successorsReader }, ({ ctx, access }) =>
    readSuccession(ctx, access),
  )
  route(app, api.nameSuccessor, forOwner, async ({ ctx, access, body }) => {
    await nameSuccessor(ctx, access, body)
    return readSuccession(ctx, access)
  })
  route(app, api.changeSuccession, forOwner, async ({ ctx, access, body }) => {
    await changeSuccession(ctx, access, body.afterMonths)
    return readSuccession(ctx, access)
  })
  route(app, api.removeSuccessor, forOwner, async ({ ctx, access, params }) => {
    await removeSuccessor(ctx, access, params.successorId)
    return null
  })
  route(app, api.claimable, forUser, ({ ctx, user, params }) => findClaimable(ctx, user, params.id))
  route(app, api.askForMemorial, forUser, async ({ ctx, user, params }) => {
    await askForMemorial(ctx, user, params.id)
    return { message: claimMessages.asked(user.email) }
  })
  route(app, api.claimMemorial, forUser, async ({ ctx, user, params }) => {
    await claimMemorial(ctx, user, params.id)
    return { memorialId: params.id }
  })
}

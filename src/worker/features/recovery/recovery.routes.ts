import { api } from '#shared/api.ts'
import { recoveryMessages } from '#shared/invites/recovery-messages.ts'
import { forViewers } from '#worker/access/memorial-access.ts'
import { route, type App } from '#worker/access/route.ts'
import { liveInvite } from '#worker/features/invites/invites.ts'
import { askForCode, keepAddress, useCode } from '#worker/features/recovery/recovery.ts'

export function recoveryRoutes(app: App): void {
  route(app, api.keepAddress, forViewers, async ({ ctx, access, body }) => {
    await keepAddress(ctx, access, body.email)
    return null
  })
  route(app, api.askForCode, { invite: liveInvite }, async ({ ctx, invite, body, headers }) => {
    await askForCode(ctx, invite, body.email, headers)
    return { message: recoveryMessages.asked }
  })
  route(app, api.useCode, { invite: liveInvite }, ({ ctx, invite, body, headers }) =>
    useCode(ctx, invite, body, headers),
  )
}

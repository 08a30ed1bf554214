import { api } from '#shared/api.ts'
import { followMessages } from '#shared/memorials/follow-messages.ts'
import { keepersReader, memorialFor } from '#worker/access/memorial-access.ts'
import { route, type App } from '#worker/access/route.ts'
import { askToFollow, countFollowers } from '#worker/features/followers/followers.ts'

export function followersRoutes(app: App): void {
  route(app, api.follow, { access: memorialFor('follow') }, async ({ ctx, access, body, query }) => {
    const { contributor, isInvited } = access
    // Visitors who left words on the public page have a stand-in for an invitation, which opens nothing.
    const own = contributor && !contributor.isVisitor ? contributor.inviteToken : null
    await askToFollow(ctx, access, isInvited ? (own ?? query.invite ?? null) : null, body)
    return { message: followMessages.asked }
  })
  route(app, api.followers, { access: keepersReader }, async ({ ctx, access }) => ({
    count: await countFollowers(ctx, access.memorial.id),
  }))
}

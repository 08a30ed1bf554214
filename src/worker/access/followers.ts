import { and, eq, or, type SQL } from 'drizzle-orm'
import { isPaid } from '#worker/access/memorial-access.ts'
import { existsIn } from '#worker/platform/db.ts'
import { followers } from '#worker/schema/followers.table.ts'
import { inviteTokens } from '#worker/schema/invites.table.ts'
import { hasOwner, memorials } from '#worker/schema/memorials.table.ts'

/**
 * SQL condition: the follower of the enclosing statement may see the memorial of the enclosing statement: it is public, or is shown to invited people
 * and their invitation works. The same rule as `decideAccess`, for people who don't ask at the moment. Its mails name the person who died, so it must be paid for.
 */
export function maySeeStill(): SQL | undefined {
  return and(
    /* prove: no-mail-of-removed */ eq(memorials.status, 'ACTIVE'),
    hasOwner(),
    /* prove: no-mail-of-unpaid */ isPaid(),
    or(
      eq(memorials.privacy, 'LOCKED'),
      and(/* prove: no-mail-of-private */ eq(memorials.privacy, 'INVITE'), hasLiveInvite()),
    ),
  )
}

/** SQL condition: the invitation of the follower of the enclosing statement works. */
export function hasLiveInvite(): SQL {
  const isTheirs = eq(inviteTokens.token, followers.inviteToken)
  return existsIn(
    inviteTokens,
    and(isTheirs, /* prove: no-mail-without-invite */ eq(inviteTokens.status, 'ASSIGNED')),
  )
}

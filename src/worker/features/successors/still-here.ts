import { eq } from 'drizzle-orm'
import { isLinkToken, linkToken } from '#worker/access/pepper.ts'
import { stopAsking } from '#worker/features/successors/succession-state.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { successions } from '#worker/schema/successors.table.ts'

type Asked = { memorialId: string; ownerId: string; askingSince: number }

/** The token of the address in the mails that ask an owner whether they are there. It counts for this time only. */
export function stillHereToken(ctx: Ctx, { memorialId, ownerId, askingSince }: Asked): string {
  return `${memorialId}.${linkToken(ctx, 'still-here', memorialId, ownerId, askingSince)}`
}

/** Notes that the owner is there, if the token is right. Says nothing of it: whoever made one up learns nothing. Safe to repeat. */
export async function sayStillHere(ctx: Ctx, token: string): Promise<void> {
  const [memorialId = '', given = ''] = token.split('.')
  const [found] = await ctx.db
    .select({ ownerId: memorials.ownerId, askingSince: successions.askingSince })
    .from(successions)
    .innerJoin(memorials, eq(memorials.id, successions.memorialId))
    .where(eq(successions.memorialId, memorialId))
  if (!found || found.askingSince === null) return
  const { ownerId, askingSince } = found
  // prove: still-here-needs-token
  if (!isLinkToken(ctx, given, 'still-here', memorialId, ownerId, askingSince)) return
  await stopAsking(ctx, { memorialId, ownerId }, eq(successions.askingSince, askingSince))
}

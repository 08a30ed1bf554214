import { and, eq, isNotNull } from 'drizzle-orm'
import { AppError, fieldError } from '#shared/errors.ts'
import { invitationMessages } from '#shared/invites/invitation-messages.ts'
import { RATE_LIMITS } from '#shared/limits.ts'
import { findLiveContributor, isOpenLink } from '#worker/access/contributor-sessions.ts'
import { networkOf } from '#worker/access/guards.ts'
import { codeHashes } from '#worker/access/pepper.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { reserveAttempt } from '#worker/platform/rate-limiter.ts'
import { inviteTokens } from '#worker/schema/invites.table.ts'

type Asking = { token: string; memorial: { id: string }; pinHash: string | null }

/** What is stored of an invitation's PIN: nobody can try out its digits without the pepper. */
export function pinHashOf(ctx: Ctx, token: string, pin: string): string {
  return codeHashes(ctx, token, pin)[0]
}

/** The memorial of an invitation that lets people in by a PIN, or null. */
export async function findPinInvite(ctx: Ctx, token: string): Promise<string | null> {
  const isAsking = and(eq(inviteTokens.token, token), isOpenLink(ctx.now()), isNotNull(inviteTokens.pinHash))
  const [row] = await ctx.db
    .select({ memorialId: inviteTokens.memorialId })
    .from(inviteTokens)
    .where(isAsking)
  return row?.memorialId ?? null
}

/**
 * Lets whoever gives the PIN of an invitation go on, or has come in by it before. Throws `pin_needed` without one, `bad_input` for a wrong one,
 * `too_many_requests`: every try counts before it is looked at, so that parallel ones can't exceed the limits, and a right one is taken back.
 */
export async function requirePin(
  ctx: RequestCtx,
  { token, memorial, pinHash }: Asking,
  pin = '',
): Promise<void> {
  if (pinHash === null) return
  const inside = await findLiveContributor(ctx, memorial.id, null)
  const isInside = inside !== null && /* prove: pin-came-by-this-link */ inside.inviteToken === token
  if (isInside) return
  const { pinNeeded, pinWrong, pinTooOften } = invitationMessages
  // prove: pin-needed
  if (pin === '') throw new AppError('pin_needed', pinNeeded)
  const reserve = (name: 'wrongPins' | 'wrongPinsOfNetwork', key: string) =>
    reserveAttempt(ctx, { name, key, limits: [RATE_LIMITS[name]] }, () => pinTooOften)
  const undoOfNetwork = await reserve('wrongPinsOfNetwork', `${token} ${networkOf(ctx.ip)}`)
  const undo = await reserve('wrongPins', token)
  // prove: pin-is-right
  if (!codeHashes(ctx, token, pin).includes(pinHash)) throw fieldError('bad_input', 'pin', pinWrong)
  await Promise.all([undoOfNetwork(), undo()])
}

import { fillPath } from '#shared/fill-path.ts'
import { paths } from '#shared/pages/pages.ts'
import { findPinInvite } from '#worker/features/invites/pins.ts'
import { openMemorial } from '#worker/features/views/opened-memorial.ts'
import type { Address } from '#worker/features/views/who-opens.ts'
import { NEVER_CACHED, withSecurityHeaders } from '#worker/http/headers.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { AppError } from '#shared/errors.ts'

/**
 * Leads from an invitation with a PIN to where it is asked for, or to the memorial for whoever was let in before. Null for any other address. It says
 * nothing about the memorial, so programs that show previews of links get nothing.
 */
export async function pinPage(
  ctx: Ctx,
  request: Request,
  env: Env,
  { id, inviteToken }: Address,
): Promise<Response | null> {
  if (id !== null || inviteToken === null) return null
  const memorialId = await findPinInvite(ctx, inviteToken)
  if (memorialId === null) return null
  const opened = await openMemorial(ctx, request, { id: memorialId, inviteToken: null })
  const isInside = opened !== null && !(opened instanceof AppError) && opened.access.isInvited
  const Location = isInside
    ? fillPath(paths.memorial, { id: memorialId })
    : fillPath(paths.invitePin, { token: inviteToken })
  const headers = { ...NEVER_CACHED, Location }
  return withSecurityHeaders(new Response(null, { status: 303, headers }), request, env)
}

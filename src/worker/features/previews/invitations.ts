import { and, eq, isNull, ne, sql } from 'drizzle-orm'
import { paths } from '#shared/pages/pages.ts'
import { isOpenLink } from '#worker/access/contributor-sessions.ts'
import { invitationIn, type PageInvitation } from '#worker/http/page-request.ts'
import {
  cardHeaders,
  findOrMakeCard,
  findSubject,
  neutralCard,
  type Subject,
} from '#worker/features/previews/cards.ts'
import { invitationHead, pageHead } from '#worker/features/previews/page-head.ts'
import { createCtx, type Ctx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { withSecurityHeaders } from '#worker/http/headers.ts'
import { inviteTokens } from '#worker/schema/invites.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

const CARD = /^\/invite\/([^/]+)\/card\.jpg$/u
/** Nothing that an invitation opens may stay in a cache: the owner can end it. */
const NEVER = 'private, no-store'

/**
 * Serves `/invite/{token}/card.jpg`, or returns null for other paths. Without a live invitation whose owner shows the name
 * and face, it's the service's own card, the same for all.
 */
export async function serveInvitationCard(
  request: Request,
  env: Env,
  execution: ExecutionContext,
): Promise<Response | null> {
  const token = CARD.exec(new URL(request.url).pathname)?.[1]
  if (token === undefined) return null
  const ctx = contextOf(env, execution)
  const cache = { browser: NEVER, edge: NEVER }
  const card = await ifNamed(ctx, { token, memorialId: null }, (subject) => findOrMakeCard(ctx, subject))
  const answer = card ? new Response(card.body, { headers: cardHeaders(cache) }) : await neutralCard(cache)
  return withSecurityHeaders(answer, request, env)
}

/**
 * Puts the name and card into the head of an invitation's page if its owner shows them. Returns every other page as it came
 * from the cached entrypoint, which never sees a token.
 */
export async function nameInvitation(
  coming: Promise<Response>,
  request: Request,
  env: Env,
  execution: ExecutionContext,
): Promise<Response> {
  const invitation = invitationIn(new URL(request.url))
  if (!invitation) return coming
  const origin = env.PUBLIC_ORIGIN
  const [page, head] = await Promise.all([
    coming,
    ifNamed(contextOf(env, execution), invitation, async (subject) =>
      invitationHead(invitation.token, subject, origin),
    ),
  ])
  if (head === null) return page
  const neutral = pageHead({ view: null, url: new URL(paths.invite, origin), origin })
  const named = new Response(
    (await page.text()).replace(neutral, () => head),
    page,
  )
  named.headers.set('Cache-Control', NEVER)
  named.headers.set('Cloudflare-CDN-Cache-Control', NEVER)
  return named
}

function contextOf(env: Env, execution: ExecutionContext): Ctx {
  return createCtx({ env, waitUntil: (promise) => execution.waitUntil(promise) })
}

/** What `show` makes of the memorial; null if its name may not be shown, or on an error. */
async function ifNamed<T>(
  ctx: Ctx,
  { token, memorialId }: PageInvitation,
  show: (subject: Subject) => Promise<T | null>,
): Promise<T | null> {
  const invited = ctx.db
    .select({ id: inviteTokens.memorialId })
    .from(inviteTokens)
    .where(
      and(
        eq(inviteTokens.token, token),
        /* prove: preview-needs-live-invitation */ isOpenLink(ctx.now()),
        /* prove: preview-not-before-pin */ isNull(inviteTokens.pinHash),
      ),
    )
  try {
    const subject = await findSubject(
      ctx,
      and(
        // An equality, so that SQLite begins with the invitation and not with every active memorial.
        sql`${memorials.id} = ${invited}`,
        memorialId === null ? undefined : eq(memorials.id, memorialId),
        /* prove: preview-not-of-private */ ne(memorials.privacy, 'PRIVATE'),
        /* prove: preview-only-if-shown */ eq(memorials.showInvitePreview, true),
      ),
    )
    return subject && (await show(subject))
  } catch (error) {
    ctx.log.error('invitation_preview_failed', error)
    return null
  }
}

import { and, desc, eq, gt, isNotNull } from 'drizzle-orm'
import type { Comment, VisitorMessageInput, VisitorWords } from '#shared/comments.ts'
import { MINUTE_MS, VISITOR_SESSION_EXPIRES_MS, VISITOR_WORDS_LISTED } from '#shared/limits.ts'
import { decideAccess, throwIfRefused } from '#worker/access/access.ts'
import { storeContributorToken, type LiveContributor } from '#worker/access/contributor-sessions.ts'
import { networkOf } from '#worker/access/guards.ts'
import { isHeldFromVisitors } from '#worker/access/held.ts'
import {
  refusalAtWrite,
  takesVisitorMessages,
  visitorsLink,
  type MemorialAccess,
} from '#worker/access/memorial-access.ts'
import { requirePepper } from '#worker/features/accounts/pepper.ts'
import { selectComments, toComment } from '#worker/features/comments/comments.ts'
import { limitComments, storeComment } from '#worker/features/comments/post-comment.ts'
import { replaceGuest } from '#worker/features/invites/invites.ts'
import { findCreatedId } from '#worker/http/idempotency-key.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { insertWhere } from '#worker/platform/db.ts'
import { keyedHash } from '#worker/platform/keyed-hash.ts'
import { hashToken, newId, newToken } from '#worker/platform/random.ts'
import { requireRateLimitOnce } from '#worker/platform/rate-limiter.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'

/** `authToken`: of the session that the sender's browser gets now; null if it has one. */
export type LeftMessage = { comment: Comment; authToken: string | null }

/** Within this time, the same words from the same unknown browser are one message whose answer was lost. */
const SENT_AGAIN_MS = 10 * MINUTE_MS

/**
 * Stores a message that somebody leaves on the public page. Their browser gets a session, unless it has one, by which they see their words
 * and take them back. A repeated `key` of the same browser stores nothing. Throws `memorial_locked` where visitors can't leave words.
 */
export async function leaveMessage(
  ctx: RequestCtx,
  access: MemorialAccess,
  input: VisitorMessageInput,
  givenKey: string | null,
): Promise<LeftMessage> {
  const { memorial } = access
  const own = access.contributor?.isGuest ? null : access.contributor
  const browser = unknownBrowser(ctx, memorial.id)
  const previous = await findLeft(ctx, access, givenKey)
  if (previous && previous !== 'gone') return previous
  // Who has taken their words back may leave the same again.
  const key = previous === 'gone' ? null : givenKey
  throwIfRefused(access.refuse('leaveMessage'))
  await requireRateLimitOnce(ctx, 'visitorMessages', browser, key)
  const { contributor, authToken } = own
    ? { contributor: own, authToken: null }
    : await makeVisitor(ctx, access, input.name)
  await limitComments(ctx, contributor, key)

  const comment = await storeComment(
    ctx,
    accessAs(ctx, access, contributor),
    {
      body: input.body,
      authorContributorId: contributor.id,
      visitorName: input.name,
      visitorRelation: input.relation || null,
    },
    {
      actorId: own?.id ?? browser,
      key,
      isAccepted: takesVisitorMessages(access),
      isHeld: isHeldFromVisitors(memorial.id),
    },
  )
  if (comment) return { comment, authToken }
  const concurrent = await findLeft(ctx, access, key)
  if (concurrent && concurrent !== 'gone') return concurrent
  throw await refusalAtWrite(ctx, access, 'leaveMessage')
}

/** The messages that this browser has left here and not taken back, newest first, and the memorial. */
export async function listOwnWords(ctx: RequestCtx, access: MemorialAccess): Promise<VisitorWords> {
  const { contributor, memorial } = access
  const { slug, honoureeFullName, visitorMessages } = memorial
  const about = { slug, honoureeFullName, visitorMessages }
  if (!contributor) return { memorial: about, comments: [] }
  const rows = await selectComments(ctx, contributor.id)
    .where(
      and(
        eq(comments.authorContributorId, contributor.id),
        eq(comments.memorialId, memorial.id),
        isNotNull(comments.visitorName),
      ),
    )
    .orderBy(desc(comments.createdAt), desc(comments.id))
    .limit(VISITOR_WORDS_LISTED)
  return { memorial: about, comments: rows.map((row) => toComment(row, access)) }
}

/** Makes a contributor for a browser without one. A guest of an invitation stays a guest of it, now with a name. */
async function makeVisitor(
  ctx: RequestCtx,
  access: MemorialAccess,
  displayName: string,
): Promise<{ contributor: LiveContributor; authToken: string }> {
  const memorialId = access.memorial.id
  const guest = access.contributor
  const [id, authToken] = [newId('contributor'), newToken()]
  const inviteToken = guest?.inviteToken ?? visitorsLink(memorialId)
  const createdAt = ctx.now()
  const isOpen = takesVisitorMessages(access)
  await ctx.db.batch([
    insertWhere(
      ctx.db,
      inviteTokens,
      { token: visitorsLink(memorialId), status: 'VISITORS', memorialId, assignedAt: createdAt, createdAt },
      isOpen,
    ).onConflictDoNothing(),
    insertWhere(
      ctx.db,
      contributors,
      {
        id,
        memorialId,
        inviteToken,
        displayName,
        isGuest: false,
        tokenHash: hashToken(authToken),
        expiresAt: createdAt + VISITOR_SESSION_EXPIRES_MS,
        createdAt,
      },
      isOpen,
    ),
    ...replaceGuest(ctx, guest, id),
  ])
  await storeContributorToken(ctx, hashToken(authToken), id, VISITOR_SESSION_EXPIRES_MS)
  const contributor = { id, memorialId, inviteToken, displayName, isGuest: false, isVisitor: guest === null }
  return { contributor, authToken }
}

/**
 * What this browser has left with `key`. If it is unknown, because it never got the answer, it gets a new session: who sends the same words
 * under the same name, from the same network and with the same browser, within minutes, is who wrote them. `gone`: taken back since.
 */
async function findLeft(
  ctx: RequestCtx,
  access: MemorialAccess,
  key: string | null,
): Promise<LeftMessage | 'gone' | null> {
  const own = access.contributor?.isGuest ? null : access.contributor
  const actorId = own?.id ?? unknownBrowser(ctx, access.memorial.id)
  const id = await findCreatedId(ctx, actorId, key)
  if (id === null) return null
  const [row] = await selectComments(ctx, own?.id ?? null).where(
    and(
      eq(comments.id, id),
      eq(comments.memorialId, access.memorial.id),
      own ? undefined : gt(comments.createdAt, ctx.now() - SENT_AGAIN_MS),
    ),
  )
  if (!row) return 'gone'
  if (own) return { comment: toComment(row, access), authToken: null }
  const contributor = { ...NO_ONE, memorialId: access.memorial.id, id: row.comment.authorContributorId ?? '' }
  const authToken = await renewToken(ctx, contributor.id)
  return { comment: toComment(row, accessAs(ctx, access, contributor)), authToken }
}

async function renewToken(ctx: RequestCtx, contributorId: string): Promise<string> {
  const token = newToken()
  await ctx.db
    .update(contributors)
    .set({ tokenHash: hashToken(token) })
    .where(eq(contributors.id, contributorId))
  await storeContributorToken(ctx, hashToken(token), contributorId, VISITOR_SESSION_EXPIRES_MS)
  return token
}

const NO_ONE: LiveContributor = {
  id: '',
  memorialId: '',
  inviteToken: '',
  displayName: '',
  isGuest: false,
  isVisitor: true,
}

function accessAs(
  ctx: RequestCtx,
  { memorial }: MemorialAccess,
  contributor: LiveContributor,
): MemorialAccess {
  const decided = decideAccess({ user: ctx.user, contributor, hasInvite: false }, memorial)
  return { memorial, contributor, ...decided }
}

/** Stands for a browser that has no session yet: its network, and what it says of itself. Reveals neither. */
function unknownBrowser(ctx: RequestCtx, memorialId: string): string {
  const browser = ctx.request.headers.get('User-Agent') ?? ''
  return keyedHash(requirePepper(ctx), 'visitor', [memorialId, networkOf(ctx.ip), browser]).toString(
    'base64url',
  )
}

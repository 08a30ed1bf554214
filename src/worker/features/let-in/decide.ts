import { and, eq, exists, ne, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { ContributorSession } from '#shared/invites/invites.ts'
import { CONTRIBUTOR_SESSION_EXPIRES_MS } from '#shared/limits.ts'
import type { LetInDecision } from '#shared/invites/let-in.ts'
import { letInRefusals } from '#shared/invites/let-in-refusals.ts'
import { messages } from '#shared/messages.ts'
import { recordAction } from '#worker/access/audit.ts'
import { clearContributorTokens, storeContributorToken } from '#worker/access/contributor-sessions.ts'
import { hasLiveLink, isStillApprover, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { isWaiting } from '#worker/features/let-in/ask.ts'
import { LET_IN_LINK } from '#worker/features/invites/invitations.ts'
import { readOwnSession } from '#worker/features/invites/invites.ts'
import { afterAnswer, type RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { enqueueMail, insertMailWhere } from '#worker/platform/providers/mail.ts'
import { hashToken, newId, newToken } from '#worker/platform/random.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { letInRequests } from '#worker/schema/let-in.table.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'

/**
 * Decides about somebody who asks to be let in, once. Whoever is let in becomes a contributor of the memorial's stand-in for those, and gets a mail
 * with a link; nobody else is told. Throws `conflict` (decided already, or nobody can come in while PRIVATE), `too_many_requests`.
 */
export async function decideLetIn(
  ctx: RequestCtx,
  access: MemorialAccess,
  id: string,
  decision: LetInDecision,
): Promise<void> {
  const isTarget = and(eq(letInRequests.id, id), isWaiting(access.memorial.id), isStillApprover(access))!
  return decision === 'LET_IN' ? letIn(ctx, access, id, isTarget) : declineLetIn(ctx, access, isTarget)
}

type Target = NonNullable<ReturnType<typeof and>>

async function declineLetIn(ctx: RequestCtx, access: MemorialAccess, isTarget: Target): Promise<void> {
  const [, [done]] = await ctx.db.batch([
    recordAction(ctx, access, { action: 'not_let_in' }, existsIn(letInRequests, isTarget)),
    ctx.db
      .update(letInRequests)
      .set({ decision: 'NOT_NOW' })
      .where(isTarget)
      .returning({ id: letInRequests.id }),
  ])
  if (!done) throw new AppError('conflict', letInRefusals.gone)
}

async function letIn(ctx: RequestCtx, access: MemorialAccess, id: string, isTarget: Target): Promise<void> {
  const { memorial } = access
  if (memorial.privacy === 'PRIVATE') throw new AppError('conflict', letInRefusals.isPrivate)
  await requireRateLimit(ctx, 'letIns', memorial.id, letInRefusals.tooManyLetIn)
  const now = ctx.now()
  const isOpen = existsIn(
    memorials,
    and(eq(memorials.id, memorial.id), ne(memorials.privacy, 'PRIVATE'), isNotDeleted()),
  )
  const mayLetIn = sql`(${existsIn(letInRequests, isTarget)} and ${isOpen})`
  const { standIn, link } = standInOf(ctx, memorial.id)
  const contributorId = newId('contributor')
  const asked = (column: 'name' | 'email') =>
    sql`(select ${sql.identifier(column)} from ${letInRequests} where ${letInRequests.id} = ${id})`
  const isLetIn = existsIn(letInRequests, eq(letInRequests.contributorId, contributorId))
  const [recipient] = await ctx.db.select({ email: letInRequests.email }).from(letInRequests).where(isTarget)
  const mail = insertMailWhere(
    ctx,
    { kind: 'let-in', recipient: recipient?.email ?? '', subjectId: id },
    isLetIn,
  )
  const [, , , [done]] = await ctx.db.batch([
    recordAction(ctx, access, { action: 'let_in' }, mayLetIn),
    insertWhere(ctx.db, inviteTokens, standIn, sql`${mayLetIn} and not ${exists(link)}`),
    insertWhere(
      ctx.db,
      contributors,
      {
        id: contributorId,
        memorialId: memorial.id,
        inviteToken: '',
        displayName: '',
        isGuest: false,
        addressAskedAt: now,
        tokenHash: null,
        expiresAt: now,
        createdAt: now,
      },
      mayLetIn,
      { inviteToken: sql`(${link})`, displayName: asked('name'), email: asked('email') },
    ),
    ctx.db
      .update(letInRequests)
      .set({ decision: 'LET_IN', contributorId })
      .where(and(isTarget, existsIn(contributors, eq(contributors.id, contributorId))))
      .returning({ id: letInRequests.id }),
    mail.statement,
  ])
  if (!done) throw new AppError('conflict', letInRefusals.gone)
  await enqueueMail(ctx, mail.id)
}

/** The link of those who were let in: it lets nobody in by itself, and the family can end it as any other. `link`: its token, once it is there. */
function standInOf(ctx: RequestCtx, memorialId: string) {
  const now = ctx.now()
  const standIn = {
    token: `${LET_IN_LINK}${crypto.randomUUID()}`,
    status: 'ASSIGNED',
    memorialId,
    name: letInRefusals.peopleLetIn,
    endsAt: now,
    assignedAt: now,
    createdAt: now,
  } as const
  const link = ctx.db
    .select({ token: inviteTokens.token })
    .from(inviteTokens)
    .where(
      and(
        eq(inviteTokens.memorialId, memorialId),
        sql`+${inviteTokens.status} = 'ASSIGNED'`,
        sql`substr(${inviteTokens.token}, 1, ${LET_IN_LINK.length}) = ${LET_IN_LINK}`,
      ),
    )
    .limit(1)
  return { standIn, link }
}

/**
 * Lets the browser in that opens a mailed link, as the person who asked. Their session elsewhere ends: the link is for one person. Throws `not_found`
 * once the family has ended it, `memorial_private` while PRIVATE.
 */
export async function openLetIn(ctx: RequestCtx, linkToken: string): Promise<ContributorSession> {
  const [found] = await ctx.db
    .select({
      id: contributors.id,
      memorialId: contributors.memorialId,
      displayName: contributors.displayName,
      before: contributors.tokenHash,
      privacy: memorials.privacy,
    })
    .from(letInRequests)
    .innerJoin(contributors, eq(contributors.id, letInRequests.contributorId))
    .innerJoin(memorials, eq(memorials.id, letInRequests.memorialId))
    .where(and(eq(letInRequests.tokenHash, hashToken(linkToken)), isNotDeleted()))
  if (!found) throw new AppError('not_found', letInRefusals.over)
  if (found.privacy === 'PRIVATE') throw new AppError('memorial_private', messages.memorial.private)
  const authToken = newToken()
  const tokenHash = hashToken(authToken)
  const [opened] = await ctx.db
    .update(contributors)
    .set({ tokenHash, expiresAt: ctx.now() + CONTRIBUTOR_SESSION_EXPIRES_MS })
    .where(and(eq(contributors.id, found.id), /* prove: let-in-needs-live-link */ hasLiveLink(found.id)))
    .returning({ id: contributors.id })
  if (!opened) throw new AppError('not_found', letInRefusals.over)
  await storeContributorToken(ctx, tokenHash, found.id)
  afterAnswer(ctx, 'end_session_before', () => clearContributorTokens(ctx, [found.before]))
  return { ...(await readOwnSession(ctx, found)), authToken }
}

/** Whether the link of this request opens its memorial now: for its mail. Null if not, else the name of whom the memorial is for. */
export async function findLetIn(ctx: Pick<RequestCtx, 'db'>, id: string): Promise<{ name: string } | null> {
  const [row] = await ctx.db
    .select({ name: memorials.honoureeFullName })
    .from(letInRequests)
    .innerJoin(memorials, eq(memorials.id, letInRequests.memorialId))
    .where(
      and(
        eq(letInRequests.id, id),
        ne(memorials.privacy, 'PRIVATE'),
        isNotDeleted(),
        hasLiveLink(letInRequests.contributorId),
      ),
    )
  return row ?? null
}

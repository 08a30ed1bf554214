import { and, eq, sql, type SQL } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { InviteCard } from '#shared/invites.ts'
import { TOKENS_BATCH } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { insertAdminAudit } from '#worker/access/audit.ts'
import { inviteTokens } from '#worker/schema/invites.table.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'

/** A valid invitation: its token and a card of the memorial. */
export type LiveInvite = { token: string; memorial: InviteCard }

/** Returns an insert that adds `count` tokens to the pool if `condition` holds. It binds one parameter for any count. */
export function insertNewTokens(ctx: Ctx, count: number, condition: SQL = sql`true`) {
  const tokens = JSON.stringify(Array.from({ length: count }, () => crypto.randomUUID()))
  return ctx.db.insert(inviteTokens).select(sql`select value, 'AVAILABLE', null, null, null, ${ctx.now()}
    from json_each(${tokens}) where ${condition}`)
}

/**
 * Statements that assign a link to a memorial without one: refill an empty pool, take the oldest token, read the assigned
 * one. In one batch, so that parallel requests get the same link and never an empty pool.
 */
function assignStatements(ctx: Ctx, memorialId: string) {
  const isEmpty = sql`not exists (select 1 from ${inviteTokens} where ${inviteTokens.status} = 'AVAILABLE')`
  return [
    insertNewTokens(ctx, TOKENS_BATCH, isEmpty),
    ctx.db.update(inviteTokens).set({ status: 'ASSIGNED', memorialId, assignedAt: ctx.now() })
      .where(sql`${inviteTokens.token} = (
          select token from ${inviteTokens} where status = 'AVAILABLE' order by created_at, token limit 1)
        and not exists (select 1 from ${inviteTokens} where memorial_id = ${memorialId} and status = 'ASSIGNED')`),
    ctx.db
      .select({ token: inviteTokens.token })
      .from(inviteTokens)
      .where(and(eq(inviteTokens.memorialId, memorialId), eq(inviteTokens.status, 'ASSIGNED'))),
  ] as const
}

function toInviteLink(ctx: Ctx, rows: { token: string }[]): string {
  const [row] = rows
  if (!row) throw new Error('no invitation token was assigned')
  return `${ctx.env.PUBLIC_ORIGIN}/invite/${row.token}`
}

/** Returns the memorial's invitation link, assigned from the pool on first use. */
export async function requireInviteLink(ctx: Ctx, access: MemorialAccess): Promise<string> {
  const [, , , rows] = await ctx.db.batch([
    insertAdminAudit(ctx, access, { action: 'see_invite_link' }),
    ...assignStatements(ctx, access.memorial.id),
  ])
  return toInviteLink(ctx, rows)
}

/** Revokes the link and every contributor session that used it, assigns another link and returns it. */
export async function rotateInviteLink(ctx: Ctx, access: MemorialAccess): Promise<string> {
  const memorialId = access.memorial.id
  const [, , , , rows] = await ctx.db.batch([
    insertAdminAudit(ctx, access, { action: 'rotate_invite_link' }),
    ctx.db
      .update(inviteTokens)
      .set({ status: 'REVOKED', revokedAt: ctx.now() })
      .where(and(eq(inviteTokens.memorialId, memorialId), eq(inviteTokens.status, 'ASSIGNED'))),
    ...assignStatements(ctx, memorialId),
  ])
  return toInviteLink(ctx, rows)
}

/** Returns the invitation for a token. Throws `not_found` for an unknown or revoked one, `memorial_private` while PRIVATE. */
export async function requireLiveInvite(ctx: Ctx, token: string): Promise<LiveInvite> {
  const [row] = await ctx.db
    .select({
      id: memorials.id,
      slug: memorials.slug,
      honoureeFullName: memorials.honoureeFullName,
      title: memorials.title,
      privacy: memorials.privacy,
      dateOfBirth: memorials.dateOfBirth,
      dateOfDeath: memorials.dateOfDeath,
      coverMediaId: memorials.coverMediaId,
      profileMediaId: memorials.profileMediaId,
    })
    .from(inviteTokens)
    .innerJoin(memorials, eq(memorials.id, inviteTokens.memorialId))
    .where(and(eq(inviteTokens.token, token), eq(inviteTokens.status, 'ASSIGNED'), isNotDeleted()))
  if (!row) throw new AppError('not_found', messages.invite.invalid)
  if (row.privacy === 'PRIVATE') throw new AppError('memorial_private', messages.memorial.private)
  return { token, memorial: row }
}

import { and, asc, eq, sql } from 'drizzle-orm'
import { AppError, fieldError } from '#shared/errors.ts'
import { fillPath } from '#shared/fill-path.ts'
import { invitationMessages } from '#shared/invites/invitation-messages.ts'
import type { Invitation, InvitationInput } from '#shared/invites/invites.ts'
import { INVITATIONS_MAX } from '#shared/limits.ts'
import { paths } from '#shared/pages/pages.ts'
import { recordAction } from '#worker/access/audit.ts'
import { keepersLink } from '#worker/access/keepers.ts'
import { isStillEditor, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { revokeInviteLinks } from '#worker/features/invites/invites.ts'
import { linkIdOf } from '#worker/features/invites/list-contributors.ts'
import { pinHashOf } from '#worker/features/invites/pins.ts'
import { dropReservations } from '#worker/features/quota/quota.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { link } from '#worker/platform/links.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'

/** Begins the token of the stand-in for an invitation of those who asked and were let in. It opens nothing; the family ends it as any other. */
export const LET_IN_LINK = 'let-in-'

/** Whether the token of a contributor's invitation is a stand-in: they came by no link. */
export function isStandIn(memorialId: string, token: string): boolean {
  return token.startsWith(LET_IN_LINK) || token === keepersLink(memorialId)
}

/** Statement: the links of a memorial that the family hasn't ended, the first one first. */
function selectInvitations(ctx: Ctx, memorialId: string) {
  return ctx.db
    .select({
      token: inviteTokens.token,
      name: inviteTokens.name,
      assignedAt: inviteTokens.assignedAt,
      endsAt: inviteTokens.endsAt,
      hasPin: sql<boolean>`${inviteTokens.pinHash} is not null`.mapWith(Boolean).as('has_pin'),
      people: sql<number>`(select count(*) from ${contributors}
        where ${contributors.inviteToken} = ${inviteTokens.token} and not ${contributors.isGuest})`.as(
        'people',
      ),
    })
    .from(inviteTokens)
    .where(
      and(
        /* prove: invitations-of-memorial */ eq(inviteTokens.memorialId, memorialId),
        sql`+${inviteTokens.status} = 'ASSIGNED'`,
      ),
    )
    .orderBy(sql`${inviteTokens.name} is not null`, asc(inviteTokens.assignedAt), asc(inviteTokens.token))
}

type InvitationRow = Awaited<ReturnType<typeof selectInvitations>>[number]

function toInvitation(ctx: Ctx, memorialId: string, row: InvitationRow): Invitation {
  const { token, name, hasPin, people } = row
  const isNoLink = isStandIn(memorialId, token)
  const endsAt = isNoLink ? null : row.endsAt
  return {
    id: linkIdOf(token, memorialId),
    name,
    inviteLink: isNoLink ? null : link(ctx, fillPath(paths.invite, { token })),
    createdAt: new Date(row.assignedAt ?? 0).toISOString(),
    endsAt: endsAt === null ? null : new Date(endsAt).toISOString(),
    hasPin,
    people,
  }
}

/** The invitation links of a memorial that the family hasn't ended, with how many people gave a name by each. */
export async function listInvitations(ctx: Ctx, access: MemorialAccess): Promise<Invitation[]> {
  const { id } = access.memorial
  const [, rows] = await ctx.db.batch([
    recordAction(ctx, access, { action: 'see_invite_link' }),
    selectInvitations(ctx, id),
  ])
  return rows.map((row) => toInvitation(ctx, id, row))
}

/** Makes another invitation link and returns all of them. Throws `conflict` for too many, `bad_input` for a day that is over. */
export async function addInvitation(
  ctx: Ctx,
  access: MemorialAccess,
  { name, endsAt, pin }: InvitationInput,
): Promise<Invitation[]> {
  const { id: memorialId } = access.memorial
  const now = ctx.now()
  const ends = endsAt === null ? null : Date.parse(endsAt)
  if (ends !== null && ends <= now) throw fieldError('bad_input', 'endsAt', invitationMessages.endInvalid)
  const token = crypto.randomUUID()
  const row = {
    token,
    status: 'ASSIGNED',
    memorialId,
    name,
    endsAt: ends,
    pinHash: pin === '' ? null : pinHashOf(ctx, token, pin),
    assignedAt: now,
    createdAt: now,
  } as const
  const count = sql`(select count(*) from ${inviteTokens} where ${inviteTokens.memorialId} = ${memorialId}
    and +${inviteTokens.status} = 'ASSIGNED' and ${inviteTokens.name} is not null)`
  const mayAdd = and(sql`${count} < ${INVITATIONS_MAX}`, isStillEditor(access))!
  const [[made], , rows] = await ctx.db.batch([
    insertWhere(ctx.db, inviteTokens, row, mayAdd).returning({ token: inviteTokens.token }),
    recordAction(
      ctx,
      access,
      { action: 'add_invitation' },
      existsIn(inviteTokens, eq(inviteTokens.token, token)),
    ),
    selectInvitations(ctx, memorialId),
  ])
  if (!made) throw new AppError('conflict', invitationMessages.tooMany)
  return rows.map((each) => toInvitation(ctx, memorialId, each))
}

/** Ends one of the links that the family made beside the first, every session of those who came by it, and what they are sending. Throws `not_found`. */
export async function endInvitation(ctx: Ctx, access: MemorialAccess, linkId: string): Promise<void> {
  const { id: memorialId } = access.memorial
  const rows = await selectInvitations(ctx, memorialId)
  const token = rows.find((row) => row.name !== null && linkIdOf(row.token, memorialId) === linkId)?.token
  if (token === undefined) throw new AppError('not_found', invitationMessages.notFound)
  const isTarget = and(eq(inviteTokens.token, token), isStillEditor(access))!
  const isOpen = existsIn(inviteTokens, and(isTarget, eq(inviteTokens.status, 'ASSIGNED')))
  await ctx.db.batch([
    recordAction(ctx, access, { action: 'end_invitation' }, isOpen),
    ...revokeInviteLinks(ctx, [memorialId], isTarget),
  ])
  await dropReservations(ctx, memorialId)
}

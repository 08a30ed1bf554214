import { and, asc, eq, gt, ne, not, sql, type SQL } from 'drizzle-orm'
import { accountAnswers } from '#shared/accounts/account-answers.ts'
import type { User } from '#shared/accounts/accounts.ts'
import { AppError } from '#shared/errors.ts'
import { fillPath } from '#shared/fill-path.ts'
import { keeperMessages } from '#shared/keepers/keeper-messages.ts'
import type {
  KeeperInvite,
  KeeperInviteInput,
  KeeperInviteMade,
  OpenedKeeperInvite,
} from '#shared/keepers/keepers.ts'
import { KEEPER_INVITE_EXPIRES_MS, KEEPER_INVITES_MAX, KEEPERS_MAX } from '#shared/limits.ts'
import { paths } from '#shared/pages/pages.ts'
import { insertFamilyAction, recordFamilyAction } from '#worker/access/family-actions.ts'
import { isKeeper, keepersLink } from '#worker/access/keepers.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { linkToken } from '#worker/access/pepper.ts'
import { link } from '#worker/platform/links.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { enqueueMail, insertMailWhere } from '#worker/platform/providers/mail.ts'
import { mailboxKey } from '#worker/platform/mailbox-key.ts'
import { hashToken, newId } from '#worker/platform/random.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { keeperInvites, keepers } from '#worker/schema/keepers.table.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'

type InviteRow = typeof keeperInvites.$inferSelect

/** SQL: a person's name as the family knows it. */
export function fullName(): SQL<string> {
  return sql<string>`trim(${users.firstName} || ' ' || ${users.lastName})`
}

/** Statement: the invitations to look after this memorial that still work. */
export function liveInvites(ctx: Ctx, memorialId: string) {
  return ctx.db
    .select()
    .from(keeperInvites)
    .where(and(eq(keeperInvites.memorialId, memorialId), gt(keeperInvites.expiresAt, ctx.now())))
    .orderBy(asc(keeperInvites.createdAt), asc(keeperInvites.id))
}

export function toKeeperInvite(row: InviteRow): KeeperInvite {
  return {
    id: row.id,
    role: row.role,
    mayExport: row.mayExport,
    email: row.email,
    createdAt: new Date(row.createdAt).toISOString(),
    expiresAt: new Date(row.expiresAt).toISOString(),
  }
}

/** The token in the link of an invitation. It isn't stored, and a mail that is sent again has the same. */
export function keeperInviteToken(ctx: Ctx, { id }: Pick<InviteRow, 'id'>): string {
  return linkToken(ctx, 'keeper', id)
}

/**
 * Invites somebody to look after the memorial: by mail, or by a link that is returned once. It works once, for seven days, for this role. Throws
 * `too_many_keepers`, `payment_required` (a mail from an unpaid memorial), `too_many_requests`.
 */
export async function inviteKeeper(
  ctx: RequestCtx,
  access: MemorialAccess,
  { role, mayExport, email }: KeeperInviteInput,
): Promise<KeeperInviteMade> {
  const { memorial } = access
  if (email !== '' && !memorial.isPaid) throw new AppError('payment_required', keeperMessages.unpaid)
  await requireRateLimit(ctx, 'keeperInvites', memorial.id)
  // Taking an invitation back and making another must not fill a stranger's mailbox.
  // prove: keeper-mails-limited
  if (email !== '') await requireKeepingMail(ctx, email)
  const id = newId('keeperInvite')
  const token = keeperInviteToken(ctx, { id })
  const row: InviteRow = {
    id,
    memorialId: memorial.id,
    role,
    mayExport: role === 'KEEPER' && mayExport,
    email: email || null,
    tokenHash: hashToken(token),
    expiresAt: ctx.now() + KEEPER_INVITE_EXPIRES_MS,
    createdAt: ctx.now(),
  }
  const isMade = existsIn(keeperInvites, eq(keeperInvites.id, id))
  const mail =
    row.email && insertMailWhere(ctx, { kind: 'keeper-invite', recipient: row.email, subjectId: id }, isMade)
  const open = sql`(select count(*) from ${keeperInvites}
    where ${keeperInvites.memorialId} = ${memorial.id} and ${keeperInvites.expiresAt} > ${ctx.now()})`
  const [[made]] = await ctx.db.batch([
    insertWhere(ctx.db, keeperInvites, row, sql`${open} < ${KEEPER_INVITES_MAX}`).returning(),
    recordFamilyAction(ctx, access, 'invite_keeper', isMade),
    ...(mail ? [mail.statement] : []),
  ])
  if (!made) throw new AppError('too_many_keepers', keeperMessages.tooManyInvites)
  if (mail) await enqueueMail(ctx, mail.id)
  return {
    invite: toKeeperInvite(made),
    link: mail ? null : link(ctx, fillPath(paths.keeperInvite, { token })),
  }
}

/** Counts a mail to somebody whom an owner invites to look after a memorial, or names. Throws `too_many_requests`. */
export function requireKeepingMail(ctx: Ctx, email: string): Promise<void> {
  return requireRateLimit(ctx, 'keepingMailsToMailbox', mailboxKey(email), accountAnswers.manyMailsToday)
}

/** Takes back an invitation that nobody has accepted yet. Throws `not_found`. */
export async function revokeKeeperInvite(ctx: Ctx, access: MemorialAccess, id: string): Promise<void> {
  const isTarget = and(
    eq(keeperInvites.id, id),
    /* prove: revokes-own-invites */ eq(keeperInvites.memorialId, access.memorial.id),
  )
  const [, [revoked]] = await ctx.db.batch([
    recordFamilyAction(ctx, access, 'revoke_keeper_invite', existsIn(keeperInvites, isTarget)),
    ctx.db.delete(keeperInvites).where(isTarget).returning({ id: keeperInvites.id }),
  ])
  if (!revoked) throw new AppError('not_found', keeperMessages.inviteNotFound)
}

/** What the link of an invitation offers. Throws `not_found` for one that doesn't work any more. */
export async function openKeeperInvite(ctx: Ctx, token: string): Promise<OpenedKeeperInvite> {
  const { invite, honoureeFullName, invitedBy } = await requireInvite(ctx, token)
  const { role, mayExport, expiresAt } = invite
  return { role, mayExport, honoureeFullName, invitedBy, expiresAt: new Date(expiresAt).toISOString() }
}

async function requireInvite(ctx: Ctx, token: string) {
  const [found] = await selectLiveInvite(ctx, eq(keeperInvites.tokenHash, hashToken(token)))
  if (!found) throw new AppError('not_found', keeperMessages.inviteOver)
  return found
}

/** Statement: an invitation that still works, with whose memorial it is for. */
export function selectLiveInvite(ctx: Ctx, which: SQL) {
  return ctx.db
    .select({
      invite: keeperInvites,
      ownerId: memorials.ownerId,
      honoureeFullName: memorials.honoureeFullName,
      invitedBy: fullName(),
    })
    .from(keeperInvites)
    .innerJoin(memorials, eq(memorials.id, keeperInvites.memorialId))
    .innerJoin(users, eq(users.id, memorials.ownerId))
    .where(and(which, isLive(ctx), isNotDeleted()))
}

/** SQL condition: the invitation still works. */
function isLive(ctx: Ctx): SQL {
  // prove: keeper-invite-expires
  return gt(keeperInvites.expiresAt, ctx.now())
}

/**
 * Lets a signed-in person look after the memorial, once for each invitation. Returns its id. Throws `not_found`, `conflict` (they own it or look after
 * it already), `too_many_keepers`.
 */
export async function acceptKeeperInvite(ctx: Ctx, user: User, token: string): Promise<string> {
  const { invite, ownerId } = await requireInvite(ctx, token)
  const { memorialId, role, mayExport } = invite
  if (ownerId === user.id) throw new AppError('conflict', keeperMessages.isOwner)
  const contributorId = newId('contributor')
  const createdAt = ctx.now()
  const keepersOf = sql`${keepers.memorialId} = ${memorialId}`
  const isTheirs = existsIn(keepers, and(keepersOf, eq(keepers.userId, user.id)))
  const mayAccept = sql`${and(
    /* prove: keeper-invite-works-once */ existsIn(
      keeperInvites,
      and(eq(keeperInvites.id, invite.id), isLive(ctx)),
    ),
    existsIn(memorials, and(eq(memorials.id, memorialId), isNotDeleted(), ne(memorials.ownerId, user.id))),
    not(isTheirs),
    sql`(select count(*) from ${keepers} where ${keepersOf}) < ${KEEPERS_MAX}`,
  )}`
  const stored = {
    token: keepersLink(memorialId),
    status: 'KEEPERS',
    memorialId,
    assignedAt: createdAt,
    createdAt,
  } as const
  const contributor = {
    id: contributorId,
    memorialId,
    inviteToken: stored.token,
    displayName: `${user.firstName} ${user.lastName}`.trim(),
    isGuest: false,
    tokenHash: null,
    expiresAt: createdAt,
    createdAt,
  }
  const keeper = { contributorId, memorialId, userId: user.id, role, mayExport, seenAt: null, createdAt }
  const [, , [made], , , [known]] = await ctx.db.batch([
    insertWhere(ctx.db, inviteTokens, stored, mayAccept).onConflictDoNothing(),
    insertWhere(ctx.db, contributors, contributor, mayAccept),
    insertWhere(ctx.db, keepers, keeper, mayAccept).returning({ id: keepers.contributorId }),
    insertFamilyAction(
      ctx,
      { memorialId, userId: user.id, action: 'become_keeper' },
      isKeeper(contributorId),
    ),
    ctx.db.delete(keeperInvites).where(and(eq(keeperInvites.id, invite.id), isKeeper(contributorId))),
    ctx.db
      .select({
        isTheirs: sql<boolean>`${isTheirs}`.mapWith(Boolean),
        isLive:
          sql<boolean>`${existsIn(keeperInvites, and(eq(keeperInvites.id, invite.id), isLive(ctx)))}`.mapWith(
            Boolean,
          ),
      })
      .from(memorials)
      .where(eq(memorials.id, memorialId)),
  ])
  if (made) return memorialId
  if (known?.isTheirs) throw new AppError('conflict', keeperMessages.isKeeper)
  if (known?.isLive) throw new AppError('too_many_keepers', keeperMessages.tooMany)
  throw new AppError('not_found', keeperMessages.inviteOver)
}

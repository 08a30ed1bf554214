import { and, eq, gt, isNull, not, sql, type SQL } from 'drizzle-orm'
import type { DeleteAccountInput, User } from '#shared/accounts/accounts.ts'
import { AppError, fieldError } from '#shared/errors.ts'
import { handoverRefusals } from '#shared/keepers/handover-refusals.ts'
import { leavingMessages } from '#shared/keepers/leaving-messages.ts'
import { DELETED_RESTORABLE_MS } from '#shared/limits.ts'
import { insertFamilyAction } from '#worker/access/family-actions.ts'
import { rememberDevice } from '#worker/access/known-devices.ts'
import { isPaid } from '#worker/access/memorial-access.ts'
import { dropSessionCookie, endSession } from '#worker/access/sessions.ts'
import { voidResetLinks } from '#worker/features/accounts/account-tokens.ts'
import { requirePassword } from '#worker/features/accounts/login.ts'
import { voidEmailChange } from '#worker/features/accounts/waiting-email-change.ts'
import { changeOwner } from '#worker/features/keepers/change-owner.ts'
import { nextUpdatedAt } from '#worker/features/memorials/memorials.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { queueCachePurge, schedulePurge } from '#worker/platform/edge-cache.ts'
import { enqueueMails, insertMailWhere } from '#worker/platform/providers/mail.ts'
import { newId } from '#worker/platform/random.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { handovers, keepers } from '#worker/schema/keepers.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** Somebody who can get a memorial of the account. */
type Heir = { memorialId: string; keeperId: string; userId: string; email: string }

/**
 * Hides an account and its memorials, ends every session, and sends a mail. Signing in within 30 days restores everything; then it is purged. A
 * memorial that goes to a keeper is theirs at once, and stays it. Returns that deadline (ISO instant).
 *
 * Throws `bad_input` for a wrong password, `too_many_requests` (counted by session), and `conflict` unless `memorials` says what becomes of each
 * memorial with keepers, while somebody can take one back, or if any of it, or the password, changes at the same time.
 */
export async function deleteAccount(
  ctx: RequestCtx,
  user: User,
  { password, memorials: choices }: DeleteAccountInput,
  headers: Headers,
): Promise<string> {
  const refusal = fieldError('bad_input', 'password', serverMessages.account.wrongPassword)
  const passwordHash = await requirePassword(ctx, user, password, refusal)
  if (await canLoseMemorial(ctx, user)) throw new AppError('conflict', handoverRefusals.accountLater)
  const heirs = await requireHeirs(ctx, user, choices)
  const at = ctx.now()
  const isTarget = and(eq(users.id, user.id), eq(users.passwordHash, passwordHash), isNull(users.deletedAt))
  const mail = insertMailWhere(
    ctx,
    { kind: 'account-deleted', recipient: user.email, subjectId: user.id },
    and(existsIn(users, isTarget), isDecided(ctx, user, choices, heirs))!,
  )
  // The other statements ask for its row: they change what it depends on.
  const isGoing = existsIn(mails, eq(mails.id, mail.id))
  const isKept = isIn(
    memorials.id,
    heirs.map(({ memorialId }) => memorialId),
  )
  const isDeleted = and(eq(memorials.ownerId, user.id), isNotDeleted(), not(isKept), isGoing)
  const given = heirs.map((heir) => give(ctx, user, heir, isGoing))
  const [, purgeTags, , , , , deleted] = await ctx.db.batch([
    mail.statement,
    queueCachePurge(ctx, isDeleted, { urgent: true }),
    ctx.db
      .update(memorials)
      .set({ status: 'DELETED', deletedAt: at, updatedAt: nextUpdatedAt(ctx) })
      .where(isDeleted),
    ...voidResetLinks(ctx, user.id, isGoing),
    voidEmailChange(ctx, user.id, isGoing),
    ctx.db
      .update(users)
      .set({ deletedAt: at, sessionEpoch: sql`${users.sessionEpoch} + 1`, updatedAt: at })
      .where(and(eq(users.id, user.id), isGoing))
      .returning({ id: users.id, sessionEpoch: users.sessionEpoch }),
    ...given.flatMap(({ statements }) => statements),
  ])
  if (!deleted[0]) throw await whyNot(ctx, user, passwordHash)
  await endSession(ctx)
  dropSessionCookie(headers, ctx.request)
  rememberDevice(ctx, ctx.request, headers, deleted[0])
  await enqueueMails(ctx, [mail, ...given.map((one) => one.mail)])
  await schedulePurge(ctx, purgeTags)
  return new Date(at + DELETED_RESTORABLE_MS).toISOString()
}

/** SQL condition: the column has one of these values, however many they are. */
function isIn(column: SQL | typeof memorials.id, values: readonly string[]): SQL {
  return sql`${column} in (select value from json_each(${JSON.stringify(values)}))`
}

/** Statement: those to whom a memorial of this account can go, each with a memorial. */
function selectHeirs(ctx: RequestCtx, user: User, which?: SQL) {
  return ctx.db
    .select({
      memorialId: keepers.memorialId,
      keeperId: keepers.contributorId,
      userId: keepers.userId,
      email: users.email,
    })
    .from(memorials)
    .innerJoin(keepers, eq(keepers.memorialId, memorials.id))
    .innerJoin(users, eq(users.id, keepers.userId))
    .where(
      and(
        eq(memorials.ownerId, user.id),
        isNotDeleted(),
        isPaid(),
        eq(keepers.role, 'KEEPER'),
        isNull(users.deletedAt),
        isNull(users.suspendedAt),
        which,
      ),
    )
}

/** Those who get a memorial by these choices. Throws `conflict` if one is missing, or can't be carried out. */
async function requireHeirs(
  ctx: RequestCtx,
  user: User,
  choices: DeleteAccountInput['memorials'],
): Promise<Heir[]> {
  const possible = await selectHeirs(ctx, user)
  const chosen = new Map(choices.map(({ memorialId, keeperId }) => [memorialId, keeperId]))
  // prove: keepers-ask-for-a-choice
  if (possible.some(({ memorialId }) => !chosen.has(memorialId)))
    throw new AppError('conflict', leavingMessages.chooseFirst)
  const heirs = possible.filter(({ memorialId, keeperId }) => chosen.get(memorialId) === keeperId)
  const wanted = [...chosen.values()].filter((keeperId) => keeperId !== null)
  if (heirs.length < wanted.length) throw new AppError('conflict', leavingMessages.choiceGone)
  return heirs
}

/** SQL condition: each memorial with keepers is among the choices, who gets one still can, and nobody can take one back. */
function isDecided(
  ctx: RequestCtx,
  user: User,
  choices: DeleteAccountInput['memorials'],
  heirs: Heir[],
): SQL {
  const isChosen = isIn(
    memorials.id,
    choices.map(({ memorialId }) => memorialId),
  )
  const isHeir = isIn(
    sql`${keepers.contributorId}`,
    heirs.map(({ keeperId }) => keeperId),
  )
  return and(
    /* prove: choice-still-complete */ sql`not exists ${selectHeirs(ctx, user, not(isChosen))}`,
    /* prove: heirs-still-there */ sql`(select count(*) from ${selectHeirs(ctx, user, isHeir)}) = ${heirs.length}`,
    /* prove: account-keeps-what-can-be-taken-back */ not(hasTakenOver(ctx, user)),
  )!
}

/** SQL condition: somebody can take back a memorial of this account. */
function hasTakenOver(ctx: RequestCtx, user: User): SQL {
  const isOpen = gt(memorials.takeBackUntil, ctx.now())
  return existsIn(memorials, and(eq(memorials.ownerId, user.id), isOpen, isNotDeleted()))
}

/** Statements: gives a memorial to somebody, with a mail, if `isGoing`. */
function give(ctx: RequestCtx, user: User, { memorialId, userId, email }: Heir, isGoing: SQL) {
  const change = { memorialId, from: user.id, to: userId, mayExport: true, takeBackUntil: null }
  const { statements, isChanged } = changeOwner(ctx, change, isGoing)
  const at = ctx.now()
  const row = {
    id: newId('handover'),
    memorialId,
    fromUserId: user.id,
    toUserId: userId,
    mayExport: false,
    expiresAt: at,
    acceptedAt: at,
    createdAt: at,
  }
  const mail = insertMailWhere(
    ctx,
    { kind: 'handover-at-leaving', recipient: email, subjectId: row.id },
    isChanged,
  )
  return {
    mail,
    statements: [
      ...statements,
      insertWhere(ctx.db, handovers, row, isChanged),
      insertFamilyAction(ctx, { memorialId, userId: user.id, action: 'leave_to_keeper' }, isChanged),
      mail.statement,
    ],
  }
}

/** Whether somebody can take back a memorial of this account. */
async function canLoseMemorial(ctx: RequestCtx, user: User): Promise<boolean> {
  const [now] = await ctx.db.select({ can: sql<number>`${hasTakenOver(ctx, user)}` }).from(sql`(select 1)`)
  return now?.can === 1
}

/** Why the condition of the write has just prevented it. */
async function whyNot(ctx: RequestCtx, user: User, passwordHash: string): Promise<AppError> {
  if (await canLoseMemorial(ctx, user)) return new AppError('conflict', handoverRefusals.accountLater)
  const isSame = and(eq(users.id, user.id), eq(users.passwordHash, passwordHash), isNull(users.deletedAt))
  const [same] = await ctx.db.select({ id: users.id }).from(users).where(isSame)
  return new AppError('conflict', same ? leavingMessages.choiceGone : serverMessages.account.wrongPassword)
}

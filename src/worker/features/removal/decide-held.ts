import { and, desc, eq, lte, or, sql, type SQL } from 'drizzle-orm'
import type { Decided, DecidedPage, Decision, HeldInput, UndoHeldInput } from '#shared/removal/held.ts'
import { HELD_PAGE } from '#shared/limits.ts'
import { recordAction } from '#worker/access/audit.ts'
import { settleReports } from '#worker/access/reported.ts'
import { addedByOf, changedAtOf, isHeldPhoto, type ItemTable } from '#worker/access/held.ts'
import { isStillApprover, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { actorIdOf, selectComments, toComment } from '#worker/features/comments/comments.ts'
import { selectMedia, toMedia, toMediaRow } from '#worker/features/media/media.ts'
import { clearImages } from '#worker/features/memorials/clear-images.ts'
import { isDecided, isHeldAs } from '#worker/features/removal/held-items.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn, isAfterCursor, splitPage } from '#worker/platform/db.ts'
import { queueCachePurge, schedulePurge } from '#worker/platform/edge-cache.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** How many items a decision was about. */
type Outcome = Decided & { amount: number }

/** Shows held items to everyone who may see the memorial. Idempotent. */
export async function showHeld(ctx: RequestCtx, access: MemorialAccess, input: HeldInput): Promise<Outcome> {
  return decide(ctx, access, { input, action: 'show_held', change: { isHeld: false, heldAs: 'WAITING' } })
}

/** Keeps held items for approvers only, until they are deleted after 30 days. Idempotent. */
export async function declineHeld(
  ctx: RequestCtx,
  access: MemorialAccess,
  input: HeldInput,
): Promise<Outcome> {
  return decide(ctx, access, { input, action: 'decline_held', change: { heldAs: 'DECLINED' } })
}

type Deciding = {
  input: HeldInput
  action: 'show_held' | 'decline_held'
  change: { isHeld: false; heldAs: 'WAITING' } | { heldAs: 'DECLINED' }
}

async function decide(
  ctx: RequestCtx,
  access: MemorialAccess,
  { input, action, change }: Deciding,
): Promise<Outcome> {
  const { db } = ctx
  const decidedAt = ctx.now()
  const { id } = access.memorial
  const isChosen = (table: ItemTable) =>
    and(isMeant(table, id, input), /* prove: decision-needs-keeper */ isStillApprover(access))
  const isAny = sql`(${existsIn(media, isChosen(media))} or ${existsIn(comments, isChosen(comments))})`
  const decided = { ...change, decidedAt }
  const chosen = sql`select ${media.id} from ${media} where ${isChosen(media)}
    union all select ${comments.id} from ${comments} where ${isChosen(comments)}`
  const [purges, , , files, messages] = await db.batch([
    // Declining changes nothing that others see.
    queueCachePurge(ctx, and(eq(memorials.id, id), isAny, sql`${Number('isHeld' in change)} = 1`), {
      urgent: false,
    }),
    recordAction(ctx, access, { action }, isAny),
    settleReports(ctx, id, chosen),
    db.update(media).set(decided).where(isChosen(media)).returning({ id: media.id }),
    db.update(comments).set(decided).where(isChosen(comments)).returning({ id: comments.id }),
  ])
  // The family looks at the page for what they have just shown.
  await schedulePurge(ctx, purges)
  return { amount: files.length + messages.length, decidedAt: new Date(decidedAt).toISOString() }
}

/** SQL condition: held, undecided, and what the input names. Without any name: everything that waits. */
function isMeant(table: ItemTable, memorialId: string, { ids, contributorId, reason, asOf }: HeldInput) {
  const isChosen = and(
    ids && isOneOf(table, ids),
    contributorId === undefined ? undefined : eq(addedByOf(table), contributorId),
    // prove: decided-as-seen
    asOf === undefined ? undefined : isUnchangedSince(table, Date.parse(asOf)),
  )
  if (reason !== undefined)
    return and(isHeldAs(table, memorialId, 'MAY_HURT'), eq(table.heldReason, reason), isChosen)
  const isWaiting = and(isHeldAs(table, memorialId, 'WAITING'), isChosen)
  return ids ? or(isWaiting, and(isHeldAs(table, memorialId, 'MAY_HURT'), isChosen)) : isWaiting
}

/** SQL condition: what an approver read at this time is still all that there is. */
function isUnchangedSince(table: ItemTable, time: number): SQL | undefined {
  return and(lte(table.createdAt, time), lte(changedAtOf(table), time))
}

/** SQL condition: one of these. One parameter for any number of ids. */
function isOneOf(table: ItemTable, ids: string[]): SQL {
  return sql`${table.id} in (select value from json_each(${JSON.stringify(ids)}))`
}

/** SQL condition: no rule found anything in its words, or only in how it came. */
function isSettled(table: ItemTable): SQL {
  return sql`(coalesce(${table.heldReason}, 'REPORTS') in ('REPORTS', 'BURST'))`
}

/** Holds items again that were shown or declined in the last 30 days. Returns how many. Idempotent. */
export async function undoHeld(
  ctx: RequestCtx,
  access: MemorialAccess,
  input: UndoHeldInput,
): Promise<number> {
  const { db } = ctx
  const { id } = access.memorial
  const isChosen = (table: ItemTable) =>
    and(
      isDecided(ctx, table, id),
      /* prove: undo-needs-keeper */ isStillApprover(access),
      input.ids && isOneOf(table, input.ids),
      input.decidedAt === undefined ? undefined : eq(table.decidedAt, Date.parse(input.decidedAt)),
    )
  const isAny = sql`(${existsIn(media, isChosen(media))} or ${existsIn(comments, isChosen(comments))})`
  const again = (table: ItemTable) => ({
    isHeld: true,
    // The family has read it: no report and no proof of work decides any longer.
    heldAs: sql`case when ${isSettled(table)} then 'WAITING' else 'MAY_HURT' end`,
    heldReason: sql`case when not ${isSettled(table)} then ${table.heldReason} end`,
    decidedAt: null,
  })
  const [purges, , files, messages] = await db.batch([
    queueCachePurge(ctx, and(eq(memorials.id, id), isAny), { urgent: true }),
    recordAction(ctx, access, { action: 'undo_held' }, isAny),
    db.update(media).set(again(media)).where(isChosen(media)).returning({ id: media.id }),
    db.update(comments).set(again(comments)).where(isChosen(comments)).returning({ id: comments.id }),
    /* prove: undone-is-no-cover */ clearImages(ctx, id, isHeldPhoto),
  ])
  await schedulePurge(ctx, purges)
  return files.length + messages.length
}

/** Returns one page of what was shown or declined in the last 30 days, last decided first. For approvers. */
export async function listDecided(
  ctx: RequestCtx,
  access: MemorialAccess,
  cursor: string | null,
): Promise<DecidedPage> {
  const { id } = access.memorial
  const pageOf = (table: ItemTable) =>
    and(
      isDecided(ctx, table, id),
      isAfterCursor({ createdAt: table.decidedAt, id: table.id }, ['media', 'comment'], cursor),
    )
  const [files, messages] = await ctx.db.batch([
    selectMedia(ctx)
      .where(pageOf(media))
      .orderBy(desc(media.decidedAt), desc(media.id))
      .limit(HELD_PAGE + 1),
    selectComments(ctx, actorIdOf(ctx, access))
      .where(pageOf(comments))
      .orderBy(desc(comments.decidedAt), desc(comments.id))
      .limit(HELD_PAGE + 1),
  ])
  const positionOf = ({ id: itemId, decidedAt }: { id: string; decidedAt: number | null }) => ({
    id: itemId,
    createdAt: decidedAt ?? 0,
  })
  const decisionOf = ({ decidedAt, isHeld }: { decidedAt: number | null; isHeld: boolean }): Decision => ({
    decidedAt: new Date(decidedAt ?? 0).toISOString(),
    isDeclined: isHeld,
  })
  const all = [
    ...files.map(({ row }) => positionOf(row)),
    ...messages.map(({ comment }) => positionOf(comment)),
  ]
  const { page, nextCursor } = splitPage(
    all.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)),
    HELD_PAGE,
  )
  const ids = new Set(page.map((position) => position.id))
  return {
    media: files
      .filter(({ row }) => ids.has(row.id))
      .map((found) => Object.assign(toMedia(toMediaRow(found), access), decisionOf(found.row))),
    comments: messages
      .filter(({ comment }) => ids.has(comment.id))
      .map((found) => Object.assign(toComment(found, access), decisionOf(found.comment))),
    nextCursor,
  }
}

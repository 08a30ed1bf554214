import type { User } from '#shared/accounts/accounts.ts'
import { and, desc, eq, sql, type SQL } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { DASHBOARD_MAX, UNPAID_DELETED_MAX, UNPAID_DRAFTS_MAX, DAY_MS } from '#shared/limits.ts'
import { firstDay, isPossibleLife, type LifeDates } from '#shared/memorials/life-dates.ts'
import type {
  CreateMemorialInput,
  DashboardMemorial,
  Memorial,
  UpdateMemorialInput,
} from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { funeralEvents } from '#worker/schema/funeral.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { attachCredit, oldestCredit } from '#worker/features/payments/credits.ts'
import { removedOnColumn } from '#worker/features/memorials/drafts.ts'
import { newsColumns, toNews } from '#worker/features/memorials/news.ts'
import { readableLifeStory } from '#worker/features/memorials/life-story.ts'
import { isShown } from '#worker/access/held.ts'
import { memorialColumns, type MemorialRow } from '#worker/access/memorial-access.ts'
import { isNotDeleted, locations, memorials } from '#worker/schema/memorials.table.ts'
import { findFreeSlug } from '#worker/features/memorials/slug.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { findCreatedId, insertKey, isKeyUsed } from '#worker/http/idempotency-key.ts'
import { existsIn, insertWhere, isUniqueViolation } from '#worker/platform/db.ts'
import { newId } from '#worker/platform/random.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/**
 * SQL: the number of this user's unpaid drafts. Deleted ones have their own limit, so they are counted separately. The plus
 * keeps SQLite from reading everybody's drafts by the index of `status`, instead of one owner's few memorials.
 */
export function unpaidDrafts(userId: string, status: 'DRAFT' | 'DELETED' = 'DRAFT') {
  return sql<number>`(select count(*) from ${memorials} where ${memorials.ownerId} = ${userId}
    and +${memorials.status} = ${status}
    and not exists (select 1 from ${payments} where ${payments.memorialId} = ${memorials.id}))`
}

/** SQL: later than the last write, even within one millisecond: `updatedAt` distinguishes two editors. */
export function nextUpdatedAt(ctx: Ctx) {
  return sql`max(${ctx.now()}, ${memorials.updatedAt} + 1)`
}

/** SQL: the main photo after `portraitId` becomes the portrait. It is the same photo, unless the owner chose another. */
export function coverWith(portraitId: string | SQL | null) {
  return sql`case when ${memorials.coverMediaId} is null or ${memorials.coverMediaId} = ${memorials.profileMediaId}
    then ${portraitId} else ${memorials.coverMediaId} end`
}

/**
 * Creates a memorial and attaches the account's oldest unused payment in one transaction: ACTIVE with a payment, else
 * DRAFT. The same `key` of the same user returns the same memorial and uses one payment. Throws `too_many_drafts` for a
 * fourth unpaid draft, `bad_input` for dates out of order.
 */
export async function createMemorial(
  ctx: Ctx,
  user: User,
  input: CreateMemorialInput,
  key: string | null,
): Promise<Memorial> {
  const existing = await findCreated(ctx, user.id, key)
  if (existing) return toMemorial(existing)
  const dates = datesAfter(NO_DATES, input)
  requireDatesInOrder(ctx, dates)
  for (;;) {
    const slug = await findFreeSlug(ctx, input.honoureeFullName)
    const row = {
      id: newId('memorial'),
      ownerId: user.id,
      slug,
      honoureeFullName: input.honoureeFullName,
      title: input.title ?? null,
      ...dates,
      createdAt: ctx.now(),
      updatedAt: ctx.now(),
    }
    try {
      const created = (await insertMemorial(ctx, user.id, row, key)) ?? (await findCreated(ctx, user.id, key))
      if (!created) throw await draftLimitError(ctx, user.id)
      return toMemorial(created)
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
    }
  }
}

async function insertMemorial(
  ctx: Ctx,
  userId: string,
  row: typeof memorials.$inferInsert,
  key: string | null,
): Promise<MemorialRow | undefined> {
  const credit = oldestCredit(userId)
  const isCreated = sql`exists (select 1 from ${memorials} where ${memorials.id} = ${row.id})`
  const [, , , , rows] = await ctx.db.batch([
    insertWhere(
      ctx.db,
      memorials,
      row,
      sql`(exists ${credit} or (${unpaidDrafts(userId)} < ${UNPAID_DRAFTS_MAX}
        and ${unpaidDrafts(userId, 'DELETED')} < ${UNPAID_DELETED_MAX})) and not ${isKeyUsed(userId, key)}`,
    ),
    insertKey(ctx, userId, key, row, isCreated),
    ...attachCredit(ctx, { id: row.id, ownerId: userId }),
    ctx.db.select(memorialColumns()).from(memorials).where(eq(memorials.id, row.id)),
  ])
  return rows[0]
}

async function draftLimitError(ctx: Ctx, userId: string): Promise<AppError> {
  const rows = await ctx.db.all<{ deleted: number }>(
    sql`select ${unpaidDrafts(userId, 'DELETED')} as deleted`,
  )
  const isDeleted = (rows[0]?.deleted ?? 0) >= UNPAID_DELETED_MAX
  return new AppError(
    'too_many_drafts',
    isDeleted ? messages.memorial.tooManyDeleted : serverMessages.memorial.tooManyDrafts,
  )
}

/** Finds the memorial that this user created with `key`, unless it is deleted. */
async function findCreated(ctx: Ctx, userId: string, key: string | null): Promise<MemorialRow | undefined> {
  const id = await findCreatedId(ctx, userId, key)
  if (id === null) return undefined
  const [row] = await ctx.db
    .select(memorialColumns())
    .from(memorials)
    .where(and(eq(memorials.id, id), eq(memorials.ownerId, userId), isNotDeleted()))
  return row
}

/**
 * The user's memorials, newest first, each with the number of its media and comments, how far its setup is, and what is
 * new in it.
 */
export async function listOwnMemorials(ctx: Ctx, user: User): Promise<DashboardMemorial[]> {
  const rows = await ctx.db
    .select({
      memorial: memorialColumns(),
      mediaCount: ctx.db.$count(
        media,
        and(eq(media.memorialId, memorials.id), /* prove: held-files-not-counted */ isShown(media)),
      ),
      commentCount: ctx.db.$count(
        comments,
        and(eq(comments.memorialId, memorials.id), /* prove: held-words-not-counted */ isShown(comments)),
      ),
      serviceCount: ctx.db.$count(funeralEvents, eq(funeralEvents.memorialId, memorials.id)),
      hasLocation: sql<boolean>`${existsIn(locations, eq(locations.memorialId, memorials.id))}`.mapWith(
        Boolean,
      ),
      news: newsColumns(),
      removedOn: removedOnColumn(),
    })
    .from(memorials)
    .where(and(eq(memorials.ownerId, user.id), isNotDeleted()))
    .orderBy(desc(memorials.createdAt), desc(memorials.id))
    .limit(DASHBOARD_MAX)
  return rows.map(({ memorial, news, removedOn, ...counts }) =>
    Object.assign(toMemorial(memorial), counts, {
      news: toNews(news),
      removedOn: removedOn === null ? null : new Date(removedOn).toISOString(),
    }),
  )
}

/** For people who may edit it. */
export function toMemorial(row: MemorialRow): Memorial {
  return {
    id: row.id,
    ownerId: row.ownerId,
    slug: row.slug,
    title: row.title,
    honoureeFullName: row.honoureeFullName,
    dateOfBirth: row.dateOfBirth,
    dateOfBirthPrecision: row.dateOfBirthPrecision,
    dateOfDeath: row.dateOfDeath,
    dateOfDeathPrecision: row.dateOfDeathPrecision,
    coverMediaId: row.coverMediaId,
    profileMediaId: row.profileMediaId,
    lifeStory: readableLifeStory(row.lifeStory, row.lifeStoryVersion),
    status: row.status,
    privacy: row.privacy,
    lockedAt: row.lockedAt === null ? null : new Date(row.lockedAt).toISOString(),
    showLocation: row.showLocation,
    allowSearchEngines: row.allowSearchEngines,
    showInvitePreview: row.showInvitePreview,
    holdNew: row.holdNew,
    visitorMessages: row.visitorMessages,
    tellOwner: row.tellOwner,
    mayAsk: row.mayAsk,
    isPaid: row.isPaid,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  }
}

/** Each date with its precision. */
export const DATE_NAMES = [
  ['dateOfBirth', 'dateOfBirthPrecision'],
  ['dateOfDeath', 'dateOfDeathPrecision'],
] as const

const NO_DATES: LifeDates = {
  dateOfBirth: null,
  dateOfBirthPrecision: 'DAY',
  dateOfDeath: null,
  dateOfDeathPrecision: 'DAY',
}

/**
 * The dates after a change. A client that knows no precisions sends dates alone: an unchanged date then stays as exact
 * as it was, so that saving a form doesn't turn "about 1931" into 1 January.
 */
export function datesAfter(stored: LifeDates, input: Pick<UpdateMemorialInput, keyof LifeDates>): LifeDates {
  const dates = { ...NO_DATES }
  for (const [name, precisionName] of DATE_NAMES) {
    const date = input[name] === undefined ? stored[name] : input[name]
    const precision = input[precisionName] ?? (date === stored[name] ? stored[precisionName] : 'DAY')
    dates[name] = date && firstDay(date, precision)
    dates[precisionName] = date ? precision : 'DAY'
  }
  return dates
}

/**
 * Throws `bad_input` if the death was before the birth, or a date is later than tomorrow, which time zones ahead of UTC
 * reach first. A month or year is refused only if none of its days would do.
 */
export function requireDatesInOrder(ctx: Ctx, dates: LifeDates): void {
  const { dateOfBirth, dateOfDeath } = dates
  const tomorrow = new Date(ctx.now() + DAY_MS).toISOString().slice(0, 10)
  const fields: Record<string, string> = {}
  if (dateOfBirth !== null && dateOfBirth > tomorrow)
    fields['dateOfBirth'] = serverMessages.memorial.dateInFuture
  if (dateOfDeath !== null && dateOfDeath > tomorrow)
    fields['dateOfDeath'] = serverMessages.memorial.dateInFuture
  if (!isPossibleLife(dates)) fields['dateOfDeath'] ??= serverMessages.memorial.datesOrder
  const [message] = Object.values(fields)
  if (message !== undefined) throw new AppError('bad_input', message, { fields })
}

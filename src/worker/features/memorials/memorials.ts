import type { User } from '#shared/accounts.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { DASHBOARD_MAX, UNPAID_DELETED_MAX, UNPAID_DRAFTS_MAX, DAY_MS } from '#shared/limits.ts'
import type { CreateMemorialInput, DashboardMemorial, Memorial } from '#shared/memorials.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { newsColumn, toNews } from '#worker/features/memorials/news.ts'
import { readableLifeStory } from '#worker/features/memorials/life-story.ts'
import { memorialColumns, type MemorialRow } from '#worker/access/memorial-access.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'
import { findFreeSlug } from '#worker/features/memorials/slug.ts'
import { isUsableCredit, payments } from '#worker/schema/payments.table.ts'
import { findCreatedId, insertKey, isKeyUsed } from '#worker/http/idempotency-key.ts'
import { insertWhere, isUniqueViolation } from '#worker/platform/db.ts'
import { newId } from '#worker/platform/random.ts'

/** SQL: the oldest payment that can pay for a memorial, also one whose target was deleted before it was PAID. */
function oldestCredit(userId: string) {
  return sql`(select ${payments.id} from ${payments}
    where ${payments.userId} = ${userId} and ${isUsableCredit()}
    order by ${payments.paidAt}, ${payments.createdAt}, ${payments.id} limit 1)`
}

/** SQL: the number of this user's unpaid drafts. Deleted ones have their own limit, so they are counted separately. */
export function unpaidDrafts(userId: string, status: 'DRAFT' | 'DELETED' = 'DRAFT') {
  return sql<number>`(select count(*) from ${memorials} where ${memorials.ownerId} = ${userId}
    and ${memorials.status} = ${status}
    and not exists (select 1 from ${payments} where ${payments.memorialId} = ${memorials.id}))`
}

/** SQL: later than the last write, even within one millisecond: `updatedAt` distinguishes two editors. */
export function nextUpdatedAt(ctx: Ctx) {
  return sql`max(${ctx.now()}, ${memorials.updatedAt} + 1)`
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
  const dates = { dateOfBirth: input.dateOfBirth ?? null, dateOfDeath: input.dateOfDeath ?? null }
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
    ctx.db
      .update(payments)
      .set({ memorialId: row.id, updatedAt: ctx.now() })
      .where(sql`${payments.id} = ${credit} and ${isCreated}`),
    ctx.db
      .update(memorials)
      .set({ status: 'ACTIVE' })
      .where(
        sql`${memorials.id} = ${row.id} and exists (select 1 from ${payments} where ${payments.memorialId} = ${row.id})`,
      ),
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
    isDeleted ? messages.memorial.tooManyDeleted : messages.memorial.tooManyDrafts,
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

/** The user's memorials, newest first, each with the number of its media and comments, and what is new in it. */
export async function listOwnMemorials(ctx: Ctx, user: User): Promise<DashboardMemorial[]> {
  const rows = await ctx.db
    .select({
      memorial: memorialColumns(),
      mediaCount: ctx.db.$count(media, eq(media.memorialId, memorials.id)),
      commentCount: ctx.db.$count(comments, eq(comments.memorialId, memorials.id)),
      added: newsColumn(),
    })
    .from(memorials)
    .where(and(eq(memorials.ownerId, user.id), isNotDeleted()))
    .orderBy(desc(memorials.createdAt), desc(memorials.id))
    .limit(DASHBOARD_MAX)
  return rows.map(({ memorial, mediaCount, commentCount, added }) =>
    Object.assign(toMemorial(memorial), { mediaCount, commentCount, news: toNews(memorial.seenAt, added) }),
  )
}

export function toMemorial(row: MemorialRow): Memorial {
  return {
    id: row.id,
    ownerId: row.ownerId,
    slug: row.slug,
    title: row.title,
    honoureeFullName: row.honoureeFullName,
    dateOfBirth: row.dateOfBirth,
    dateOfDeath: row.dateOfDeath,
    coverMediaId: row.coverMediaId,
    profileMediaId: row.profileMediaId,
    lifeStory: readableLifeStory(row.lifeStory, row.lifeStoryVersion),
    status: row.status,
    privacy: row.privacy,
    lockedAt: row.lockedAt === null ? null : new Date(row.lockedAt).toISOString(),
    showLocation: row.showLocation,
    allowSearchEngines: row.allowSearchEngines,
    isPaid: row.isPaid,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  }
}

type LifeDates = { dateOfBirth: string | null; dateOfDeath: string | null }

/** Throws `bad_input` unless birth ≤ death ≤ tomorrow, which time zones ahead of UTC reach first. */
export function requireDatesInOrder(ctx: Ctx, { dateOfBirth, dateOfDeath }: LifeDates): void {
  const tomorrow = new Date(ctx.now() + DAY_MS).toISOString().slice(0, 10)
  const fields: Record<string, string> = {}
  if (dateOfBirth !== null && dateOfBirth > tomorrow) fields['dateOfBirth'] = messages.memorial.dateInFuture
  if (dateOfDeath !== null && dateOfDeath > tomorrow) fields['dateOfDeath'] = messages.memorial.dateInFuture
  if (dateOfBirth !== null && dateOfDeath !== null && dateOfBirth > dateOfDeath) {
    fields['dateOfDeath'] ??= messages.memorial.datesOrder
  }
  const [message] = Object.values(fields)
  if (message !== undefined) throw new AppError('bad_input', message, { fields })
}

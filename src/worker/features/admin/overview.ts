import { count, eq, gte, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { AdminOverview } from '#shared/admin/admin.ts'
import { DAY_MS, OVERVIEW_DAYS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { shouldBeRefunded } from '#worker/features/admin/payments.ts'
import { countRows, type Db } from '#worker/platform/db.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { deadJobs } from '#worker/schema/jobs.table.ts'
import { contactMessages, mails } from '#worker/schema/mail.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'

/**
 * What waits for an admin, and the counts of the last days. One round trip; each query reads one range of an index, so its
 * cost grows with the last {@link OVERVIEW_DAYS} days and not with all memorials.
 */
export async function readOverview(ctx: Ctx): Promise<AdminOverview> {
  const { db } = ctx
  const firstDay = Math.floor(ctx.now() / DAY_MS) - OVERVIEW_DAYS + 1
  const [created, paid, posted, added, [waiting], [refunds], [jobs], [unsent]] = await db.batch([
    countByDay(db, memorials.createdAt, firstDay),
    countByDay(db, payments.paidAt, firstDay),
    countByDay(db, comments.createdAt, firstDay),
    countByDay(db, media.createdAt, firstDay),
    countRows(db, contactMessages, eq(contactMessages.isAnswered, false)),
    countRows(db, payments, shouldBeRefunded()),
    countRows(db, deadJobs, undefined),
    countRows(db, mails, eq(mails.status, 'DEAD')),
  ])
  return {
    waiting: {
      messages: waiting?.amount ?? 0,
      refunds: refunds?.amount ?? 0,
      failedJobs: jobs?.amount ?? 0,
      failedMails: unsent?.amount ?? 0,
    },
    firstDay: new Date(firstDay * DAY_MS).toISOString().slice(0, 10),
    daily: {
      memorials: toDaily(firstDay, created),
      payments: toDaily(firstDay, paid),
      contributions: toDaily(firstDay, [...posted, ...added]),
    },
  }
}

type DayCount = { day: number; amount: number }

/** Statement: rows by UTC day (days since 1970) of this time column, from `firstDay` on. */
function countByDay(db: Db, at: SQLiteColumn, firstDay: number) {
  const day: SQL<number> = sql`${at} / ${sql.raw(String(DAY_MS))}`
  return db
    .select({ day: day.as('day'), amount: count() })
    .from(at.table)
    .where(gte(at, firstDay * DAY_MS))
    .groupBy(sql`day`)
}

function toDaily(firstDay: number, counts: readonly DayCount[]): number[] {
  const days = Array.from({ length: OVERVIEW_DAYS }, () => 0)
  for (const { day, amount } of counts) {
    // A clock that is ahead must not make the chart longer.
    const index = Math.min(day - firstDay, OVERVIEW_DAYS - 1)
    days[index] = (days[index] ?? 0) + amount
  }
  return days
}

import { count, desc, eq, inArray, or, sql, type SQL, and } from 'drizzle-orm'
import type { AdminMemorial, AdminMemorialPage, AdminStats } from '#shared/admin/admin.ts'
import { AppError } from '#shared/errors.ts'
import { ADMIN_PAGE, SEARCH_MATCHES_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { PaymentStatus } from '#shared/payments/payments.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { accountsContaining, contains, pageOfMatches, type PageQuery } from '#worker/features/admin/search.ts'
import { toAdminOwner } from '#worker/features/admin/suspend-account.ts'
import { memorialColumns, isPaid } from '#worker/access/memorial-access.ts'
import { toMemorial, nextUpdatedAt } from '#worker/features/memorials/memorials.ts'
import { memorials, isNotDeleted, hasOwner } from '#worker/schema/memorials.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { countRows, type Db, existsIn } from '#worker/platform/db.ts'
import { insertAudit } from '#worker/access/audit.ts'
import { enqueueMail, insertMailWhere } from '#worker/platform/providers/mail.ts'
import { attachUnusedPayment } from '#worker/features/payments/credits.ts'
import { queueCachePurge, schedulePurge } from '#worker/platform/edge-cache.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

const NEWEST_FIRST = [desc(memorials.createdAt), desc(memorials.id)] as const

/** `search` matches name, slug and owner. Life stories are null, because 20 of them could be megabytes. */
export async function listAllMemorials(ctx: Ctx, { page, search }: PageQuery): Promise<AdminMemorialPage> {
  const { rows, ...counts } =
    search === '' ? await newestPage(ctx, page) : await searchPage(ctx, page, search)
  return { memorials: rows.map(toAdminMemorial), page, pageSize: ADMIN_PAGE, ...counts }
}

async function newestPage(ctx: Ctx, page: number) {
  const [rows, [counted]] = await ctx.db.batch([
    selectMemorials(ctx, undefined)
      .orderBy(...NEWEST_FIRST)
      .limit(ADMIN_PAGE)
      .offset((page - 1) * ADMIN_PAGE),
    ctx.db.select({ total: count() }).from(memorials),
  ])
  return { rows, total: counted?.total ?? 0, hasMore: false }
}

async function searchPage(ctx: Ctx, page: number, search: string) {
  const { ids, ...counts } = pageOfMatches(await findMemorials(ctx.db, search), page)
  const rows =
    ids.length === 0 ? [] : await selectMemorials(ctx, inArray(memorials.id, ids)).orderBy(...NEWEST_FIRST)
  return { rows, ...counts }
}

/** Reads only the covering indexes `memorials_created` and `users_search`, so it never loads a life story. */
function findMemorials(db: Db, search: string) {
  const ownerName = sql`${users.firstName} || ' ' || ${users.lastName}`
  return db
    .select({ id: memorials.id })
    .from(memorials)
    .where(
      or(
        contains(search, [memorials.honoureeFullName, memorials.slug]),
        inArray(memorials.ownerId, accountsContaining(db, search, [users.email, ownerName])),
      ),
    )
    .orderBy(...NEWEST_FIRST)
    .limit(SEARCH_MATCHES_MAX + 1)
}

/** Returns the memorial with this id in any status, as the list shows it. Throws `not_found`. */
export async function requireAdminMemorial(ctx: Ctx, id: string): Promise<AdminMemorial> {
  const [row] = await selectMemorials(ctx, eq(memorials.id, id))
  if (!row) throw new AppError('not_found', messages.memorial.notFound)
  return toAdminMemorial(row)
}

function selectMemorials(ctx: Ctx, where: SQL | undefined) {
  return ctx.db
    .select({
      ...memorialColumns(),
      // Needs unique aliases: D1 returns batch rows as objects, where columns of the same name overwrite each other.
      lifeStory: sql<null>`null`.as('no_story'),
      ownerEmail: users.email,
      ownerSuspendedAt: users.suspendedAt,
      paymentStatus: sql<PaymentStatus | null>`${payments.status}`.as('payment_status'),
    })
    .from(memorials)
    .innerJoin(users, eq(users.id, memorials.ownerId))
    .leftJoin(payments, eq(payments.memorialId, memorials.id))
    .where(where)
}

function toAdminMemorial(row: Awaited<ReturnType<typeof selectMemorials>>[number]): AdminMemorial {
  return {
    ...toMemorial(row),
    owner: toAdminOwner({ id: row.ownerId, email: row.ownerEmail, suspendedAt: row.ownerSuspendedAt }),
    payment: row.paymentStatus === null ? null : { status: row.paymentStatus },
  }
}

/**
 * Counts memorials, without deleted and removed ones: all; those that are ACTIVE, so once paid for; and of these the ones whose
 * payment is PAID, neither refunded nor disputed since.
 */
export async function countMemorials(ctx: Ctx): Promise<AdminStats> {
  const isUnpaidSince = and(
    inArray(payments.status, ['REFUNDED', 'DISPUTED']),
    existsIn(memorials, and(eq(memorials.id, payments.memorialId), eq(memorials.status, 'ACTIVE'))),
  )
  const [rows, [unpaid]] = await ctx.db.batch([
    ctx.db
      .select({ status: memorials.status, amount: count() })
      .from(memorials)
      .where(isNotDeleted())
      .groupBy(memorials.status),
    countRows(ctx.db, payments, isUnpaidSince),
  ])
  const active = rows.find(({ status }) => status === 'ACTIVE')?.amount ?? 0
  const total = rows.reduce((sum, { amount }) => sum + amount, 0)
  return {
    totalMemorials: total,
    activeMemorials: active,
    paidMemorials: active - (unpaid?.amount ?? 0),
  }
}

/**
 * Hides it from everybody but admins and deletes nothing. Its owner gets a mail with `reason`; empty for none. Throws `conflict`
 * if the owner has deleted it.
 */
export async function removeMemorial(ctx: RequestCtx, id: string, reason: string): Promise<AdminMemorial> {
  const isApplicable = and(eq(memorials.id, id), isNotDeleted())
  const condition = existsIn(memorials, isApplicable)
  const before = await requireAdminMemorial(ctx, id)
  const audit = {
    action: 'remove_memorial',
    targetKind: 'memorial',
    targetId: id,
    memorialId: id,
    detail: { before: before.status, after: 'REMOVED' },
  } as const
  const mail = mailToOwner(ctx, 'memorial-removed', before, condition)
  const [purgeTags, sent] = await ctx.db.batch([
    queueCachePurge(ctx, isApplicable, { urgent: true }),
    mail.statement.returning({ id: mails.id }),
    insertAudit(ctx, audit, condition),
    ctx.db
      .update(memorials)
      .set({
        status: 'REMOVED',
        removalNote: reason === '' ? null : reason,
        updatedAt: nextUpdatedAt(ctx),
      })
      .where(isApplicable),
  ])
  await schedulePurge(ctx, purgeTags)
  if (sent.length > 0) await enqueueMail(ctx, mail.id)
  const memorial = await requireAdminMemorial(ctx, id)
  if (memorial.status !== 'REMOVED') throw new AppError('conflict', serverMessages.admin.deletedByOwner)
  return memorial
}

/**
 * ACTIVE if it is paid for, even since, else DRAFT. Its owner gets a mail. Throws `conflict` if its owner has deleted it or the
 * account.
 */
export async function restoreRemovedMemorial(ctx: RequestCtx, id: string): Promise<AdminMemorial> {
  const before = await requireAdminMemorial(ctx, id)
  const isApplicable = and(
    eq(memorials.id, id),
    eq(memorials.status, 'REMOVED'),
    /* prove: restore-needs-owner */ hasOwner(),
  )
  const condition = existsIn(memorials, isApplicable)
  const audit = { action: 'restore_memorial', targetKind: 'memorial', targetId: id, memorialId: id } as const
  const mail = mailToOwner(ctx, 'memorial-restored', before, condition)
  const [, sent] = await ctx.db.batch([
    queueCachePurge(ctx, isApplicable, { urgent: false }),
    mail.statement.returning({ id: mails.id }),
    insertAudit(ctx, audit, condition),
    attachUnusedPayment(ctx, { id, ownerId: before.ownerId }, condition),
    ctx.db
      .update(memorials)
      .set({
        status: sql`case when ${isPaid()} then 'ACTIVE' else 'DRAFT' end`,
        removalNote: null,
        updatedAt: nextUpdatedAt(ctx),
      })
      .where(isApplicable),
  ])
  if (sent.length > 0) await enqueueMail(ctx, mail.id)
  const memorial = await requireAdminMemorial(ctx, id)
  if (memorial.status === 'DELETED') throw new AppError('conflict', serverMessages.admin.deletedByOwner)
  if (memorial.status === 'REMOVED') throw new AppError('conflict', messages.admin.ownerDeleted)
  return memorial
}

function mailToOwner(
  ctx: Ctx,
  kind: 'memorial-removed' | 'memorial-restored',
  { id, owner }: AdminMemorial,
  condition: SQL,
) {
  return insertMailWhere(ctx, { kind, recipient: owner.email, subjectId: id }, condition)
}

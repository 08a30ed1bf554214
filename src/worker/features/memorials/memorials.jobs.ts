import { and, eq, sql } from 'drizzle-orm'
import { DRAFT_NOTICES_MS, DRAFTS_BATCH } from '#shared/limits.ts'
import { dueDrafts } from '#worker/features/memorials/drafts.ts'
import { nextUpdatedAt } from '#worker/features/memorials/memorials.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { insertMailWhere } from '#worker/platform/providers/mail.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

type DueDraft = { id: string; email: string; notices: number }

/**
 * Unpaid drafts that their owner hasn't used for 90 days: mails 30 and 7 days before, then removes them, restorable like every
 * deleted memorial. A bounded number per run, longest unused first; safe to repeat, run concurrently or kill.
 */
export async function removeUnusedDrafts(ctx: Ctx): Promise<void> {
  const due = await ctx.db.all<DueDraft>(
    sql`${dueDrafts(ctx.now(), sql`1`)} order by since, id limit ${DRAFTS_BATCH}`,
  )
  for (const draft of due) {
    try {
      await takeNextStep(ctx, draft)
    } catch (error) {
      ctx.log.error('draft_not_removed', error, { memorialId: draft.id })
    }
  }
}

/** The writes check again that the draft is due: its owner may be using or paying for it just now. */
async function takeNextStep(ctx: Ctx, { id, email, notices }: DueDraft): Promise<void> {
  const isRemoval = notices >= DRAFT_NOTICES_MS.length
  const isTarget = eq(memorials.id, id)
  const isDue = sql`exists (select 1 from (${dueDrafts(ctx.now(), isTarget)}) where notices = ${notices})`
  const kind = isRemoval ? 'draft-removed' : 'draft-ending'
  const mail = insertMailWhere(ctx, { kind, recipient: email, subjectId: id }, isDue)
  await ctx.db.batch([
    // First: a deleted memorial is no draft.
    mail.statement,
    ctx.db
      .update(memorials)
      .set({ status: 'DELETED', deletedAt: ctx.now(), updatedAt: nextUpdatedAt(ctx) })
      .where(and(isTarget, sql`${Number(isRemoval)}`, isDue)),
  ])
}

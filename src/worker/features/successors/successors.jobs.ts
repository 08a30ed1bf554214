import { and, asc, eq, isNotNull, isNull, lte, sql, type SQL } from 'drizzle-orm'
import { SUCCESSION_STEPS_MS, SUCCESSIONS_BATCH } from '#shared/limits.ts'
import { insertFamilyAction } from '#worker/access/family-actions.ts'
import {
  asksAt,
  isBack,
  isInForce,
  isNotBack,
  stopAsking,
} from '#worker/features/successors/succession-state.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { enqueueMails, insertMailWhere } from '#worker/platform/providers/mail.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { successions, successors } from '#worker/schema/successors.table.ts'

type Due = { memorialId: string; email: string; mailsSent: number }

/**
 * Asks owners who haven't been here for the time that they chose whether they are there: three mails in 30 days. Then their successors may claim the
 * memorial, and are told. A bounded number per run, longest due first; safe to repeat, run concurrently or kill: the batch that writes a mail takes the step.
 */
export async function followSuccessions(ctx: Ctx): Promise<void> {
  const due = await ctx.db
    .select({
      memorialId: successions.memorialId,
      email: users.email,
      mailsSent: successions.mailsSent,
    })
    .from(successions)
    .innerJoin(memorials, eq(memorials.id, successions.memorialId))
    .innerJoin(users, eq(users.id, memorials.ownerId))
    .where(isDue(ctx))
    .orderBy(asc(successions.nextAt))
    .limit(SUCCESSIONS_BATCH)
  for (const one of due) await attempt(ctx, one.memorialId, () => takeStep(ctx, one))
  const answered = await ctx.db
    .select({ memorialId: successions.memorialId, ownerId: memorials.ownerId })
    .from(successions)
    .innerJoin(memorials, eq(memorials.id, successions.memorialId))
    .where(and(isNotNull(successions.askingSince), isBack()))
    .limit(SUCCESSIONS_BATCH)
  for (const one of answered) await attempt(ctx, one.memorialId, () => stopAsking(ctx, one, isBack()))
}

async function attempt(ctx: Ctx, memorialId: string, step: () => Promise<void>): Promise<void> {
  try {
    await step()
  } catch (error) {
    ctx.log.error('succession_not_followed', error, { memorialId })
  }
}

/** SQL condition: the next step of a succession is due, and nothing holds it. */
function isDue({ now }: Ctx): SQL | undefined {
  return and(
    isNotNull(successions.nextAt),
    /* prove: succession-step-once */ lte(successions.nextAt, now()),
    /* prove: held-case-stands-still */ isNull(successions.heldSince),
    isInForce(),
  )
}

/** The writes check again that the step is due: another run may take it, or the owner may be back. */
async function takeStep(ctx: Ctx, { memorialId, email, mailsSent }: Due): Promise<void> {
  const now = ctx.now()
  const isStep = and(
    eq(successions.memorialId, memorialId),
    eq(successions.mailsSent, mailsSent),
    isDue(ctx),
    /* prove: owner-seen-stops */ isNotBack(),
  )
  const isTaken = existsIn(successions, isStep)
  const waitMs = SUCCESSION_STEPS_MS[mailsSent]
  const isLast = waitMs === undefined
  const people = isLast
    ? await ctx.db.select().from(successors).where(eq(successors.memorialId, memorialId))
    : []
  const letters = isLast
    ? people.map((one) =>
        insertMailWhere(
          ctx,
          { kind: 'memorial-open', recipient: one.email, subjectId: memorialId },
          and(isTaken, existsIn(successors, eq(successors.id, one.id)))!,
        ),
      )
    : [insertMailWhere(ctx, { kind: 'still-there', recipient: email, subjectId: memorialId }, isTaken)]
  const action = isLast ? 'open_succession' : 'ask_owner'
  const [, , [taken]] = await ctx.db.batch([
    // Whoever was here meanwhile is asked later.
    ctx.db
      .update(successions)
      .set({ nextAt: asksAt() })
      .where(and(isStep, isNull(successions.askingSince), sql`${asksAt()} > ${now}`)),
    insertFamilyAction(ctx, { memorialId, userId: null, action }, isTaken),
    ctx.db.select({ memorialId: successions.memorialId }).from(successions).where(isStep),
    ...letters.map(({ statement }) => statement),
    ctx.db
      .update(successions)
      .set(
        isLast
          ? { openSince: now, nextAt: null }
          : {
              askingSince: sql`coalesce(${successions.askingSince}, ${now})`,
              mailsSent: mailsSent + 1,
              nextAt: now + waitMs,
            },
      )
      .where(isStep),
  ])
  if (taken) await enqueueMails(ctx, letters)
}

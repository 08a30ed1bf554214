import { and, countDistinct, eq, gt, sql } from 'drizzle-orm'
import type { HoldReason } from '#shared/removal/held.ts'
import { DAY_MS, WORD_RULES_MAX } from '#shared/limits.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { hashToken } from '#worker/platform/random.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { wordRules } from '#worker/schema/word-rules.table.ts'
import { findHoldReason, type Written } from './hold-reason.ts'
import { isWidelyUsed, type WordLists } from './hurtful-words.ts'
import { normalisedWords, plainText } from './plain-words.ts'

/** Shorter words are the same everywhere: "Rest in peace. From all of us at work". */
const REPEATED_MIN = 80
const REPEATED_WITHIN_MS = 7 * DAY_MS
/** With the one that is being left now, the words are in three memorials. */
const REPEATED_BEFORE = 2

/** What the rules find in words that an invited person adds, if the family reads those first; null for nothing. */
export async function judgeInvited(
  ctx: Ctx,
  access: Pick<MemorialAccess, 'memorial' | 'contributor'>,
  body: string,
): Promise<HoldReason | null> {
  return access.memorial.holdNew ? judgeOwn(ctx, access, body) : null
}

/** What they find in words of this contributor; null for nothing, and for anybody else. */
export async function judgeOwn(
  ctx: Ctx,
  { contributor }: Pick<MemorialAccess, 'contributor'>,
  body: string,
): Promise<HoldReason | null> {
  if (!contributor) return null
  return findHoldReason({ name: contributor.displayName, body }, toLists(await selectWordRules(ctx)))
}

/**
 * What the rules find in words that a visitor leaves: null for nothing. `wordsHash` is stored with them, so that the same longer words
 * are found in other memorials; null for short ones.
 */
export async function judgeVisitor(
  ctx: Ctx,
  memorialId: string,
  written: Written,
): Promise<{ reason: HoldReason | null; wordsHash: string | null }> {
  const wordsHash = wordsHashOf(written.body)
  const [rows, [repeated]] = await ctx.db.batch([
    selectWordRules(ctx),
    countRepeated(ctx, memorialId, wordsHash ?? ''),
  ])
  const lists = toLists(rows)
  const isRepeated =
    (repeated?.count ?? 0) >= REPEATED_BEFORE && !isWidelyUsed(plainText(written.body), lists)
  return { reason: findHoldReason(written, lists) ?? (isRepeated ? 'REPEATED' : null), wordsHash }
}

function wordsHashOf(body: string): string | null {
  const words = normalisedWords(body)
  return words.length < REPEATED_MIN ? null : hashToken(words)
}

/** Statement: how many other memorials got the same words these days. */
function countRepeated({ db, now }: Ctx, memorialId: string, wordsHash: string) {
  const isRecent = gt(comments.createdAt, now() - REPEATED_WITHIN_MS)
  // The plus keeps SQLite from reading a guestbook instead of the index of the words.
  const isElsewhere = sql`+${comments.memorialId} <> ${memorialId}`
  return db
    .select({ count: countDistinct(comments.memorialId) })
    .from(comments)
    .where(and(eq(comments.wordsHash, wordsHash), isRecent, isElsewhere))
}

/** Statement: the words of operators, in their order, found by their key. */
export function selectWordRules({ db }: Pick<Ctx, 'db'>) {
  return db
    .select()
    .from(wordRules)
    .where(gt(wordRules.word, ''))
    .orderBy(wordRules.word)
    .limit(WORD_RULES_MAX)
}

/** Tells of names whether the rules find anything in them, so that lists for the family can fold those. */
export async function nameJudge(ctx: Ctx): Promise<(name: string) => boolean> {
  const lists = toLists(await selectWordRules(ctx))
  return (name) => findHoldReason({ name, body: '' }, lists) !== null
}

function toLists(rows: (typeof wordRules.$inferSelect)[]): WordLists {
  const wordsOf = (wanted: 'HOLD' | 'ALLOW') =>
    rows.flatMap(({ word, kind }) => (kind === wanted ? [word] : []))
  return { held: wordsOf('HOLD'), allowed: wordsOf('ALLOW') }
}

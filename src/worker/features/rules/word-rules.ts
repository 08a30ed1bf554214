import { and, eq, gt, sql, type SQL } from 'drizzle-orm'
import type { HoldReason } from '#shared/held.ts'
import { DAY_MS, WORD_RULES_MAX } from '#shared/limits.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { hashToken } from '#worker/platform/random.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { wordRules } from '#worker/schema/word-rules.table.ts'
import { findHoldReason, type Written } from './hold-reason.ts'
import type { WordLists } from './hurtful-words.ts'
import { normalisedWords } from './plain-words.ts'

/** Shorter words are the same everywhere: "Rest in peace. From all of us at work". */
const REPEATED_MIN = 80
const REPEATED_WITHIN_MS = 7 * DAY_MS
/** With the one that is being left now, the words are in three memorials. */
const REPEATED_BEFORE = 2

/** What the rules say of words that somebody leaves, before the family sees them; null for nothing. */
export async function judgeWords(ctx: RequestCtx, written: Written): Promise<HoldReason | null> {
  return findHoldReason(written, await readLists(ctx))
}

/** By this the same longer words are found in other memorials; null for short ones. */
export function wordsHashOf(body: string): string | null {
  const words = normalisedWords(body)
  return words.length < REPEATED_MIN ? null : hashToken(words)
}

/** Whether words with this hash were left in so many other memorials these days. */
export async function areRepeated(ctx: RequestCtx, memorialId: string, wordsHash: string | null): Promise<boolean> {
  if (wordsHash === null) return false
  const isSame = and(eq(comments.wordsHash, wordsHash), gt(comments.createdAt, ctx.now() - REPEATED_WITHIN_MS))
  // The plus keeps SQLite from reading the memorial's whole guestbook.
  const [row] = await ctx.db
    .select({ count: sql<number>`count(distinct ${comments.memorialId})` })
    .from(comments)
    .where(and(isSame, sql`+${comments.memorialId} <> ${memorialId}`))
  return (row?.count ?? 0) >= REPEATED_BEFORE
}

/** Statement: all words of operators. The condition is true of each; it reads them by their key. */
export function selectWordRules({ db }: Pick<Ctx, 'db'>, where?: SQL) {
  return db
    .select({ word: wordRules.word, kind: wordRules.kind })
    .from(wordRules)
    .where(and(gt(wordRules.word, ''), where))
    .orderBy(wordRules.word)
    .limit(WORD_RULES_MAX)
}

async function readLists(ctx: RequestCtx): Promise<WordLists> {
  const rows = await selectWordRules(ctx)
  const wordsOf = (wanted: 'HOLD' | 'ALLOW') => rows.flatMap(({ word, kind }) => (kind === wanted ? [word] : []))
  return { held: wordsOf('HOLD'), allowed: wordsOf('ALLOW') }
}

import { eq, gt, ne, sql, and } from 'drizzle-orm'
import type { WordRule } from '#shared/admin/admin.ts'
import { AppError, fieldError } from '#shared/errors.ts'
import { WORD_RULES_MAX } from '#shared/limits.ts'
import { insertAudit } from '#worker/access/audit.ts'
import { plainText } from '#worker/features/rules/plain-words.ts'
import { selectWordRules } from '#worker/features/rules/word-rules.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { wordRules } from '#worker/schema/word-rules.table.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

type WordRules = { words: WordRule[] }

/** The words that admins added to the lists in the code, in the order of the alphabet. */
export async function listWords(ctx: RequestCtx): Promise<WordRules> {
  return toWordRules(await selectWordRules(ctx))
}

/** Adds a word, or changes what it does. Throws `conflict` if there are too many, `bad_input` if it has too few letters. */
export async function saveWord(ctx: RequestCtx, { word: typed, kind }: WordRule): Promise<WordRules> {
  const word = toStored(typed)
  // A single letter, or a star alone, would hold nearly every message.
  if ((word.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < 2)
    throw fieldError('bad_input', 'word', serverMessages.admin.wordTooShort)
  const isSame = eq(wordRules.word, word)
  const others = ctx.db.$count(wordRules, and(gt(wordRules.word, ''), ne(wordRules.word, word)))
  const audit = { action: 'add_word', targetKind: 'word', targetId: word, detail: { kind } } as const
  const [, , rows] = await ctx.db.batch([
    insertWhere(
      ctx.db,
      wordRules,
      { word, kind, createdAt: ctx.now() },
      sql`${others} < ${WORD_RULES_MAX}`,
    ).onConflictDoUpdate({ target: wordRules.word, set: { kind } }),
    insertAudit(ctx, audit, existsIn(wordRules, isSame)),
    selectWordRules(ctx),
  ])
  if (!rows.some((row) => row.word === word))
    throw new AppError('conflict', serverMessages.admin.tooManyWords)
  return toWordRules(rows)
}

/** Removes a word; nothing happens if it isn't there. */
export async function removeWord(ctx: RequestCtx, typed: string): Promise<WordRules> {
  const word = toStored(typed)
  const isThis = eq(wordRules.word, word)
  const audit = { action: 'remove_word', targetKind: 'word', targetId: word } as const
  const [, , rows] = await ctx.db.batch([
    insertAudit(ctx, audit, existsIn(wordRules, isThis)),
    ctx.db.delete(wordRules).where(isThis),
    selectWordRules(ctx),
  ])
  return toWordRules(rows)
}

/** As messages are read: lower case, no marks, one space between words. */
function toStored(word: string): string {
  return plainText(word).replace(/\s+/gu, ' ').trim()
}

function toWordRules(rows: Awaited<ReturnType<typeof selectWordRules>>): WordRules {
  return { words: rows.map(({ word, kind }) => ({ word, kind })) }
}

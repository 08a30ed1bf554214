import { expect, test } from 'vitest'
import { WORD_RULES_MAX } from '#shared/limits.ts'
import { wordRules } from '#worker/schema/word-rules.table.ts'
import { signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { auditOf } from '../../../../test/worker/rows.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

const WORDS = '/api/admin/words'

test('an admin adds a word, changes what it does, and removes it, which is recorded', async () => {
  const admin = await signedIn({ admin: true })
  const rule = { word: 'bad loan', kind: 'HOLD' }
  expect((await admin.post(WORDS, { word: '  Bád\u200b  LOAN ', kind: 'HOLD' })).body).toEqual({
    words: [rule],
  })
  expect((await admin.get(WORDS)).body).toEqual({ words: [rule] })
  const changed = { ...rule, kind: 'ALLOW' }
  expect((await admin.post(WORDS, changed)).body).toEqual({ words: [changed] })
  for (const _ of [1, 2]) expect((await admin.delete(`${WORDS}/bad%20loan`)).body).toEqual({ words: [] })
  const recorded = await auditOf({ targetId: rule.word }, 'action', 'detail')
  expect(recorded).toEqual([
    { action: 'add_word', detail: { kind: 'HOLD' } },
    { action: 'add_word', detail: { kind: 'ALLOW' } },
    { action: 'remove_word', detail: null },
  ])
})

test('a word needs two letters, a kind, and at most sixty characters', async () => {
  const admin = await signedIn({ admin: true })
  for (const word of ['', '*', 'a*', ' a ', 'x'.repeat(61)])
    expect((await admin.post(WORDS, { word, kind: 'HOLD' })).status).toBe(400)
  expect((await admin.post(WORDS, { word: 'loan', kind: 'DELETE' })).status).toBe(400)
  expect((await admin.get(WORDS)).body).toEqual({ words: [] })
})

test('there are at most 500 words, and those can still be changed', async () => {
  const admin = await signedIn({ admin: true })
  const { db } = testCtx()
  const rows = Array.from({ length: WORD_RULES_MAX }, (_, n) => ({
    word: `word ${n}`,
    kind: 'HOLD' as const,
    createdAt: 1,
  }))
  for (let from = 0; from < rows.length; from += 25)
    await db.insert(wordRules).values(rows.slice(from, from + 25))
  const full = await admin.post(WORDS, { word: 'loan', kind: 'HOLD' })
  expect([full.status, full.body.message]).toEqual([409, serverMessages.admin.tooManyWords])
  expect((await admin.post(WORDS, { word: 'word 7', kind: 'ALLOW' })).status).toBe(200)
  expect(await auditOf({ targetId: 'loan' }, 'action')).toEqual([])
  await db.delete(wordRules)
})

import { expect, test } from 'vitest'
import { COMMENT_BODY, CONTACT_FIELDS, DISPLAY_NAME, REGISTER_FIELDS, VERIFY_FIELDS } from './fields.ts'
import { REMOVAL_REQUEST_FIELDS, toContactMessage } from './removal/removal-requests.ts'
import { problemOf } from './text-rules.ts'
import { text } from './text.ts'

const RULES = [
  COMMENT_BODY,
  DISPLAY_NAME,
  ...[REGISTER_FIELDS, VERIFY_FIELDS, CONTACT_FIELDS, REMOVAL_REQUEST_FIELDS].flatMap((fields) =>
    Object.values(fields),
  ),
]
const TEXTS = [
  '',
  '   ',
  '\u200b',
  'Rudo',
  ' RUDO@Family.Example ',
  'Memorial Ówner',
  'short\u0007',
  'a\nb',
  'x'.repeat(3000),
  '😀'.repeat(101),
  'It shows me',
]

test('a form says about a text what the schema would say, and stores the same', () => {
  for (const rule of RULES) {
    for (const typed of TEXTS) {
      const parsed = text(rule).safeParse(typed)
      expect([typed, problemOf(rule, typed)]).toEqual([typed, parsed.error?.issues[0]?.message ?? null])
      expect(parsed.data ?? rule.clean(typed)).toBe(rule.clean(typed))
    }
  }
})

test('a request for removal becomes a contact message of cleaned text', () => {
  const request = {
    email: ' A@B.Test ',
    memorial: ' Rudo ',
    reason: 'It shows me',
    what: 'The photo\r\nby the gate ',
  }
  expect(toContactMessage(request)).toEqual({
    email: 'a@b.test',
    subject: 'Please remove something',
    message: 'Memorial: Rudo\nReason: It shows me\n\nThe photo\nby the gate',
  })
})

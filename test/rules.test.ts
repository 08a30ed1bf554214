import { expect, test } from 'vitest'
import { problemsOf } from '../scripts/lib/rules.ts'
import { seenColumn, tableOf } from '../scripts/lib/rules-table.ts'
import type { Rule } from './rules/rule.ts'

const files: Record<string, string> = {
  'a.test.ts': "test('doors are shut at night', () => {})\ntest(`the ${number} windows too`, () => {})",
  'door.ts': 'lock()\nbolt()\nbolt()',
}
const read = (path: string) => {
  const text = files[path]
  if (text === undefined) throw new Error(`no such file: ${path}`)
  return text
}
const rule: Rule = {
  id: 'A1',
  threat: 'Somebody | walks in',
  rule: 'Doors are shut',
  proofs: [
    { test: 'a.test.ts › doors are shut at night', takenOut: [{ file: 'door.ts', from: 'lock()', to: '' }] },
  ],
}
const changed = (proof: string, from: string, to = ''): Rule => ({
  ...rule,
  proofs: [{ test: proof, takenOut: [{ file: 'door.ts', from, to }] }],
})

test('a rule whose test and edit are there has no problem', () => {
  expect(problemsOf([rule], read)).toEqual([])
})

test.each([
  ['a test that is not there', changed('a.test.ts › doors are open', 'lock()'), 'not in a.test.ts'],
  ['a file that is not there', changed('b.test.ts › doors are shut at night', 'lock()'), 'no such file'],
  [
    'an edit that fits twice',
    changed('a.test.ts › doors are shut at night', 'bolt()'),
    'does not stand once',
  ],
  [
    'an edit that fits nowhere',
    changed('a.test.ts › doors are shut at night', 'chain()'),
    'does not stand once',
  ],
  [
    'an edit that changes nothing',
    changed('a.test.ts › doors are shut at night', 'lock()', 'lock()'),
    'nothing',
  ],
  ['no proof', { id: 'A1', threat: '', rule: '', proofs: [] }, 'has no proof'],
] satisfies [string, Rule, string][])('%s is a problem', (_, broken, words) => {
  expect(problemsOf([broken], read)).toEqual([expect.stringContaining(words)])
})

test('an id that stands twice is a problem', () => {
  expect(problemsOf([rule, rule], read)).toEqual(['A1 stands twice'])
})

test('the table says what was seen, and of what was not tried that it was not', () => {
  const seen = new Map([['A1 a.test.ts › doors are shut at night', seenColumn('expected 1 | 2\nto be 3')]])
  expect(tableOf([rule], seen)).toContain(
    String.raw`| A1 | Somebody \| walks in | Doors are shut | ` +
      String.raw`${'`a.test.ts › doors are shut at night`'} | expected 1 \| 2 to be 3 |`,
  )
  expect(tableOf([rule], new Map())).toContain('not tried yet')
})

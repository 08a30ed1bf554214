import { expect, test } from 'vitest'
import { checkCoverage, type Contract } from '../scripts/lib/spec-coverage.ts'
import { gapsOf, testTitles } from '../scripts/lib/test-titles.ts'

const HEAD = '| Id | Kind | The spec says | Where | Proof |\n|---|---|---|---|---|\n'
const NOTHING: Contract = { calls: [], paths: [], numbers: [], words: [], messages: [] }
const FILES: Record<string, string> = {
  'src/a.ts': 'export const MAX = 3 // a | b',
  'src/m.ts': 'return `You can only add ${left} more photos`',
  'test/a.test.ts': "test('one and one is two', () => {})",
  'e2e/b.spec.ts': 'for (const width of [360, 1280]) test(`the header at ${width} px`, () => {})',
}
const readFile = (path: string) => FILES[path] ?? null
const problemsOf = (rows: string, contract: Partial<Contract> = {}) =>
  checkCoverage(HEAD + rows, { ...NOTHING, ...contract }, readFile).problems

const PROOF = '`test/a.test.ts › one and one is two`'

test('a row with everything in it has no problem and is counted by its kind', () => {
  const row = String.raw`| A1 | rule | At most 3 | ${'`src/a.ts#3 // a \\| b`'} | ${PROOF}<br>${'`e2e/b.spec.ts › the header at 360 px`'} |`
  const { problems, counts } = checkCoverage(HEAD + row, NOTHING, readFile)
  expect(problems).toEqual([])
  expect([counts.get('rule'), counts.get('route')]).toEqual([1, 0])
})

test.each([
  ['| A1 | rule | x | src/a.ts | |', '3: a cell is empty or missing'],
  ['| A1 | rule | x | src/a.ts |', '3: a cell is empty or missing'],
  [`| A1 | rule | x | src/a.ts | ${PROOF} | y |`, '3: A1 has more than 5 cells'],
  [`| A1 | wish | x | src/a.ts | ${PROOF} |`, '3: A1 is of no known kind: wish'],
  [`| A1 | rule | x | src/b.ts | ${PROOF} |`, '3: A1 names a file that is not there: src/b.ts'],
  [`| A1 | rule | x | src/a.ts#MIN | ${PROOF} |`, '3: A1 names a text that is not in src/a.ts: MIN'],
  [`| A1 | rule | x | src/a.ts# | ${PROOF} |`, '3: A1 names a text that is not in src/a.ts: '],
  ['| A1 | rule | x | src/a.ts | tested |', '3: A1 has a proof that is not "file › title": tested'],
  [
    '| A1 | rule | x | src/a.ts | src/a.ts › x |',
    '3: A1 is proven by a test file that is not there: src/a.ts',
  ],
  [
    '| A1 | rule | x | src/a.ts | test/a.test.ts › one |',
    '3: A1 is proven by a test that is not in test/a.test.ts: one',
  ],
  [
    '| A1 | rule | x | src/a.ts | e2e/b.spec.ts › the header at 320 px |',
    '3: A1 is proven by a test that is not in e2e/b.spec.ts: the header at 320 px',
  ],
  [`| A1 | message | No words | src/a.ts | ${PROOF} |`, '3: A1 is a message and quotes nothing'],
  [`| A1 | message | "Gone" | src/a.ts | ${PROOF} |`, '3: A1 quotes what is said nowhere: Gone'],
])('what is wrong with a row is said with its line: %s', (row, problem) => {
  expect(problemsOf(row)).toEqual([problem])
})

test('two rows never share an id', () => {
  const row = `| A1 | rule | x | src/a.ts | ${PROOF} |`
  expect(problemsOf(`${row}\n${row}`)).toEqual(['4: A1 is the id of line 3 already'])
})

test('a message stands in messages.ts, in a file of its row, or is made there', () => {
  const rows = [
    `| A1 | message | "Saved" | src/a.ts | ${PROOF} |`,
    `| A2 | message | "const MAX" | src/a.ts | ${PROOF} |`,
    '| A3 | message | "You can only add N more photos" | `src/m.ts#You can only add ${left} more photos` | ' +
      `${PROOF} |`,
  ]
  expect(problemsOf(rows.join('\n'), { messages: ['Saved'] })).toEqual([])
})

test('every call, path, number and sentence of the contract is named by a row', () => {
  const contract = {
    calls: ['GET /api/x', 'POST /api/x'],
    paths: ['/', '/x'],
    numbers: ['MAX'],
    words: ['Saved', 'Gone'],
  }
  expect(
    problemsOf(`| A1 | call | \`GET /api/x\` from \`/\` says "Saved" | src/a.ts | ${PROOF} |`, contract),
  ).toEqual([
    '1: no row names the call POST /api/x',
    '1: no row names the path /x',
    '1: no row names the number MAX of limits.ts',
    '1: no row quotes: Gone',
  ])
})

test('titles are found however a test is written, and not in comments, strings or skipped tests', () => {
  const source = String.raw`
    // test('in a comment', () => {})
    /* test('in a comment', () => {}) */
    const text = "test('in a string', () => {})"
    const pattern = /test\('in a regex/u.test(text) || 4 / 2 / 1
    test('plain', () => {})
    test("it's quoted", async () => {})
    test('it\'s escaped', () => {})
    test.only('alone', () => {})
    for (const width of [1]) test(${'`at ${width + `${1}`} px`'}, () => {})
    test.each([['a)', 'b'], [f('(')]])('each %s and $name.x', () => {})
    test.for(['x'] as const)(
      'for %j',
      () => {},
    )
    test.skip('skipped', () => {})
    test.each(LIST).skip('skipped', () => {})
    test.describe('a group', () => {})
    /u/.test('not a test')
    test.setTimeout(5)
  `
  expect(testTitles(source)).toEqual([
    ['plain'],
    ["it's quoted"],
    ["it's escaped"],
    ['alone'],
    ['at ', ' px'],
    ['each ', ' and ', ''],
    ['for ', ''],
  ])
})

test('a gap stands for something, and every other sign for itself', () => {
  expect(gapsOf(['a (', ') b.'], 'a (12) b.')).toEqual(['12'])
  expect(gapsOf(['a (', ') b.'], 'a () b.')).toBeNull()
  expect(gapsOf(['a.'], 'ab')).toBeNull()
  const signs = '3-D \\ ^ $ . * + ? ( ) [ ] { } | / é'
  expect(gapsOf([signs], signs)).toEqual([])
})

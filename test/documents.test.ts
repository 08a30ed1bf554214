import { expect, test } from 'vitest'
import { architectureProblems } from '../scripts/lib/documents/architecture.ts'
import { linkProblems } from '../scripts/lib/documents/links.ts'
import { toldLimitProblems } from '../scripts/lib/documents/told-limits.ts'

const FILES: Record<string, string> = {
  'docs/a.md': '# A\n\n## Two words: here\n\n## Two words: here\n',
  docs: '',
  'README.md': '',
}
const problemsOf = (text: string) =>
  linkProblems('docs/text.md', (path) => (path === 'docs/text.md' ? text : (FILES[path] ?? null)))

test('a link to a file or a heading of this repository must lead there', () => {
  expect(
    problemsOf(
      '[a](a.md) [b](a.md#two-words-here-1) [up](../README.md) [folder](../docs) [self](#top)\n\n# Top',
    ),
  ).toEqual([])
  expect(problemsOf('[b](b.md)\n<img src="images/none.png">')).toEqual([
    'docs/text.md: b.md is not there',
    'docs/text.md: images/none.png is not there',
  ])
  expect(problemsOf('[a](a.md#three) [out](../../etc/passwd.md)')).toEqual([
    'docs/text.md: docs/a.md has no heading #three',
    'docs/text.md: ../../etc/passwd.md is not there',
  ])
})

test('links elsewhere, and what only looks like a link in code, are not looked at', () => {
  expect(
    problemsOf('[x](https://example.org/none) [y](mailto:a@b.c) `[z](none.md)`\n\n```\n[z](none.md)\n```\n'),
  ).toEqual([])
})

test('a limit in a document must be that of the code', () => {
  const row = (told: string, name: string) => `| x | ${told} | \`${name}\` |\n`
  const right = `${row('1,000', 'MEMORIAL_QUOTA.images')}${row('20 GB', 'MEMORIAL_QUOTA.bytes')}${row('30 days', 'DELETED_RESTORABLE_MS')}${row('$60', 'PRICE_CENTS')}`
  expect(toldLimitProblems(right)).toEqual([])
  expect(toldLimitProblems(row('999', 'MEMORIAL_QUOTA.images') + row('1', 'NO_SUCH'))).toEqual([
    'MEMORIAL_QUOTA.images is told as 999, and is 1000',
    'NO_SUCH is no limit',
  ])
  expect(toldLimitProblems('# No table')).toEqual(['tells no limit'])
})

test('the diagram must show what the program is made of, and nothing else', () => {
  const parts = {
    bindings: ['DB', 'KV'],
    gates: ['LIMIT_A'],
    queues: ['jobs'],
    crons: { '* * * * *': ['drain'] },
    exports: ['Pages'],
  }
  const told =
    '```mermaid\nflowchart\n  q[(jobs)] --> Pages\n  class DB,KV binding\n```\n\n`* * * * *` `drain` `LIMIT_A`\n'
  expect(architectureProblems(told, parts)).toEqual([])
  expect(
    architectureProblems(told, { ...parts, bindings: ['DB', 'R2'], crons: { '1 * * * *': ['sweep'] } }),
  ).toEqual([
    'the diagram lacks the binding R2',
    'the diagram has KV, which is no binding',
    'the text lacks `1 * * * *`',
    'the text lacks `sweep`',
  ])
  expect(architectureProblems(told, { ...parts, gates: [], queues: ['jobs', 'dead'] })).toEqual([
    'the diagram lacks dead',
    'the text names LIMIT_A, which is no gate',
  ])
})

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { gapsOf, testTitles } from '../scripts/lib/test-titles.ts'

test('each demand of tus in docs/tus.md names a test that there is', () => {
  const titles = (name: string) =>
    testTitles(readFileSync(`src/worker/features/media/${name}.test.ts`, 'utf8'))
  const known = { tus: titles('tus'), resumable: titles('resumable') }
  const rows = readFileSync('docs/tus.md', 'utf8')
    .split('\n')
    .filter((line) => /^\| (?!demand|-)/u.test(line))
  const missing = rows.filter((row) => {
    const [, file = '', title = ''] = /`(tus|resumable) › (.+)` *\|$/u.exec(row) ?? []
    return !(known[file as keyof typeof known] ?? []).some((parts) => gapsOf(parts, title) !== null)
  })
  expect(missing).toEqual([])
  expect(rows.length).toBeGreaterThan(30)
})

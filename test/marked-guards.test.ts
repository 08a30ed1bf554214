import { expect, test } from 'vitest'
import { findMarkedGuards } from '../tools/build/lib/marked-guards.ts'

const without = (source: string) => findMarkedGuards('a.ts', source).map((guard) => guard.without)

test.each([
  ['a statement', '// prove: x\nif (bad) throw e\ndone()', '// prove: x\n\ndone()'],
  ['an argument', 'and(\n  // prove: x\n  eq(a, b),\n  c)', 'and(\n  // prove: x\n  \n  c)'],
  ['an object property', 'f({ /* prove: x */ httpOnly: true, path })', 'f({ /* prove: x */  path })'],
  ['the left side of &&', 'go(/* prove: x */ a === b && c)', 'go(/* prove: x */ true && c)'],
  ['the left side of ||', 'go(/* prove: x */ a || c)', 'go(/* prove: x */ false || c)'],
  ['the right side of ||', 'go(a || /* prove: x */ b.c)', 'go(a || /* prove: x */ false)'],
  ['the condition of an if', 'if (/* prove: x */ bad) stop()', 'if (/* prove: x */ false) stop()'],
])('prove takes out %s', (_, source, expected) => {
  expect(without(source)).toEqual([expected])
})

test('a marker before something that prove cannot take out is an error', () => {
  expect(() => without('const a = /* prove: x */ b')).toThrow('nothing that prove can remove')
})

import { expect, test } from 'vitest'
import { mannWhitneyP } from '../scripts/lib/mann-whitney.ts'

const upTo = (count: number, shift = 0) => Array.from({ length: count }, (_, i) => i + shift)

test('two samples that lie the same are not told apart, and two that do not are', () => {
  expect(mannWhitneyP(upTo(60), upTo(60))).toBeCloseTo(1, 2)
  expect(mannWhitneyP(upTo(60), upTo(60, 60))).toBeLessThan(1e-6)
  expect(mannWhitneyP(Array(60).fill(5), Array(60).fill(5))).toBe(1)
})

test('the value agrees with scipy.stats.mannwhitneyu(range(30), range(7, 37), method="asymptotic")', () => {
  expect(mannWhitneyP(upTo(30), upTo(30, 7))).toBeCloseTo(0.0062192333, 6)
})

import { expect, test } from 'vitest'
import { median, medianRatio, quantile, rounded, spreadPercent } from '../tools/measure/statistics.ts'

test('the median is the middle value in any order, and an outlier does not move it', () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(median([1000, 1, 2, 3, 2])).toBe(2)
  expect(median([1, 2])).toBe(2)
  expect(median([])).toBe(0)
})

test('a quantile is the value below which that share lies; the last one for 1', () => {
  const hundred = Array.from({ length: 100 }, (_, at) => 99 - at)
  expect(quantile(hundred, 0.5)).toBe(50)
  expect(quantile(hundred, 0.99)).toBe(99)
  expect(quantile(hundred, 1)).toBe(99)
  expect(quantile([7], 0.99)).toBe(7)
})

test('the spread is half the range, in percent of the median', () => {
  expect(spreadPercent([90, 100, 110])).toBe(10)
  expect(spreadPercent([100])).toBe(0)
  expect(spreadPercent([])).toBe(0)
})

test('a ratio compares values of the same round, so slow moments cancel out', () => {
  expect(medianRatio([50, 5, 50], [100, 10, 100])).toBe(0.5)
  expect(medianRatio([50, 40, 60], [100, 100, 100])).toBe(0.5)
  expect(medianRatio([1, 2], [0, 4])).toBe(0.5)
  expect(medianRatio([], [])).toBe(0)
})

test('numbers are shown with two decimals', () => {
  expect(rounded(0.126)).toBe(0.13)
})

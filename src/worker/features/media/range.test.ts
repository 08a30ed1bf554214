import { expect, test } from 'vitest'
import { isKnown, mayUseRange, planRange } from './serve-media.ts'

const part = (offset: number, length: number) => ({ kind: 'part', offset, length })
const whole = { kind: 'whole' }
const unsatisfiable = { kind: 'unsatisfiable' }

test.for([
  ['bytes=0-0', part(0, 1)],
  ['bytes=2-4', part(2, 3)],
  ['bytes=5-', part(5, 5)],
  ['bytes=-3', part(7, 3)],
  ['bytes=9-9', part(9, 1)],
  ['bytes=-100', part(0, 10)],
  ['bytes=0-999', part(0, 10)],
  ['bytes=0-18446744073709551616', part(0, 10)],
  ['BYTES=1-1', part(1, 1)],
  ['bytes= 0-1', part(0, 2)],
  ['bytes=10-', unsatisfiable],
  ['bytes=999-', unsatisfiable],
  ['bytes=10-20', unsatisfiable],
  ['bytes=-0', unsatisfiable],
  ['bytes=5-2', whole],
  ['bytes=abc', whole],
  ['bytes=-', whole],
  ['bytes=', whole],
  ['items=0-1', whole],
  ['bytes=0-1,4-5', whole],
  ['', whole],
  [null, whole],
] as const)('planRange handles %s for 10 bytes', ([header, plan]) => {
  expect(planRange(header, 10)).toEqual(plan)
})

test('every range of an empty object is unsatisfiable', () => {
  expect(planRange('bytes=0-', 0)).toEqual(unsatisfiable)
  expect(planRange('bytes=-1', 0)).toEqual(unsatisfiable)
})

test('If-None-Match compares weakly and accepts a list or *', () => {
  expect(isKnown(null, '"a"')).toBe(false)
  expect(isKnown('"b"', '"a"')).toBe(false)
  expect(isKnown('"b", "a"', '"a"')).toBe(true)
  expect(isKnown('W/"a"', '"a"')).toBe(true)
  expect(isKnown('*', '"a"')).toBe(true)
})

test('If-Range compares strongly; a date never matches', () => {
  expect(mayUseRange(null, '"a"')).toBe(true)
  expect(mayUseRange('"a"', '"a"')).toBe(true)
  expect(mayUseRange('W/"a"', '"a"')).toBe(false)
  expect(mayUseRange('"b"', '"a"')).toBe(false)
  expect(mayUseRange('Sat, 21 Nov 2026 00:00:00 GMT', '"a"')).toBe(false)
})

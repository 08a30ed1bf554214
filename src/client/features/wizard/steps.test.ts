import { expect, test } from 'vitest'
import { isStepComplete, STEPS, stepFrom } from './steps.ts'

test('every step is incomplete while nothing is filled in', () => {
  expect(STEPS.map((_, step) => isStepComplete(step, {}))).toEqual([false, false, false, false, false, false])
})

test('each step needs one thing, and payment is never complete', () => {
  const facts = {
    honoureeFullName: 'Tendai Moyo',
    dateTime: '2026-06-06T10:00',
    latitude: '-17.8',
    longitude: '31.05',
    lifeStory: 'She taught.',
    privacy: 'INVITE',
  } as const
  expect(STEPS.map((_, step) => isStepComplete(step, facts))).toEqual([false, true, true, true, true, true])
  expect(isStepComplete(6, {})).toBe(true)
})

test('blanks, half a position and PRIVATE do not complete a step', () => {
  expect(isStepComplete(1, { honoureeFullName: '  ' })).toBe(false)
  expect(isStepComplete(3, { latitude: '-17.8', longitude: '' })).toBe(false)
  expect(isStepComplete(5, { privacy: 'PRIVATE' })).toBe(false)
})

test('a step in the URL counts only if it exists', () => {
  expect(['0', '5', '6', '-1', 'x', '', null].map((value) => stepFrom(value, 1))).toEqual([
    0, 5, 1, 1, 1, 1, 1,
  ])
})

test('the six steps are named, in their order', () => {
  expect(STEPS.map(({ title }) => title)).toEqual([
    'Payment',
    'Basic Information',
    'Funeral Service Details',
    'Memorial Location',
    'Life Story & Media',
    'Privacy & Sharing',
  ])
  expect(STEPS[0].about).toBe('Memorial creation fee')
})

import { expect, test } from 'vitest'
import { nextStep, stepStates, type SetupFacts } from './setup-steps.ts'

const started: SetupFacts = {
  isPaid: false,
  lifeStory: null,
  privacy: 'PRIVATE',
  serviceCount: 0,
  hasLocation: false,
}

test('a step is done, skipped or to do; what is done does not count as skipped', () => {
  expect(stepStates(null, [0])).toEqual(['Skipped', 'To do', 'To do', 'To do', 'To do', 'To do'])
  expect(stepStates({ ...started, serviceCount: 2 }, [0, 2, 3])).toEqual([
    'Skipped',
    'Done',
    'Done',
    'Skipped',
    'To do',
    'To do',
  ])
})

test('the first step left comes next; payment comes before sharing, which is the last', () => {
  const full: SetupFacts = { ...started, serviceCount: 1, hasLocation: true, lifeStory: '<p>She taught.</p>' }
  const next = (facts: SetupFacts, skipped: number[] = []) => nextStep(facts, skipped)?.name ?? null
  expect(next(started)).toBe('funeral details')
  expect(next(started, [2])).toBe('the place of the grave')
  expect(next(full)).toBe('payment')
  expect(next({ ...full, isPaid: true })).toBe('send it to the family')
  expect(next({ ...full, isPaid: true }, [5])).toBeNull()
  expect(next({ ...started, isPaid: true, privacy: 'INVITE' })).toBeNull()
})

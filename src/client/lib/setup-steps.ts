import type { DashboardMemorial, Memorial } from '#shared/memorials/memorials.ts'
import { readText, removeText, writeText } from './browser/stored-text.ts'

/** What decides which of the wizard's steps are done. */
export type SetupFacts = Pick<Memorial, 'isPaid' | 'lifeStory' | 'privacy'> &
  Pick<DashboardMemorial, 'serviceCount' | 'hasLocation'>

export type StepState = 'Done' | 'Skipped' | 'To do'

/** Sharing needs the payment, so an unpaid memorial is paid for last but one. */
const ORDER = [1, 2, 3, 4, 0, 5] as const

/** How the dashboard names the steps, numbered 0 to 5. */
const NAMES = [
  'payment',
  'their name',
  'funeral details',
  'the place of the grave',
  'life story and photos',
  'send it to the family',
] as const

/** The state of each step, 0 to 5. `facts` is null before the memorial exists; a payment can wait for it. */
export function stepStates(
  facts: SetupFacts | null,
  skipped: readonly number[],
  isPaid: boolean = facts?.isPaid ?? false,
): StepState[] {
  const isDone = [
    isPaid,
    facts !== null,
    facts !== null && facts.serviceCount > 0,
    facts?.hasLocation ?? false,
    facts !== null && facts.lifeStory !== null,
    facts !== null && facts.privacy !== 'PRIVATE',
  ]
  return isDone.map((done, step) => {
    if (done) return 'Done'
    return skipped.includes(step) ? 'Skipped' : 'To do'
  })
}

/** The next step to do of a memorial that isn't shared yet, or null: its number and its name on the dashboard. */
export function nextStep(
  facts: SetupFacts,
  skipped: readonly number[],
): { step: number; name: string } | null {
  if (facts.privacy !== 'PRIVATE') return null
  const states = stepStates(facts, skipped)
  const step = ORDER.find((candidate) => states[candidate] === 'To do')
  return step === undefined ? null : { step, name: NAMES[step] }
}

const keyOf = (userId: string, memorialId: string | null) => `nhaka-skipped:${userId}:${memorialId ?? 'new'}`

/** The steps that this user skipped on this device. `memorialId` is null before the memorial exists. */
export function skippedSteps(userId: string, memorialId: string | null): number[] {
  return (readText(keyOf(userId, memorialId)) ?? '').split(',').filter(Boolean).map(Number)
}

/** Stores that these steps were skipped. */
export function storeSkipped(userId: string, memorialId: string | null, steps: readonly number[]): void {
  writeText(keyOf(userId, memorialId), steps.join(','))
}

/** Moves the steps that were skipped before the memorial existed to the new memorial. */
export function adoptSkipped(userId: string, memorialId: string): void {
  storeSkipped(userId, memorialId, skippedSteps(userId, null))
  removeText(keyOf(userId, null))
}

import { expect } from 'vitest'
import { takeErrorLines } from './error-lines.ts'
import { FAULT_MODES, FaultyBindings, type Fault, type FaultMode } from './faults.ts'
import type { Client } from './harness.ts'
import { forgetAll, giveReceipts, letTimePass, stateProblems } from './state.ts'

/** One call of the product, made by somebody whose Worker meets a fault, and made again as a browser makes it again. */
export type Scenario<S> = {
  /** What stands before the call. */
  arrange: () => Promise<S>
  client: (stand: S) => Client
  memorialIds: (stand: S) => string[]
  /** The call, with the Idempotency-Key of this attempt where browsers send one. Returns its status. */
  act: (stand: S) => Promise<number>
  /** Statuses that say that it is done, and those that a second try may say besides. */
  done: number[]
  doneBefore?: number[]
  /** What anybody sees at any moment between: throws when it is half of something. */
  look?: (stand: S) => Promise<void>
  /** What must be there at the end: throws when something is missing or there twice. */
  expectDone: (stand: S) => Promise<void>
}

/**
 * Makes each call to a binding of this scenario go wrong in each way, one a run. After every fault: nothing half-made is
 * seen; the person tries again and it works; cron runs twice; every invariant holds; what was asked for is there once.
 * Returns the calls that a run makes and how many faults were put in.
 */
export async function runFaults<S>(
  scenario: Scenario<S>,
  modes: readonly FaultMode[] = FAULT_MODES,
): Promise<{ calls: string[]; faults: number }> {
  const { bindings } = await attempt(scenario, null)
  const { calls } = bindings
  let faults = 0
  for (let at = 1; at <= calls.length; at++) {
    for (const mode of modes) {
      await attempt(scenario, { at, mode }, `${mode} at ${calls[at - 1]} (${at} of ${calls.length})`)
      faults++
    }
  }
  return { calls, faults }
}

async function attempt<S>(scenario: Scenario<S>, fault: Fault | null, what = 'no fault') {
  const stand = await scenario.arrange()
  const ids = scenario.memorialIds(stand)
  await giveReceipts()
  const bindings = new FaultyBindings(fault)
  const first = await bindings.during(scenario.client(stand), () => scenario.act(stand))
  expect([...scenario.done, 500, 503], `the answer to ${what}`).toContain(first)
  await scenario.look?.(stand)
  expect(
    (await stateProblems()).map((problem) => `${what}: ${problem}`),
    'before the second try',
  ).toEqual([])
  if (!scenario.done.includes(first)) {
    const second = await scenario.act(stand)
    expect([...scenario.done, ...(scenario.doneBefore ?? [])], `the second try after ${what}`).toContain(
      second,
    )
  }
  await bindings.finishLate()
  await scenario.look?.(stand)
  await letTimePass(ids)
  await giveReceipts()
  expect((await stateProblems(ids)).map((problem) => `${what}: ${problem}`)).toEqual([])
  try {
    await scenario.expectDone(stand)
  } catch (error) {
    throw new Error(`after ${what}: ${String(error)}`, { cause: error })
  }
  takeErrorLines()
  await forgetAll()
  return { bindings }
}

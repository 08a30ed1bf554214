import { expect } from 'vitest'
import { takeErrorLines } from '../error-lines.ts'
import { FAULT_MODES, FaultyBindings, type Fault } from './faults.ts'
import type { Client } from '../harness.ts'
import { forgetAll, giveReceipts, letTimePass, stateErrors } from '../state.ts'
import { sweep } from './sweep.ts'

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
 * Runs this scenario once for each fault: in `npm run test:exhaustive` every call to a binding fails in every way, in `npm test`
 * those of {@link worstFaults}. After each fault nothing half-done can be seen, a retry succeeds, cron runs twice, every
 * invariant holds, and the result is there once. Returns the calls that a run without faults makes.
 */
export async function runFaults<S>(scenario: Scenario<S>): Promise<string[]> {
  const { calls } = (await attempt(scenario, null)).bindings
  const all = calls.flatMap((_, before) => FAULT_MODES.map((mode): Fault => ({ at: before + 1, mode })))
  for (const fault of sweep(all, worstFaults(calls))) {
    const what = `${fault.mode} at ${calls[fault.at - 1]} (${fault.at} of ${calls.length})`
    await attempt(scenario, fault, what)
  }
  return calls
}

/** The calls where a fault can do the most harm, in every way: the commit to the database, and the first file that is stored. */
export function worstFaults(calls: readonly string[]): Fault[] {
  const batch = calls.lastIndexOf('DB.batch')
  const commit = batch === -1 ? calls.findLastIndex((name) => name.startsWith('DB.')) : batch
  const stored = calls.findIndex((name) => name === 'MEDIA.put' || name === 'UPLOADS.fetch')
  return [commit, stored]
    .filter((index) => index !== -1)
    .flatMap((index) => FAULT_MODES.map((mode) => ({ at: index + 1, mode })))
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
    (await stateErrors()).map((problem) => `${what}: ${problem}`),
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
  expect((await stateErrors(ids)).map((problem) => `${what}: ${problem}`)).toEqual([])
  try {
    await scenario.expectDone(stand)
  } catch (error) {
    throw new Error(`after ${what}: ${String(error)}`, { cause: error })
  }
  takeErrorLines()
  await forgetAll()
  return { bindings }
}

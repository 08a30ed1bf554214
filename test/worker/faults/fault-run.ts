import { expect } from 'vitest'
import { takeErrorLines } from '../runtime/error-lines.ts'
import { FAULT_MODES, FaultyBindings, sweep, type Fault } from './faults.ts'
import type { Client } from '../harness.ts'
import { deleteAll, giveReceipts, letTimePass, stateErrors } from '../state.ts'

/** One API call during which a fault occurs, and which the client then retries as a browser does. */
export type Scenario<S> = {
  /** Prepares the state before the call. */
  arrange: () => Promise<S>
  client: (setup: S) => Client
  /** The memorials whose quotas are checked as well. */
  memorialIds?: (setup: S) => string[]
  /** The call, with the Idempotency-Key of this attempt where browsers send one. Returns its status. */
  act: (setup: S) => Promise<number>
  /** Statuses of success, and those that a retry may get in addition. */
  done: number[]
  doneBefore?: number[]
  /** Checks what is visible in between: throws when it is half-done. */
  check?: (setup: S) => Promise<void>
  /** Checks the final result: throws when something is missing or duplicated. */
  expectDone: (setup: S) => Promise<void>
}

/**
 * Runs this scenario once per fault: in `npm run test:exhaustive` every binding call fails in every way, in `npm test` only
 * {@link worstFaults}. After each fault nothing half-done is visible, a retry succeeds, cron runs twice, every invariant
 * holds, and the result exists once. Returns the calls of a run without faults.
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

/** The most dangerous faults: the database commit and the first stored file, failing in every way. */
function worstFaults(calls: readonly string[]): Fault[] {
  const batch = calls.lastIndexOf('DB.batch')
  const commit = batch === -1 ? calls.findLastIndex((name) => name.startsWith('DB.')) : batch
  const stored = calls.findIndex((name) => name === 'MEDIA.put' || name === 'UPLOADS.fetch')
  return [commit, stored]
    .filter((index) => index !== -1)
    .flatMap((index) => FAULT_MODES.map((mode) => ({ at: index + 1, mode })))
}

async function attempt<S>(scenario: Scenario<S>, fault: Fault | null, what = 'no fault') {
  const setup = await scenario.arrange()
  const ids = scenario.memorialIds?.(setup) ?? []
  await giveReceipts()
  const bindings = new FaultyBindings(fault)
  const first = await bindings.during(scenario.client(setup), () => scenario.act(setup))
  expect([...scenario.done, 500, 503], `the answer to ${what}`).toContain(first)
  await scenario.check?.(setup)
  expect(
    (await stateErrors()).map((problem) => `${what}: ${problem}`),
    'before the retry',
  ).toEqual([])
  if (!scenario.done.includes(first)) {
    const second = await scenario.act(setup)
    expect([...scenario.done, ...(scenario.doneBefore ?? [])], `the retry after ${what}`).toContain(second)
  }
  await bindings.finishLate()
  await scenario.check?.(setup)
  await letTimePass(ids)
  await giveReceipts()
  expect((await stateErrors(ids)).map((problem) => `${what}: ${problem}`)).toEqual([])
  try {
    await scenario.expectDone(setup)
  } catch (error) {
    throw new Error(`after ${what}: ${String(error)}`, { cause: error })
  }
  takeErrorLines()
  await deleteAll()
  return { bindings }
}

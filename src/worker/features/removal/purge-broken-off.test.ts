import { expect, test } from 'vitest'
import { createCtx } from '#worker/ctx.ts'
import { purgeDeleted } from '#worker/features/removal/removal.jobs.ts'
import { takeErrorLines } from '../../../../test/worker/error-lines.ts'
import { failingEnv } from '../../../../test/worker/failing-env.ts'
import { testCtx } from '../../../../test/worker/harness.ts'
import {
  leftOf,
  NOTHING,
  purgeLinesOf,
  setDeleted,
  wholeMemorial,
} from '../../../../test/worker/whole-memorial.ts'

/** Breaks a purge off at its first call, its second, …, runs it again each time, and finds nothing left of the memorial. */
async function expectToEndTheSame(mode: 'before' | 'after'): Promise<void> {
  /** How many calls a purge makes that is broken off at this one. */
  const purgeBrokenAt = async (failAt: number) => {
    const whole = await wholeMemorial()
    await setDeleted(whole.id, 31)
    const failing = failingEnv(failAt, mode)
    await purgeDeleted(createCtx({ env: failing.env, waitUntil: () => {} })).catch(() => null)
    await purgeDeleted(testCtx())
    expect([failAt, await leftOf(whole), await purgeLinesOf(whole.id)]).toEqual([
      failAt,
      NOTHING,
      [expect.objectContaining({ actorId: null })],
    ])
    takeErrorLines()
    return failing.calls()
  }
  const calls = await purgeBrokenAt(Infinity)
  for (let failAt = 1; failAt <= calls; failAt++) await purgeBrokenAt(failAt)
  expect(calls).toBeGreaterThanOrEqual(12)
}

test('F13: a purge that is broken off before any one of its calls ends the same when it runs again', async () => {
  await expectToEndTheSame('before')
}, 180_000)

test('F13: a purge that is broken off after any one of its calls ends the same when it runs again', async () => {
  await expectToEndTheSame('after')
}, 180_000)

import { expect, test } from 'vitest'
import { createCtx } from '#worker/platform/ctx.ts'
import { purgeDeleted } from '#worker/features/removal/removal.jobs.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { failingEnv, sweep } from '../../../../test/worker/faults/faults.ts'
import { testCtx } from '../../../../test/worker/harness.ts'
import {
  leftOf,
  NOTHING,
  purgeAuditRows,
  setDeleted,
  wholeMemorial,
} from '../../../../test/worker/whole-memorial.ts'

test.each(['before', 'after'] as const)(
  'a purge that fails %s any of its calls leaves nothing after a rerun',
  async (mode) => {
    /** Runs a purge whose call number `failAt` fails, and returns how many calls it made. */
    async function purgeFailingAt(failAt: number): Promise<number> {
      const whole = await wholeMemorial()
      await setDeleted(whole.id, 31)
      const failing = failingEnv(failAt, mode)
      await purgeDeleted(createCtx({ env: failing.env, waitUntil: () => {} })).catch(() => null)
      await purgeDeleted(testCtx())
      expect([failAt, await leftOf(whole), await purgeAuditRows(whole.id)]).toEqual([
        failAt,
        NOTHING,
        [expect.objectContaining({ actorId: null })],
      ])
      takeErrorLines()
      return failing.calls()
    }
    const calls = await purgeFailingAt(Infinity)
    expect(calls).toBeGreaterThanOrEqual(12)
    const all = Array.from({ length: calls }, (_, before) => before + 1)
    for (const failAt of sweep(all, [Math.ceil(calls / 2), calls])) await purgeFailingAt(failAt)
  },
)

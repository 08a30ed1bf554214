import { expect, test } from 'vitest'
import { takeErrorLines } from '../error-lines.ts'
import { expectOpenAccess } from './open-table.ts'

test(
  'each viewer gets the stated answers from calls that name no memorial',
  { timeout: 120_000 },
  async () => {
    await expectOpenAccess()
    // The local payment option logs a line for each of the two who may call it.
    expect(takeErrorLines().map((line) => line.includes('paynow_unavailable'))).toEqual([true, true])
  },
)

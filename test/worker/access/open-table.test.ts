import { expect, test } from 'vitest'
import { takeErrorLines } from '../error-lines.ts'
import { expectOpenAccess } from './open-table.ts'

test(
  'W3 W10: who may do what with calls that name no memorial, and how they are answered',
  { timeout: 120_000 },
  async () => {
    await expectOpenAccess()
    // Of the local payment option, to the two who may ask.
    expect(takeErrorLines().map((line) => line.includes('paynow_unavailable'))).toEqual([true, true])
  },
)

import { expect, test } from 'vitest'
import { askEverything } from './access-table.ts'
import { takeErrorLines } from './error-lines.ts'
import { expectOpenAccess } from './open-table.ts'
import { findScans, recordEveryCall } from './query-plans.ts'

const { recorded } = recordEveryCall()

test(
  'no call about a memorial goes through a whole table, whoever makes it',
  { timeout: 120_000 },
  async () => {
    await askEverything('INVITE', ['anonymous', 'contributor', 'owner', 'admin'])
    expect(recorded.statements.size).toBeGreaterThan(50)
    expect(await findScans(recorded)).toEqual([])
  },
)

test('no other call goes through a whole table, whoever makes it', { timeout: 120_000 }, async () => {
  await expectOpenAccess()
  expect(takeErrorLines().filter((line) => !line.includes('paynow_unavailable'))).toEqual([])
  expect(await findScans(recorded)).toEqual([])
})

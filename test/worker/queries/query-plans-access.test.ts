import { expect, test } from 'vitest'
import { callEverything } from '../access/access-table.ts'
import { takeErrorLines } from '../error-lines.ts'
import { expectOpenAccess } from '../access/open-table.ts'
import { findScans, recordEveryCall } from './query-plans.ts'

const { recorded } = recordEveryCall()

/** Ignore lines about the unavailable payment option and the map sandbox that closed its connection. */
function expectNoOtherLines(): void {
  const lines = takeErrorLines()
  expect(lines.filter((line) => !/paynow_unavailable|upstream_failed/u.test(line))).toEqual([])
}

test('no call about a memorial scans a whole table, for any viewer', { timeout: 120_000 }, async () => {
  await callEverything('INVITE', ['anonymous', 'contributor', 'owner', 'admin'])
  expectNoOtherLines()
  expect(recorded.statements.size).toBeGreaterThan(50)
  expect(await findScans(recorded)).toEqual([])
})

test('no other call scans a whole table, for any viewer', { timeout: 120_000 }, async () => {
  await expectOpenAccess()
  expectNoOtherLines()
  expect(await findScans(recorded)).toEqual([])
})

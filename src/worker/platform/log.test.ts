import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { memorials } from '#worker/schema/memorials.table.ts'
import { createLog } from '#worker/platform/log.ts'
import { takeErrorLines } from '../../../test/worker/runtime/error-lines.ts'
import { testCtx } from '../../../test/worker/harness.ts'

test('a failed query is logged without its parameters', async () => {
  const failed = await testCtx()
    .db.select()
    .from(memorials)
    .where(sql`no_such_column = ${'token-of-$&-somebody'}`)
    .then(
      () => null,
      (error: unknown) => error,
    )
  createLog('req_1').error('unhandled', failed)
  const [line = ''] = takeErrorLines()
  expect(line).toContain('no_such_column = ?')
  expect(line).toContain('SQLITE_ERROR')
  expect(line).not.toContain('token-of')
})

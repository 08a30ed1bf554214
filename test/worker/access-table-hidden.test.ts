import { test } from 'vitest'
import { expectHidden } from './access-table.ts'

test.each(['REMOVED', 'DELETED'] as const)(
  'nobody but an admin can do anything with a memorial that is %s',
  { timeout: 120_000 },
  expectHidden,
)

import { test } from 'vitest'
import { expectHidden } from './access-table.ts'

test(
  'nobody but an admin can do anything with an INVITE memorial that is REMOVED',
  { timeout: 120_000 },
  () => expectHidden('REMOVED', 'INVITE'),
)

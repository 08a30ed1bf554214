import { test } from 'vitest'
import { expectHidden, expectSuspended } from './access-table.ts'

const HIDDEN = (['DELETED', 'REMOVED'] as const).flatMap((status) =>
  (['PRIVATE', 'INVITE', 'LOCKED'] as const).map((privacy) => [privacy, status] as const),
)

test.each(HIDDEN)(
  'only admins can do anything with a memorial that is %s and %s',
  { tags: ['removed-memorial-hidden'] },
  (privacy, status) => expectHidden(status, privacy),
)

test('an owner whose account is suspended is treated like an anonymous visitor', expectSuspended)

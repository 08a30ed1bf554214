import { expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import { expectAccess, TABLE } from './access-table.ts'

test('every call on a memorial, its media, comments or files has a row in this table', () => {
  const naming = Object.entries(api)
    .filter(([, { path }]) => /^\/(?:api\/(?:memorials?|media|comments)|media\/stream)\/:/u.test(path))
    .map(([name]) => name)
  expect(Object.keys(TABLE).toSorted()).toEqual(naming.toSorted())
})

test.each(['PRIVATE', 'INVITE', 'LOCKED'] as const)(
  'each kind of viewer may do with a memorial that is %s what the table says',
  { tags: ['locked-memorial-closed'] },
  expectAccess,
)

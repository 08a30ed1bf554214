import { expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import { app } from '#worker/api.ts'
import { TABLE } from './access-table.ts'
import { OPEN_TABLE } from './open-table.ts'

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

test('the Worker answers exactly the calls of the contract under /api and /media', () => {
  expect(app.routes.map(nameOf).toSorted()).toEqual(Object.values(api).map(nameOf).toSorted())
})

test('every call has a row in one of the two access tables', () => {
  const rows = [...Object.keys(TABLE), ...Object.keys(OPEN_TABLE)]
  expect(rows.toSorted()).toEqual(Object.keys(api).toSorted())
})

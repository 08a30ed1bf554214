import { expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import { app } from '#worker/api.ts'
import { TABLE } from './access-table.ts'
import { OPEN_TABLE } from './open-table.ts'

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

test('W16: what the Worker answers under /api and /media is the contract, each call once and nothing besides', () => {
  expect(app.routes.map(nameOf).toSorted()).toEqual(Object.values(api).map(nameOf).toSorted())
})

test('every call stands in one of the two tables that say who may do what', () => {
  const rows = [...Object.keys(TABLE), ...Object.keys(OPEN_TABLE)]
  expect(rows.toSorted()).toEqual(Object.keys(api).toSorted())
})

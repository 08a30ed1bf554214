import { expect, test } from 'vitest'
import { ID_PREFIX, type IdKind } from '#shared/ids.ts'
import { cursorAfter, parseCursor } from '#worker/platform/db.ts'
import { newId } from '#worker/platform/random.ts'

const KINDS = Object.keys(ID_PREFIX) as IdKind[]

test('ids don’t say when or where they were made, so several databases can make them', () => {
  const ids = Array.from({ length: 1000 }, () => newId('media'))
  expect(new Set(ids).size).toBe(ids.length)
  // By chance less than once in 10^2567.
  expect(ids).not.toEqual(ids.toSorted())
  // Every place takes every character: none is a counter, a time or the name of a database.
  const places = Array.from(
    { length: 20 },
    (_, at) => new Set(ids.map((id) => id.slice('med_'.length)[at])).size,
  )
  expect(places).toEqual(places.map(() => 32))
})

test('no id begins with 1; it is free for a database’s mark, and cursors accept it', () => {
  for (const kind of KINDS) {
    const made = Array.from({ length: 200 }, () => newId(kind)).filter((id) => id.includes('_1'))
    expect([kind, made]).toEqual([kind, []])
    const marked = { createdAt: 1_700_000_000_000, id: `${ID_PREFIX[kind]}_1c${newId(kind).slice(-18)}` }
    expect(parseCursor(kind, cursorAfter(marked))).toEqual(marked)
  }
})

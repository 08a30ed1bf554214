import { expect, test } from 'vitest'
import { adoptDrafts, clearDraft, readDraft, writeDraft } from './use-draft.ts'

function memoryStorage(): Storage {
  const items = new Map<string, string>()
  return {
    get length() {
      return items.size
    },
    clear: () => items.clear(),
    getItem: (name) => items.get(name) ?? null,
    key: (index) => [...items.keys()][index] ?? null,
    removeItem: (name) => void items.delete(name),
    setItem: (name, value) => void items.set(name, value),
  }
}

const isName = (values: unknown): values is { name: string } =>
  typeof values === 'object' && values !== null && 'name' in values

test('a draft keeps its values and its time until it is cleared', () => {
  const storage = memoryStorage()
  const key = { userId: 'usr_1', memorialId: 'mem_1', step: 1 }
  expect(writeDraft(storage, key, { name: 'Tendai' }, 5)).toBe(true)
  expect(readDraft(storage, key, isName)).toEqual({ values: { name: 'Tendai' }, savedAt: 5 })
  clearDraft(storage, key)
  expect(readDraft(storage, key, isName)).toBeNull()
})

test('accounts, memorials and steps never share a draft', () => {
  const storage = memoryStorage()
  writeDraft(storage, { userId: 'usr_1', memorialId: 'mem_1', step: 1 }, { name: 'Tendai' }, 5)
  const others = [
    { userId: 'usr_2', memorialId: 'mem_1', step: 1 },
    { userId: 'usr_1', memorialId: 'mem_2', step: 1 },
    { userId: 'usr_1', memorialId: null, step: 1 },
    { userId: 'usr_1', memorialId: 'mem_1', step: 2 },
  ]
  expect(others.map((key) => readDraft(storage, key, isName))).toEqual([null, null, null, null])
})

test('a draft of another shape is left alone', () => {
  const storage = memoryStorage()
  const key = { userId: 'usr_1', memorialId: null, step: 1 }
  writeDraft(storage, key, ['old'], 5)
  expect(readDraft(storage, key, isName)).toBeNull()
})

test('writing to full storage returns false and does not throw', () => {
  const storage = memoryStorage()
  storage.setItem = () => {
    throw new DOMException('full', 'QuotaExceededError')
  }
  expect(writeDraft(storage, { userId: 'u', memorialId: null, step: 1 }, {}, 5)).toBe(false)
})

test('drafts written before the memorial existed move to it', () => {
  const storage = memoryStorage()
  writeDraft(storage, { userId: 'usr_1', memorialId: null, step: 4 }, { name: 'Story' }, 7)
  adoptDrafts(storage, 'usr_1', 'mem_1', 6)
  expect(readDraft(storage, { userId: 'usr_1', memorialId: 'mem_1', step: 4 }, isName)).toEqual({
    values: { name: 'Story' },
    savedAt: 7,
  })
  expect(storage.length).toBe(1)
})

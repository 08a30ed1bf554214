import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  forgetUpload,
  forgetUploads,
  isFileKept,
  keepUnwanted,
  keepUpload,
  keptFile,
  listKept,
  sweepFiles,
} from './kept-uploads.ts'

const files = vi.hoisted(() => new Map<string, File>())
vi.mock('idb-keyval', () => ({
  createStore: () => 'store',
  async set(key: string, file: File) {
    files.set(key, file)
  },
  get: async (key: string) => files.get(key),
  async del(key: string) {
    files.delete(key)
  },
  async clear() {
    files.clear()
  },
  keys: async () => [...files.keys()],
}))

const MB = 1024 * 1024
const storage: Record<string, string> = {}
beforeEach(() => {
  for (const key of Object.keys(storage)) delete storage[key]
  files.clear()
  vi.stubGlobal('window', {
    localStorage: new Proxy(storage, {
      get: (texts, name: string) =>
        ({
          getItem: (key: string) => texts[key] ?? null,
          setItem: (key: string, text: string) => void (texts[key] = text),
          removeItem: (key: string) => void delete texts[key],
        })[name],
    }),
  })
})
afterEach(() => vi.unstubAllGlobals())

/** A file that says it has so many bytes, and has few. */
function fileOf(size: number): File {
  const file = new File(['bytes'], 'a.mp4', { type: 'video/mp4' })
  Object.defineProperty(file, 'size', { value: size })
  return file
}
const keep = async (key: string, size: number) =>
  keepUpload({ key, personId: 'usr_1', memorialId: 'mem_1', type: 'VIDEO', isMain: false }, fileOf(size))

test('a file of 25 MB goes on by itself on another visit, one of a byte more is asked for', async () => {
  await keep('small', 25 * MB)
  await keep('large', 25 * MB + 1)
  const found = listKept('usr_1', 'mem_1').map(({ key, hasFile }) => [key, hasFile])
  expect(found).toEqual([
    ['small', true],
    ['large', false],
  ])
  expect([isFileKept('small'), isFileKept('large'), [...files.keys()]]).toEqual([true, false, ['small']])
  const [small, large] = listKept('usr_1', 'mem_1')
  expect([(await keptFile(small!))?.name, await keptFile(large!)]).toEqual(['a.mp4', null])
})

test('this device keeps 100 MB of files at the most, and room is free again when one has arrived', async () => {
  for (const key of ['a', 'b', 'c', 'd', 'e']) await keep(key, 22 * MB)
  expect([...files.keys()]).toEqual(['a', 'b', 'c', 'd'])
  forgetUpload('b')
  await keep('f', 22 * MB)
  expect([...files.keys()]).toEqual(['a', 'c', 'd', 'f'])
})

test('what was stopped is not shown, keeps no file, and waits for the server to be told', async () => {
  await keep('a', MB)
  keepUnwanted('a')
  expect(listKept('usr_1', 'mem_1')).toMatchObject([{ key: 'a', isUnwanted: true, hasFile: false }])
  expect([...files.keys()]).toEqual([])
})

test('a file of which nothing else is kept is removed on the next visit', async () => {
  await keep('a', MB)
  await keep('b', MB)
  delete storage['kept-upload:a']
  await sweepFiles()
  expect([...files.keys()]).toEqual(['b'])
})

test('a browser that keeps no files keeps the rest', async () => {
  files.set = () => {
    throw new DOMException('no room', 'QuotaExceededError')
  }
  await keep('a', MB)
  Reflect.deleteProperty(files, 'set')
  expect(listKept('usr_1', 'mem_1')).toMatchObject([{ key: 'a', hasFile: false, size: MB }])
})

// The last one: afterwards none of these keys is kept again.
test('V4: whoever signs out while a file is being kept leaves none', async () => {
  const keeping = keep('a', MB)
  forgetUploads()
  await keeping
  expect([Object.keys(storage), [...files.keys()]]).toEqual([[], []])
})

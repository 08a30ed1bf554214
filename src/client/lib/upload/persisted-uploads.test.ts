import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  deletePersisted,
  deleteAllPersisted,
  hashEnds,
  isFilePersisted,
  isSameFile,
  markUnwanted,
  persistUpload,
  persistedFile,
  listPersisted,
  deleteOrphanFiles,
} from './persisted-uploads.ts'

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

/** A small file that claims this size. */
function fileOf(size: number): File {
  const file = new File(['bytes'], 'a.mp4', { type: 'video/mp4' })
  Object.defineProperty(file, 'size', { value: size })
  return file
}
const persist = async (key: string, size: number) =>
  persistUpload({ key, personId: 'usr_1', memorialId: 'mem_1', type: 'VIDEO', isMain: false }, fileOf(size))

test('a file of up to 25 MB is stored with its upload, a larger one is not', async () => {
  await persist('small', 25 * MB)
  await persist('large', 25 * MB + 1)
  const found = listPersisted('usr_1', 'mem_1').map(({ key, hasFile }) => [key, hasFile])
  expect(found).toEqual([
    ['small', true],
    ['large', false],
  ])
  expect([isFilePersisted('small'), isFilePersisted('large'), [...files.keys()]]).toEqual([
    true,
    false,
    ['small'],
  ])
  const [small, large] = listPersisted('usr_1', 'mem_1')
  expect([(await persistedFile(small!))?.name, await persistedFile(large!)]).toEqual(['a.mp4', null])
})

test('files of up to 100 MB in all are stored; deleting one frees its space', async () => {
  for (const key of ['a', 'b', 'c', 'd', 'e']) await persist(key, 22 * MB)
  expect([...files.keys()]).toEqual(['a', 'b', 'c', 'd'])
  deletePersisted('b')
  await persist('f', 22 * MB)
  expect([...files.keys()]).toEqual(['a', 'c', 'd', 'f'])
})

test('an unwanted upload drops its file and stays until the server knows', async () => {
  await persist('a', MB)
  markUnwanted('a')
  expect(listPersisted('usr_1', 'mem_1')).toMatchObject([{ key: 'a', isUnwanted: true, hasFile: false }])
  expect([...files.keys()]).toEqual([])
})

test('a stored file without an upload is deleted on the next visit', async () => {
  await persist('a', MB)
  await persist('b', MB)
  delete storage['kept-upload:a']
  await deleteOrphanFiles()
  expect([...files.keys()]).toEqual(['b'])
})

test('an upload is persisted without its file if the browser cannot store it', async () => {
  files.set = () => {
    throw new DOMException('no room', 'QuotaExceededError')
  }
  await persist('a', MB)
  Reflect.deleteProperty(files, 'set')
  expect(listPersisted('usr_1', 'mem_1')).toMatchObject([{ key: 'a', hasFile: false, size: MB }])
})

// Must run last of the tests that persist: afterwards none of these keys is persisted again.
test('signing out while a file is being stored leaves nothing behind', async () => {
  const persisting = persist('a', MB)
  deleteAllPersisted()
  await persisting
  expect([Object.keys(storage), [...files.keys()]]).toEqual([[], []])
})

const bytes = new Uint8Array(300_000).map((_, at) => at % 251)
const file = (name: string, content: Uint8Array<ArrayBuffer>, lastModified = 1000) =>
  new File([content], name, { type: 'video/mp4', lastModified })
const started = {
  name: 'a.mp4',
  size: bytes.length,
  lastModified: 1000,
  mimeType: 'video/mp4',
  ends: await hashEnds(new Blob([bytes])),
}

test('same name and bytes are the same file, whatever its modification time', async () => {
  expect(await isSameFile(started, file('a.mp4', bytes))).toBe(true)
  expect(await isSameFile(started, file('a.mp4', bytes, 2000))).toBe(true)
})

test('another name, size, beginning or end is another file', async () => {
  const [other, end] = [bytes.slice(), bytes.slice()]
  other[10] = 1
  end[bytes.length - 1] = 0
  const others = [
    file('b.mp4', bytes),
    file('a.mp4', bytes.slice(1)),
    file('a.mp4', other),
    file('a.mp4', end),
  ]
  expect(await Promise.all(others.map((one) => isSameFile(started, one)))).toEqual([
    false,
    false,
    false,
    false,
  ])
})

test('without known bytes the modification time must be the same', async () => {
  const unknown = { ...started, ends: '' }
  expect(await isSameFile(unknown, file('a.mp4', bytes))).toBe(true)
  expect(await isSameFile(unknown, file('a.mp4', bytes, 2000))).toBe(false)
})

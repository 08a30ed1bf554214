import { expect, test } from 'vitest'
import { endsOf, isSameFile } from './file-identity.ts'

const bytes = new Uint8Array(300_000).map((_, at) => at % 251)
const file = (name: string, content: Uint8Array<ArrayBuffer>, lastModified = 1000) =>
  new File([content], name, { type: 'video/mp4', lastModified })
const begun = {
  name: 'a.mp4',
  size: bytes.length,
  lastModified: 1000,
  mimeType: 'video/mp4',
  ends: await endsOf(new Blob([bytes])),
}

test('the same bytes under the same name are the same file, whatever time the phone gives', async () => {
  expect(await isSameFile(begun, file('a.mp4', bytes))).toBe(true)
  expect(await isSameFile(begun, file('a.mp4', bytes, 2000))).toBe(true)
})

test('another name, size, beginning or end is another file', async () => {
  const [other, end] = [bytes.slice(), bytes.slice()]
  other[10] = 1
  end[bytes.length - 1] = 0
  const files = [
    file('b.mp4', bytes),
    file('a.mp4', bytes.slice(1)),
    file('a.mp4', other),
    file('a.mp4', end),
  ]
  expect(await Promise.all(files.map((one) => isSameFile(begun, one)))).toEqual([false, false, false, false])
})

test('where only the time is known, it must be the same', async () => {
  const unknown = { ...begun, ends: '' }
  expect(await isSameFile(unknown, file('a.mp4', bytes))).toBe(true)
  expect(await isSameFile(unknown, file('a.mp4', bytes, 2000))).toBe(false)
})

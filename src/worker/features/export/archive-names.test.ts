import { expect, test } from 'vitest'
import { archiveAddress, archiveName } from '#worker/features/export/archive.ts'

const photo = (title: string, number = 1) =>
  archiveName({ folder: 'photos', number, title, extension: 'jpg' })

test.each([
  ['At the table', 'photos/001 At the table.jpg'],
  ['Sekuru naMbuya – Gweru, 1974', 'photos/001 Sekuru naMbuya – Gweru, 1974.jpg'],
  ['', 'photos/001.jpg'],
  ['...', 'photos/001.jpg'],
  ['../../etc/passwd', 'photos/001 -..-etc-passwd.jpg'],
  ['C:\\Users\\x', 'photos/001 C-Users-x.jpg'],
  ['CON', 'photos/001 CON.jpg'],
  ['What? "Home" <b>|*', 'photos/001 What Home b.jpg'],
  ['line\nbreak\u0000', 'photos/001 linebreak.jpg'],
  ['gpj.exe\u202e', 'photos/001 gpj.exe.jpg'],
  ['ends with dots . . ', 'photos/001 ends with dots.jpg'],
  ['👨‍👩‍👧', 'photos/001 👨👩👧.jpg'],
  ['x'.repeat(400), `photos/001 ${'x'.repeat(50)}.jpg`],
  ['\ud800', 'photos/001 \ufffd.jpg'],
])('%j gives a file name that every system can unpack', (title, name) => {
  expect(photo(title)).toBe(name)
})

test('a file name fits into 255 bytes and its number keeps it unique', () => {
  const long = photo('👩'.repeat(400), 1000).split('/')[1] ?? ''
  expect(new TextEncoder().encode(long).byteLength).toBeLessThanOrEqual(255)
  expect(photo('same', 7)).not.toBe(photo('same', 8))
})

test('the encoded address leads to the file with that name', () => {
  const name = photo('100% #1 ? & "x" it’s')
  const address = new URL(archiveAddress(name), 'file:///home/family/index.html')
  expect([address.hash, address.search]).toEqual(['', ''])
  expect(decodeURIComponent(address.pathname)).toBe(`/home/family/${name}`)
})

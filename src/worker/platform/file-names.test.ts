import { expect, test } from 'vitest'
import { cleanFileName, contentDisposition } from './file-names.ts'

test.for([
  ['IMG_2041.jpg', 'IMG_2041.jpg'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\Rudo\\a.jpg', 'a.jpg'],
  ['a"\r\nSet-Cookie: x.jpg', 'aSet-Cookie x.jpg'],
  ['photo\u202egpj.exe', 'photogpj.exe'],
  ['  Gogo  N’anga 🌿.jpg ', 'Gogo N’anga 🌿.jpg'],
  ['...', 'photo.jpg'],
  ['', 'photo.jpg'],
  [`${'a'.repeat(300)}.jpeg`, `${'a'.repeat(115)}.jpeg`],
] as const)('cleanFileName turns %j into %j', ([name, clean]) => {
  expect(cleanFileName(name, 'photo.jpg')).toBe(clean)
})

test('Content-Disposition contains the file name in ASCII and in UTF-8', () => {
  expect(contentDisposition('inline', "Gogo's (N’anga).jpg")).toBe(
    `inline; filename="Gogo's (N_anga).jpg"; filename*=UTF-8''Gogo%27s%20%28N%E2%80%99anga%29.jpg`,
  )
})

import { expect, test } from 'vitest'
import { hasAnimation, withExtensionOf, targetSize } from './shrink-photo.ts'

test('a photo is resized to 2048 pixels in its ratio unless already small', () => {
  expect([
    targetSize(4032, 3024, 4_100_000),
    targetSize(3024, 4032, 4_100_000),
    targetSize(12_000, 3, 900_000),
    targetSize(2048, 1536, 700_001),
    targetSize(2048, 1536, 700_000),
    targetSize(2049, 10, 1000),
  ]).toEqual([
    { width: 2048, height: 1536 },
    { width: 1536, height: 2048 },
    { width: 2048, height: 1 },
    { width: 2048, height: 1536 },
    null,
    { width: 2048, height: 10 },
  ])
})

test('an animated image is recognised by its header', () => {
  const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
  const webp = (flags: number) => bytes(`RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0${String.fromCharCode(flags)}\0\0\0`)
  const png = (chunk: string) => bytes(`\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01${chunk}`)
  expect([webp(0x02), webp(0x12), png('\0\0\0\x08acTL'), webp(0x10), png('IDAT')].map(hasAnimation)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
})

test('a smaller copy gets the extension of its type', () => {
  expect([
    withExtensionOf('IMG_2041.JPG', 'image/webp'),
    withExtensionOf('my.photo.png', 'image/jpeg'),
    withExtensionOf('photo', 'image/webp'),
    withExtensionOf('.hidden', 'image/webp'),
  ]).toEqual(['IMG_2041.webp', 'my.photo.jpg', 'photo.webp', '.hidden.webp'])
})

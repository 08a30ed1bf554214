import { readFileSync } from 'node:fs'
import { imageSize } from 'image-size'
import { expect, test } from 'vitest'
import { MANIFEST_ICONS, webManifest } from '../tools/build/lib/web-manifest.ts'
import { isAppPath } from '../src/shared/pages.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url))
const manifest = webManifest((file) => `/assets/${file}`)

test('the manifest has what phones need to install the app on the home screen', () => {
  expect(manifest).toMatchObject({
    name: 'Keeping Legacies Alive',
    display: 'standalone',
    start_url: '/',
    scope: '/',
  })
  expect(isAppPath(manifest.start_url)).toBe(true)
  expect(manifest.short_name.length).toBeLessThanOrEqual(12)
  const listed = manifest.icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)
  expect(listed).toEqual(expect.arrayContaining(['192x192 any', '512x512 any', '512x512 maskable']))
})

test('each icon has the size that the manifest says', () => {
  const icons = MANIFEST_ICONS.filter(({ sizes }) => sizes !== 'any')
  const declared = icons.map(({ file, sizes }) => `${file}: ${sizes}`)
  const actual = icons.map(({ file }) => {
    const { width, height } = imageSize(read(`src/client/assets/icons/${file}`))
    return `${file}: ${width}x${height}`
  })
  expect(actual).toEqual(declared)
})

test('the app opens in the background colour of its pages', () => {
  const head = read('src/client/document-head.html').toString()
  expect(head).toContain('<link rel="manifest" href="/manifest.webmanifest"')
  expect(head).toContain(`content="${manifest.theme_color}" media="(prefers-color-scheme: light)"`)
  expect(manifest.background_color).toBe(manifest.theme_color)
})

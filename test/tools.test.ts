import { expect, test } from 'vitest'
import { readFileSync } from 'node:fs'
import { imageSize } from 'image-size'
import { bytesAdded, chunkNamed, type Chunks, importsOf, loadedWith } from '../tools/build/lib/chunks.ts'
import { importProblems } from '../tools/build/imports.ts'
import { findMarkedGuards } from '../tools/build/lib/marked-guards.ts'
import { cardFontSource } from '../tools/build/card-font.ts'
import { MANIFEST_ICONS, webManifest } from '../tools/build/lib/published-files.ts'
import { isAppPath } from '../src/shared/pages/pages.ts'
import { median, medianRatio, quantile, rounded, spreadPercent } from '../tools/measure/results.ts'

const CHUNKS: Chunks = new Map([
  ['index-aaaaaaaa.js', { bytes: 100, imports: ['react-bbbbbbbb.js'] }],
  ['react-bbbbbbbb.js', { bytes: 50, imports: [] }],
  ['wizard-cccccccc.js', { bytes: 20, imports: ['react-bbbbbbbb.js', 'field-dddddddd.js'] }],
  ['wizard-steps-eeeeeeee.js', { bytes: 1, imports: [] }],
  // Chunks may import each other.
  ['field-dddddddd.js', { bytes: 5, imports: ['wizard-cccccccc.js'] }],
])

test('static imports of a chunk are found in every syntax, dynamic ones are not', () => {
  expect(
    importsOf(
      'import{a as b}from"./one-aaaaaaaa.js";import\'./two-bbbbbbbb.js\';import e from`./three-cccccccc.js`;' +
        'export{x}from"./four-dddddddd.js";const p=()=>import(`./later-eeeeeeee.js`),q=import("./later-ffffffff.js")',
    ),
  ).toEqual(['one-aaaaaaaa.js', 'two-bbbbbbbb.js', 'three-cccccccc.js', 'four-dddddddd.js'])
})

test('the cost of a chunk counts each file the browser lacks once', () => {
  const entry = loadedWith(CHUNKS, 'index-aaaaaaaa.js')
  expect([...entry].toSorted()).toEqual(['index-aaaaaaaa.js', 'react-bbbbbbbb.js'])
  expect(bytesAdded(CHUNKS, 'wizard-cccccccc.js', entry)).toBe(25)
  expect(bytesAdded(CHUNKS, 'field-dddddddd.js', loadedWith(CHUNKS, 'wizard-cccccccc.js'))).toBe(0)
})

test('a chunk is found by name, and an unknown name throws instead of weighing 0', () => {
  expect(chunkNamed(CHUNKS, 'wizard')).toBe('wizard-cccccccc.js')
  expect(() => chunkNamed(CHUNKS, 'lightbox')).toThrow('0 chunks are called lightbox')
})

const problemsIn = (files: Record<string, string>) =>
  importProblems(Object.keys(files), (path) => files[path] ?? '')

test('a folder may import from the layers below it', () => {
  expect(
    problemsIn({
      'src/worker/api.ts': "import { postComment } from '#worker/features/comments/comments.ts'",
      'src/worker/features/comments/comments.ts': "import { comments } from '../../schema/comments.table.ts'",
      'src/worker/schema/comments.table.ts': "import { text } from 'drizzle-orm/sqlite-core'",
    }),
  ).toEqual([])
})

test('an import from a higher layer is a problem, type imports included', () => {
  expect(
    problemsIn({ 'src/worker/platform/db.ts': "import type { Guard } from '#worker/access/guards.ts'" }),
  ).toEqual(['src/worker/platform/db.ts imports src/worker/access/guards.ts, which is in a higher layer'])
})

test('two features that import each other are a problem', () => {
  expect(
    problemsIn({
      'src/worker/features/media/media.ts': "import { a } from '#worker/features/quota/quota.ts'",
      'src/worker/features/quota/quota.ts': "import { b } from '#worker/features/media/media.ts'",
    }),
  ).toEqual(['these folders import each other in a circle: media, quota'])
})

const without = (source: string) => findMarkedGuards('a.ts', source).map((guard) => guard.without)

test.each([
  ['a statement', '// prove: x\nif (bad) throw e\ndone()', '// prove: x\n\ndone()'],
  ['an argument', 'and(\n  // prove: x\n  eq(a, b),\n  c)', 'and(\n  // prove: x\n  \n  c)'],
  ['an object property', 'f({ /* prove: x */ httpOnly: true, path })', 'f({ /* prove: x */  path })'],
  ['the left side of &&', 'go(/* prove: x */ a === b && c)', 'go(/* prove: x */ true && c)'],
  ['the left side of ||', 'go(/* prove: x */ a || c)', 'go(/* prove: x */ false || c)'],
  ['the right side of ||', 'go(a || /* prove: x */ b.c)', 'go(a || /* prove: x */ false)'],
  ['the condition of an if', 'if (/* prove: x */ bad) stop()', 'if (/* prove: x */ false) stop()'],
])('prove takes out %s', (_, source, expected) => {
  expect(without(source)).toEqual([expected])
})

test('a marker before something that prove cannot take out is an error', () => {
  expect(() => without('const a = /* prove: x */ b')).toThrow('nothing that prove can remove')
})

test('card layout uses the glyphs and widths of the font that renders the cards', () => {
  const committed = readFileSync(
    new URL('../src/worker/features/previews/card-font.ts', import.meta.url),
    'utf8',
  )
  expect(committed).toBe(cardFontSource())
})

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

test('the median is the middle value in any order, and an outlier does not move it', () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(median([1000, 1, 2, 3, 2])).toBe(2)
  expect(median([1, 2])).toBe(2)
  expect(median([])).toBe(0)
})

test('a quantile is the value below which that share lies; the last one for 1', () => {
  const hundred = Array.from({ length: 100 }, (_, at) => 99 - at)
  expect(quantile(hundred, 0.5)).toBe(50)
  expect(quantile(hundred, 0.99)).toBe(99)
  expect(quantile(hundred, 1)).toBe(99)
  expect(quantile([7], 0.99)).toBe(7)
})

test('the spread is half the range, in percent of the median', () => {
  expect(spreadPercent([90, 100, 110])).toBe(10)
  expect(spreadPercent([100])).toBe(0)
  expect(spreadPercent([])).toBe(0)
})

test('a ratio compares values of the same round, so slow moments cancel out', () => {
  expect(medianRatio([50, 5, 50], [100, 10, 100])).toBe(0.5)
  expect(medianRatio([50, 40, 60], [100, 100, 100])).toBe(0.5)
  expect(medianRatio([1, 2], [0, 4])).toBe(0.5)
  expect(medianRatio([], [])).toBe(0)
})

test('numbers are shown with two decimals', () => {
  expect(rounded(0.126)).toBe(0.13)
})

import { expect, test } from 'vitest'
import { bytesAdded, chunkNamed, importsOf, loadedWith, type Chunks } from '../tools/build/lib/chunks.ts'

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

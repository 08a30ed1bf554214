import { readFileSync } from 'node:fs'
import { bytesAdded, chunkNamed, loadedWith, readChunks, type Chunks } from '../scripts/lib/chunks.ts'
import { expect, test } from './world.ts'

const KB = 1000

/** What every screen of the app has loaded. */
function entryOf(chunks: Chunks): Set<string> {
  const html = readFileSync('dist/client/index.html', 'utf8')
  const script = /src="\/assets\/([\w.-]+\.js)"/u.exec(html)?.[1]
  if (script === undefined) throw new Error('The page of the app names no script')
  return loadedWith(chunks, script)
}

for (const { name, chunk, on, kB } of [
  { name: 'the wizard', chunk: 'wizard', on: [], kB: 45 },
  { name: 'the editor of a story', chunk: 'story-editor', on: ['wizard'], kB: 70 },
  { name: 'the console of an admin', chunk: 'admin', on: [], kB: 25 },
  { name: 'what sends a file in pieces', chunk: 'resumable-upload', on: ['wizard'], kB: 8 },
]) {
  test(`${name} weighs at most ${kB} kB more than what is there already`, () => {
    const chunks = readChunks('dist/client/assets')
    const there = entryOf(chunks)
    for (const before of on)
      for (const file of loadedWith(chunks, chunkNamed(chunks, before))) there.add(file)
    const bytes = bytesAdded(chunks, chunkNamed(chunks, chunk), there)
    expect(bytes, 'a chunk without a weight is not the one that was meant').toBeGreaterThan(500)
    expect(bytes).toBeLessThanOrEqual(kB * KB)
  })
}

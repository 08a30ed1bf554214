import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'

/** The level that Cloudflare's edge uses. */
const GZIP_LEVEL = 6
/** `import{a}from"./b.js"`, `import"./b.js"`, `export{a}from"./b.js"`, with any quotes. */
const IMPORTED = /(?:\bfrom|\bimport|\})\s*["'`]\.\/([\w.-]+\.js)["'`]/gu

/** The chunks of a build: compressed size of each, and the chunks that it imports statically. */
export type Chunks = Map<string, { bytes: number; imports: string[] }>

/** Size of a text on the wire, in bytes. */
export function gzipBytes(text: string | Uint8Array): number {
  return gzipSync(text, { level: GZIP_LEVEL }).length
}

/** Reads all chunks in a folder. */
export function readChunks(folder: string): Chunks {
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'))
  return new Map(
    names.map((name) => {
      const source = readFileSync(resolve(folder, name), 'utf8')
      return [name, { bytes: gzipBytes(source), imports: importsOf(source) }]
    }),
  )
}

/** The chunks that a source imports statically, without those of `import()`. */
export function importsOf(source: string): string[] {
  return [...source.matchAll(IMPORTED)].flatMap((match) => match[1] ?? [])
}

/** The chunk of this name, with any hash. Throws an Error unless there is exactly one. */
export function chunkNamed(chunks: Chunks, name: string): string {
  const found = [...chunks.keys()].filter(
    (file) => file.startsWith(`${name}-`) && file.length === name.length + 12,
  )
  const [file] = found
  if (file === undefined || found.length > 1) throw new Error(`${found.length} chunks are called ${name}`)
  return file
}

/** Every chunk that the browser loads with these, including them. */
export function loadedWith(chunks: Chunks, ...first: string[]): Set<string> {
  const loaded = new Set<string>()
  const pending = [...first]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (loaded.has(name)) continue
    loaded.add(name)
    pending.push(...(chunks.get(name)?.imports ?? []))
  }
  return loaded
}

/** Bytes on the wire that `chunk` costs a browser that already has `before`. */
export function bytesAdded(chunks: Chunks, chunk: string, before: ReadonlySet<string>): number {
  const added = [...loadedWith(chunks, chunk)].filter((name) => !before.has(name))
  return added.reduce((sum, name) => sum + (chunks.get(name)?.bytes ?? 0), 0)
}

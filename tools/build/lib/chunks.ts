import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'

/** As an edge does while it answers. */
const GZIP_LEVEL = 6
/** `import{a}from"./b.js"`, `import"./b.js"`, `export{a}from"./b.js"`, in whatever quotes. */
const IMPORTED = /(?:\bfrom|\bimport|\})\s*["'`]\.\/([\w.-]+\.js)["'`]/gu

/** The chunks of a build: what each weighs, and which others the browser loads with it. */
export type Chunks = Map<string, { bytes: number; imports: string[] }>

/** Bytes of a text on the wire. */
export function gzipBytes(text: string | Uint8Array): number {
  return gzipSync(text, { level: GZIP_LEVEL }).length
}

/** Reads the chunks of a folder. */
export function readChunks(folder: string): Chunks {
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'))
  return new Map(
    names.map((name) => {
      const source = readFileSync(resolve(folder, name), 'utf8')
      return [name, { bytes: gzipBytes(source), imports: importsOf(source) }]
    }),
  )
}

/** Chunks that this one cannot do without. What is loaded by `import()` is not among them. */
export function importsOf(source: string): string[] {
  return [...source.matchAll(IMPORTED)].flatMap((match) => match[1] ?? [])
}

/** The chunk of this name, whatever its hash. Throws where there is none, or more than one. */
export function chunkNamed(chunks: Chunks, name: string): string {
  const found = [...chunks.keys()].filter(
    (file) => file.startsWith(`${name}-`) && file.length === name.length + 12,
  )
  const [file] = found
  if (file === undefined || found.length > 1) throw new Error(`${found.length} chunks are called ${name}`)
  return file
}

/** Every chunk that the browser has once it has these. */
export function loadedWith(chunks: Chunks, ...first: string[]): Set<string> {
  const loaded = new Set<string>()
  const waiting = [...first]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (loaded.has(name)) continue
    loaded.add(name)
    waiting.push(...(chunks.get(name)?.imports ?? []))
  }
  return loaded
}

/** Bytes on the wire that `chunk` costs a browser which has `before` already. */
export function bytesAdded(chunks: Chunks, chunk: string, before: ReadonlySet<string>): number {
  const added = [...loadedWith(chunks, chunk)].filter((name) => !before.has(name))
  return added.reduce((sum, name) => sum + (chunks.get(name)?.bytes ?? 0), 0)
}

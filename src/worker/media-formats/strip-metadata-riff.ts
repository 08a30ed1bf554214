import { Buffer } from 'node:buffer'

type Level = 'file' | 'headers' | 'stream'
/** Chunks that video and audio need, by level; every other becomes `JUNK` of zeros. */
const KEPT: Record<Level, ReadonlySet<string>> = {
  file: new Set(['fmt ', 'fact', 'data', 'idx1', 'LIST movi', 'RIFF AVIX']),
  headers: new Set(['avih', 'LIST odml']),
  stream: new Set(['strh', 'strf', 'indx', 'vprp']),
}
const OPENED: Record<string, Level | undefined> = { 'LIST hdrl': 'headers', 'LIST strl': 'stream' }
const LEVELS: Level[] = ['file', 'headers', 'stream']

/**
 * The same bytes of a WAV or AVI with every chunk that is neither video nor audio made `JUNK` of zeros, in place:
 * cameras write serial number, time and location there, recorders the name of the speaker.
 */
export async function* stripRiffMetadata(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const open: { level: Level; end: number }[] = [{ level: 'file', end: Infinity }]
  let held = Buffer.alloc(0)
  let start = 0
  let next = 12
  let isBlank = false
  for await (const chunk of bytes) {
    held = Buffer.concat([held, chunk])
    let at = 0
    while (at < held.byteLength) {
      const run = Math.min(next - start - at, held.byteLength - at)
      if (run > 0) {
        if (isBlank) held.fill(0, at, at + run)
        at += run
        continue
      }
      if (held.byteLength - at < 12) break
      while (start + at >= (open.at(-1)?.end ?? Infinity)) open.pop()
      const id = held.toString('latin1', at, at + 4)
      const length = held.readUInt32LE(at + 4)
      const isList = id === 'LIST' || id === 'RIFF'
      const name = isList ? `${id} ${held.toString('latin1', at + 8, at + 12)}` : id
      const level = open.at(-1)?.level ?? 'file'
      const inner = OPENED[name]
      const end = Math.min(start + at + 8 + length + (length % 2), open.at(-1)?.end ?? Infinity)
      isBlank = false
      if (inner && LEVELS.indexOf(inner) === LEVELS.indexOf(level) + 1) {
        open.push({ level: inner, end })
        next = start + at + 12
      } else {
        isBlank = !KEPT[level].has(name)
        if (isBlank) held.write('JUNK', at, 'latin1')
        // A recorder that was switched off in the middle has left no length: all that follows is sound or pictures.
        const isUnended = length === 0 && /^(?:data|LIST movi)$/u.test(name)
        next = isUnended ? Infinity : Math.max(end, start + at + 8)
        at += 8
      }
    }
    if (at > 0) yield held.subarray(0, at)
    start += at
    held = held.subarray(at)
  }
  yield held
}

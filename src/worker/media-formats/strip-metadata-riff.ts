import { Buffer } from 'node:buffer'

type Level = 'file' | 'headers' | 'stream'
/** Chunks that players need, by level; every other chunk is blanked. */
const REQUIRED: Record<Level, ReadonlySet<string>> = {
  file: new Set(['fmt ', 'fact', 'data', 'idx1', 'LIST movi', 'RIFF AVIX']),
  headers: new Set(['avih', 'LIST odml']),
  stream: new Set(['strh', 'strf', 'indx', 'vprp']),
}
const OPENED: Record<string, Level | undefined> = { 'LIST hdrl': 'headers', 'LIST strl': 'stream' }
const LEVELS: Level[] = ['file', 'headers', 'stream']

/**
 * Turns every chunk of a WAV or AVI that is neither video nor audio into `JUNK` with zeros, in place: cameras write serial
 * number, time and location there, recorders the name of the speaker.
 */
export async function* stripRiffMetadata(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const open: { level: Level; end: number }[] = [{ level: 'file', end: Infinity }]
  let buffer = Buffer.alloc(0)
  let start = 0
  let next = 12
  let isBlank = false
  for await (const chunk of bytes) {
    buffer = Buffer.concat([buffer, chunk])
    let at = 0
    while (at < buffer.byteLength) {
      const run = Math.min(next - start - at, buffer.byteLength - at)
      if (run > 0) {
        if (isBlank) buffer.fill(0, at, at + run)
        at += run
        continue
      }
      if (buffer.byteLength - at < 12) break
      while (start + at >= (open.at(-1)?.end ?? Infinity)) open.pop()
      const id = buffer.toString('latin1', at, at + 4)
      const length = buffer.readUInt32LE(at + 4)
      const isList = id === 'LIST' || id === 'RIFF'
      const name = isList ? `${id} ${buffer.toString('latin1', at + 8, at + 12)}` : id
      const level = open.at(-1)?.level ?? 'file'
      const inner = OPENED[name]
      const end = Math.min(start + at + 8 + length + (length % 2), open.at(-1)?.end ?? Infinity)
      isBlank = false
      if (inner && LEVELS.indexOf(inner) === LEVELS.indexOf(level) + 1) {
        open.push({ level: inner, end })
        next = start + at + 12
      } else {
        isBlank = !REQUIRED[level].has(name)
        if (isBlank) buffer.write('JUNK', at, 'latin1')
        // A recording that was interrupted has length 0: everything that follows is audio or video.
        const isOpenEnded = length === 0 && /^(?:data|LIST movi)$/u.test(name)
        next = isOpenEnded ? Infinity : Math.max(end, start + at + 8)
        at += 8
      }
    }
    if (at > 0) yield buffer.subarray(0, at)
    start += at
    buffer = buffer.subarray(at)
  }
  yield buffer
}

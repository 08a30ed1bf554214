import { Buffer } from 'node:buffer'
import { bodyOf, box, boxesOf, freed, wordsOf } from './boxes.ts'
import { timedTrack, traksOf, type Film } from './films.ts'
import type { TimedData } from './timed-data.ts'

/** The same film in fragments of a second each, with an index at each end. Added data is in the fragments, too. */
export function fragmentedFilm(base: Uint8Array, added: readonly TimedData[]): Film {
  const source = Buffer.from(base.buffer, base.byteOffset, base.byteLength)
  return { bytes: fragments(source, added, false), clean: fragments(source, added, true) }
}

type Sample = { bytes: Buffer; duration: number; flags: number; shift: number; atSec: number }

function fragments(source: Buffer, added: readonly TimedData[], isClean: boolean): Buffer {
  const secret = (one: Buffer) => (isClean ? freed(one) : one)
  const tracks = [
    ...traksOf(source).map(({ body }) => ({ isAdded: false, samples: samplesOf(source, body) })),
    ...added.map(({ samples }) => ({
      isAdded: true,
      samples: samples.map((bytes, index): Sample => {
        const duration = 2000 / samples.length
        return { bytes, duration, flags: 0, shift: 0, atSec: (index * duration) / 1000 }
      }),
    })),
  ]
  const emptied = (whole: Buffer) => {
    const stsd = box('stsd', bodyOf(whole, 'trak', 'mdia', 'minf', 'stbl', 'stsd'))
    return rewritten(whole, 'stbl', [
      stsd,
      ...['stts', 'stsc', 'stco'].map((type) => box(type, 0, 0)),
      box('stsz', 0, 0, 0),
    ])
  }
  const moov = box(
    'moov',
    box('mvhd', bodyOf(source, 'moov', 'mvhd')),
    ...traksOf(source).map(({ whole }) => emptied(whole)),
    ...added.map((track, index) => secret(emptied(timedTrack(track, index + 3, [])))),
    box('mvex', ...tracks.map((_, index) => box('trex', 0, index + 1, 1, 0, 0, 0))),
  )
  const moofs = [0, 1].map((second) => {
    const inSecond = tracks.map(({ samples }) =>
      samples.filter(({ atSec }) => Math.min(1, Math.floor(atSec)) === second),
    )
    const moof = (dataAt: number) => {
      let at = dataAt
      return box(
        'moof',
        box('mfhd', 0, second + 1),
        ...inSecond.map((samples, index) => {
          const before = tracks[index]?.samples.filter(({ atSec }) => atSec < second) ?? []
          const time = before.reduce((sum, { duration }) => sum + duration, 0)
          const entries = samples.flatMap((one) => [one.duration, one.bytes.byteLength, one.flags, one.shift])
          const run = box('trun', 0xf01, samples.length, at, ...entries)
          at += samples.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)
          const traf = box('traf', box('tfhd', 0x2_0000, index + 1), box('tfdt', 0, time), run)
          return tracks[index]?.isAdded ? secret(traf) : traf
        }),
      )
    }
    const media = inSecond.flatMap((samples, index) =>
      samples.map(({ bytes }) =>
        isClean && tracks[index]?.isAdded ? Buffer.alloc(bytes.byteLength) : bytes,
      ),
    )
    return Buffer.concat([moof(moof(0).byteLength + 8), box('mdat', ...media)])
  })
  const head = Buffer.concat([box('ftyp', 'iso5', 512, 'iso5iso6mp41'), moov])
  const sizes = moofs.map(({ byteLength }) => byteLength)
  const sidx = box('sidx', 0, 1, 1, 0, 0, 2, ...sizes.flatMap((size) => [size, 1, 0x9000_0000]))
  const tfra = box('tfra', 0, 1, 0, 1, 0, head.byteLength + sidx.byteLength, '\x01\x01\x01')
  const mfra = box('mfra', tfra, box('mfro', 0, tfra.byteLength + 24))
  return Buffer.concat([head, sidx, ...moofs, mfra])
}

/** A box with the content of the first box of this type within it replaced. */
function rewritten(whole: Buffer, type: string, content: Buffer[]): Buffer {
  const name = whole.toString('latin1', 4, 8)
  if (name === type) return box(type, ...content)
  if (!['trak', 'mdia', 'minf'].includes(name)) return whole
  return box(name, ...boxesOf(whole.subarray(8)).map((one) => rewritten(one.whole, type, content)))
}

/** The samples of a track of the fixture, in the order in which they are stored. */
function samplesOf(source: Buffer, track: Buffer): Sample[] {
  const table = (type: string, skip = 8) => wordsOf(bodyOf(track, 'mdia', 'minf', 'stbl', type), skip)
  const has = (type: string) => bodyOf(track, 'mdia', 'minf', 'stbl').includes(type)
  const expand = (words: number[]) =>
    words.flatMap((count, index) => (index % 2 ? [] : Array<number>(count).fill(words[index + 1] ?? 0)))
  const durations = expand(table('stts'))
  const shifts = has('ctts') ? expand(table('ctts')) : []
  const isSync = has('stss') ? new Set(table('stss')) : null
  const timescale = bodyOf(track, 'mdia', 'mdhd').readUInt32BE(12)
  const sizes = table('stsz', 12)
  const runs = table('stsc')
  let sample = 0
  let time = 0
  return table('stco').flatMap((offset, chunk) => {
    const run = runs.findLastIndex((first, index) => index % 3 === 0 && first <= chunk + 1)
    let at = offset
    return Array.from({ length: runs[run + 1] ?? 0 }, (): Sample => {
      const bytes = source.subarray(at, (at += sizes[sample] ?? 0))
      const duration = durations[sample] ?? 0
      const atSec = time / timescale
      time += duration
      const shift = shifts[sample] ?? 0
      sample++
      return { bytes, duration, flags: isSync && !isSync.has(sample) ? 0x1_0000 : 0x200_0000, shift, atSec }
    })
  })
}

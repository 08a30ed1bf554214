import { Buffer } from 'node:buffer'
import { bodyOf, box, boxesOf, bytesOf, freed, wordsOf } from './boxes.ts'
import type { TimedData } from './timed-data.ts'

type Options = {
  /** As a phone writes it, while it does not know how long the film becomes. */
  movieLast?: boolean
  /** Boxes at the top of the file that must not be served. */
  topBoxes?: Buffer[]
  /** Boxes of the movie's `udta` that must not be served. */
  userData?: Buffer[]
  /** Writes offsets of 64 bits for the added tracks. */
  longOffsets?: boolean
}

/** A film, and what must be served of it: the same without what was added. */
export type Film = { bytes: Buffer; clean: Buffer }

/**
 * A film with tracks of timed data between its video and audio, made from a fixture of which both kinds of chunk follow each other
 * without gaps. Location and device of the fixture itself are left out.
 */
export function filmWith(base: Uint8Array, added: readonly TimedData[], options: Options = {}): Film {
  const source = Buffer.from(base.buffer, base.byteOffset, base.byteLength)
  const make = (isClean: boolean, at: number): { film: Buffer; mediaAt: number } => {
    const secret = (one: Buffer) => (isClean ? freed(one) : one)
    const { media, offsets, places } = interleaved(source, added, isClean)
    const ftyp = boxesOf(source)[0]?.whole ?? Buffer.alloc(0)
    const moov = box(
      'moov',
      ...boxesOf(bodyOf(source, 'moov')).flatMap(({ type, whole }) =>
        type === 'mvhd' ? [whole] : type === 'trak' ? [moved(whole, offsets, at)] : [],
      ),
      ...added.map((track, index) =>
        secret(
          timedTrack(
            track,
            index + 3,
            (places[index] ?? []).map((place) => place + at),
            options,
          ),
        ),
      ),
      ...(options.userData ? [box('udta', ...options.userData.map(secret))] : []),
    )
    const before = options.movieLast ? [ftyp, box('wide')] : [ftyp, moov]
    const top = (options.topBoxes ?? []).map(secret)
    const film = Buffer.concat([...before, box('mdat', media), ...(options.movieLast ? [moov] : []), ...top])
    return { film, mediaAt: Buffer.concat(before).byteLength + 8 }
  }
  const { mediaAt } = make(false, 0)
  return { bytes: make(false, mediaAt).film, clean: make(true, mediaAt).film }
}

/** Offsets of chunks in the fixture, by track. */
function chunkOffsets(trak: Buffer): number[] {
  return wordsOf(bodyOf(trak, 'mdia', 'minf', 'stbl', 'stco'), 8)
}

/** The tracks of a film. */
export const traksOf = (source: Buffer) =>
  boxesOf(bodyOf(source, 'moov')).filter(({ type }) => type === 'trak')

/** The media data with one sample of each added track after every other chunk; `offsets`: old place to new one. */
function interleaved(source: Buffer, added: readonly TimedData[], isClean: boolean) {
  const chunks = traksOf(source)
    .flatMap(({ body }) => chunkOffsets(body))
    .sort((a, b) => a - b)
  const queues = added.map(({ samples }) => [...samples])
  const places: number[][] = added.map(() => [])
  const offsets = new Map<number, number>()
  const parts: Buffer[] = []
  let size = 0
  const add = (part: Buffer) => {
    parts.push(part)
    size += part.byteLength
  }
  for (const [index, start] of chunks.entries()) {
    offsets.set(start, size)
    add(source.subarray(start, chunks[index + 1] ?? mediaEnd(source)))
    for (const [track, queue] of queues.entries()) {
      // The last chunk is followed by all that is left.
      const count = index === chunks.length - 1 ? queue.length : index % 2
      for (const sample of queue.splice(0, count)) {
        places[track]?.push(size)
        add(isClean ? Buffer.alloc(sample.byteLength) : sample)
      }
    }
  }
  return { media: Buffer.concat(parts), offsets, places }
}

function mediaEnd(source: Buffer): number {
  let at = 0
  for (const { type, whole } of boxesOf(source)) {
    at += whole.byteLength
    if (type === 'mdat') return at
  }
  throw new Error('no mdat')
}

/** A track of the fixture with its chunks at their new places. */
function moved(whole: Buffer, offsets: ReadonlyMap<number, number>, at: number): Buffer {
  const trak = Buffer.from(whole)
  const table = trak.indexOf('stco') + 12
  for (const [index, old] of chunkOffsets(whole.subarray(8)).entries()) {
    trak.writeUInt32BE(at + (offsets.get(old) ?? 0), table + index * 4)
  }
  return trak
}

/** A track of two seconds with one sample in each chunk. */
export function timedTrack(
  track: TimedData,
  id: number,
  places: readonly number[],
  options: Options = {},
): Buffer {
  const { samples, handler } = track
  const tkhd = Buffer.alloc(84)
  tkhd.writeUInt32BE(15)
  tkhd.writeUInt32BE(id, 12)
  tkhd.writeUInt32BE(2000, 20)
  const chunks = options.longOffsets
    ? box('co64', 0, places.length, ...places.flatMap((place) => [0, place]))
    : box('stco', 0, places.length, ...places)
  const tables = [
    box('stsd', 0, 1, track.entry),
    box('stts', 0, 1, samples.length, Math.floor(2000 / samples.length)),
    box('stsc', 0, 1, 1, 1, 1),
    box('stsz', 0, 0, samples.length, ...samples.map(({ byteLength }) => byteLength)),
    chunks,
  ]
  return box(
    'trak',
    box('tkhd', tkhd),
    box(
      'mdia',
      box('mdhd', 0, 0, 0, 1000, 2000, 0x55c4_0000),
      box('hdlr', 0, 'mhlr', handler, 0, 0, 0, 'Timed data\0'),
      box('minf', track.header, box('dinf', box('dref', 0, 1, box('url ', 1))), box('stbl', ...tables)),
    ),
  )
}

/** Places as phones write them beside the tracks: Android's `©xyz`, 3GPP's `loci`, and an XMP packet in a `uuid` box. */
export function placeBoxes(text: string): { userData: Buffer[]; topBoxes: Buffer[] } {
  const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><exif:GPSLatitude>${text}</exif:GPSLatitude></x:xmpmeta>`
  return {
    userData: [
      box('©xyz', bytesOf(String.fromCharCode(0, text.length)), '\x15\xc7', text),
      box('loci', 0, '\x15\xc7Harare\0\0', 0x001f_0ccd, 0xffee_2ed4, 0x05d2_0000, 'earth\0\0'),
    ],
    topBoxes: [box('uuid', Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'), xmp)],
  }
}

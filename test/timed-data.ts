import { Buffer } from 'node:buffer'
import { box, bytesOf } from './boxes.ts'

/** A track that is neither video nor audio, as a camera, phone or drone writes it. */
export type TimedData = { handler: string; entry: Buffer; header: Buffer; samples: Buffer[] }

/** Harare, as each format writes it. None of it may be served. */
export const PLACE = { text: '-17.8167+031.0500+1490/', latitude: -17.8167, longitude: 31.05 }
/** What must not be left of any of them. */
export const SECRETS = /-17\.8167|31\.0500|GPS|HERO|DEVC|location|NTC-1|DJI|CAMM/u

const HANDLER_HEADER = box('gmhd', box('gmin', 0, 0x0040_8000, 0x8000_8000, 0))
const entry = (type: string, ...content: (number | string | Uint8Array)[]) => box(type, 0, 1, ...content)
const seconds = (count: number, sample: (second: number) => Buffer) =>
  Array.from({ length: count }, (_, second) => sample(second))

/** A key, length and value of GPMF: https://github.com/gopro/gpmf-parser#gpmf-introduction */
function klv(key: string, type: string, size: number, value: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(key, 'latin1')
  head.write(type, 4, 'latin1')
  head.writeUInt8(size, 5)
  head.writeUInt16BE(value.byteLength / Math.max(1, size), 6)
  return Buffer.concat([head, value, Buffer.alloc((4 - (value.byteLength % 4)) % 4)])
}

const nested = (key: string, ...inner: Buffer[]) => klv(key, '\0', 1, Buffer.concat(inner))

function gps5(second: number): Buffer {
  const fixes = Array.from({ length: 18 }, (_, fix) =>
    bytesOf(PLACE.latitude * 1e7 + fix, PLACE.longitude * 1e7 + second, 1_490_000, 1200, 1210),
  )
  return klv('GPS5', 'l', 20, Buffer.concat(fixes))
}

/** GoPro: GPMF with 18 positions a second. */
const gpmd: TimedData = {
  handler: 'meta',
  entry: entry('gpmd', 0),
  header: box('gmhd', box('gmin', 0, 0x0040_8000, 0x8000_8000, 0), box('gpmd', 0, 0)),
  samples: seconds(2, (second) =>
    nested(
      'DEVC',
      klv('DVNM', 'c', 1, Buffer.from('HERO9 Black')),
      nested(
        'STRM',
        klv('STNM', 'c', 1, Buffer.from('GPS (Lat., Long., Alt., 2D speed, 3D speed)')),
        klv('SCAL', 'l', 4, bytesOf(10_000_000, 10_000_000, 1000, 1000, 100)),
        gps5(second),
      ),
    ),
  ),
}

/** A packet of Google's camera motion format, type 5: latitude, longitude, altitude. */
const camm: TimedData = {
  handler: 'camm',
  entry: entry('camm'),
  header: box('nmhd', 0),
  samples: seconds(20, (second) => {
    const packet = Buffer.alloc(28)
    packet.writeUInt16LE(5, 2)
    packet.writeDoubleLE(PLACE.latitude + second / 1e6, 4)
    packet.writeDoubleLE(PLACE.longitude, 12)
    packet.writeDoubleLE(1490, 20)
    return Buffer.concat([packet, Buffer.from('CAMM')])
  }),
}

/** iPhone: keys in the sample description, values by their local ids. */
const mebx: TimedData = {
  handler: 'meta',
  entry: entry(
    'mebx',
    box(
      'keys',
      box('\0\0\0\x01', box('keyd', 'mdta', 'com.apple.quicktime.location.ISO6709'), box('dtyp', 0, 1)),
    ),
  ),
  header: HANDLER_HEADER,
  samples: seconds(2, () => box('\0\0\0\x01', PLACE.text)),
}

/** DJI: one caption a second, as subtitles or as text. */
function captions(handler: string, type: string): TimedData {
  return {
    handler,
    entry: entry(type, 0, Buffer.alloc(34)),
    header: handler === 'sbtl' ? box('nmhd', 0) : HANDLER_HEADER,
    samples: seconds(2, (second) => {
      const text = `DJI F/2.8, SS 206, ISO 100, GPS (31.0500, -17.8167, ${second}), D 12.3m, H 8.2m`
      return bytesOf(String.fromCharCode(0, text.length), text)
    }),
  }
}

/** DJI and Sony: messages of their own, in a `meta` track. */
const djmd: TimedData = {
  handler: 'meta',
  entry: entry('djmd'),
  header: box('nmhd', 0),
  samples: seconds(30, (frame) => bytesOf('\x0a\x10', `DJI ${PLACE.text}`, frame)),
}

export const TIMED_DATA = {
  'GoPro gpmd': gpmd,
  'Google camm': camm,
  'Apple mebx': mebx,
  'DJI subtitles': captions('sbtl', 'tx3g'),
  'DJI text': captions('text', 'text'),
  'DJI djmd': djmd,
} as const

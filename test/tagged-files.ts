import { Buffer } from 'node:buffer'

/** A place and a serial number, as recorders write them. */
export const SECRET = 'Exif GPS -17.8167+031.0500 SN-000123456'
/** What must not be left of a tagged file. */
export const SECRETS = /GPS|SN-000123456|-17\.8167|APIC|INFOIART|APETAG|LYRICS|3DI/u

function chunk(id: string, content: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(content.length)
  const padding = Buffer.alloc(content.length % 2)
  return Buffer.concat([Buffer.from(id, 'latin1'), length, Buffer.from(content, 'latin1'), padding])
}

/** An ID3v2.3 tag with a cover image that contains a location. */
function id3(): Buffer {
  const content = Buffer.from(`APIC\0\0\0\x40\0\0\0image/jpeg\0\x03\0${SECRET}`, 'latin1')
  return Buffer.concat([Buffer.from('ID3\x03\0\x40\0\0\0', 'latin1'), Buffer.from([content.length]), content])
}

/** All tags that stand at the end of a file: ID3v2.4 with its footer, APE with one item, both versions of Lyrics3, and ID3v1. */
export function endTags(): Buffer {
  const edge = (flags: number) => {
    const bytes = Buffer.alloc(32)
    bytes.write('APETAGEX', 'latin1')
    bytes.writeUInt32LE(2000, 8)
    bytes.writeUInt32LE(SECRET.length + 32, 12)
    bytes.writeUInt32LE(flags, 20)
    return bytes
  }
  const last = Buffer.alloc(128)
  last.write(`TAG${SECRET}`, 'latin1')
  const content = Buffer.from(`APIC\0\0\0\x34\0\0\0image/jpeg\0\x03\0${SECRET}`, 'latin1')
  const id3At = (name: string) =>
    Buffer.concat([Buffer.from(`${name}\x04\0\x10\0\0\0`, 'latin1'), Buffer.from([content.length])])
  const lyrics = `LYRICSBEGININD00002000${SECRET}`
  const lyrics3 = Buffer.from(
    `${lyrics}${String(lyrics.length).padStart(6, '0')}LYRICS200LYRICSBEGIN${SECRET}LYRICSEND`,
  )
  const ape = [edge(0xa0000000), Buffer.from(SECRET), edge(0x80000000)]
  return Buffer.concat([id3At('ID3'), content, id3At('3DI'), ...ape, lyrics3, last])
}

/** A page with one packet and no checksum. */
export function oggPage(serial: number, flags: number, packet: Buffer): Buffer {
  const lacing = [...Array<number>(Math.floor(packet.length / 255)).fill(255), packet.length % 255]
  const header = Buffer.alloc(27)
  header.write('OggS', 'latin1')
  header.writeUInt8(flags, 5)
  header.writeUInt32LE(serial, 14)
  header.writeUInt8(lacing.length, 26)
  return Buffer.concat([header, Buffer.from(lacing), packet])
}

/** A fixture with the metadata of cameras and recorders, by the ending of its name. */
export function taggedFile(name: string, fixture: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(fixture)
  if (name.endsWith('.mp3')) return new Uint8Array(Buffer.concat([id3(), id3(), bytes, endTags()]))
  if (name.endsWith('.aac')) return new Uint8Array(Buffer.concat([bytes, endTags()]))
  if (name.endsWith('.ogg')) {
    const second = bytes.indexOf('OggS', 4)
    const third = bytes.indexOf('OggS', second + 4)
    const page = oggPage(bytes.readUInt32LE(14), 0, Buffer.from(`OpusTags${SECRET.repeat(30)}`))
    page.writeUInt32LE(1, 18)
    return new Uint8Array(
      Buffer.concat([bytes.subarray(0, second), page, bytes.subarray(third), Buffer.from(SECRET)]),
    )
  }
  if (name.endsWith('.webm')) {
    // A `Void` element of 98 bytes becomes `Tags`.
    const room = bytes.indexOf(Buffer.from([0xec, 1, 0, 0, 0, 0, 0, 0, 0x59]))
    bytes.set([0x12, 0x54, 0xc3, 0x67, 0x80 | 93], room)
    bytes.fill(SECRET, room + 5, room + 98)
    return new Uint8Array(Buffer.concat([bytes, Buffer.from(SECRET)]))
  }
  const tags = ['bext', 'iXML', '_PMX', 'id3 ', 'IDIT', 'JUNK'].map((id) => chunk(id, SECRET))
  const lists = ['INFOIART', 'ncdtnctg', 'exifecor'].map((start) => chunk('LIST', start + SECRET))
  const junk = bytes.indexOf('JUNK')
  if (junk !== -1) bytes.write(SECRET, junk + 8, 'latin1')
  return new Uint8Array(Buffer.concat([bytes, ...tags, ...lists]))
}

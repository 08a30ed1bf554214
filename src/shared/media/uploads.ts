import { MEDIA_MIME_TYPES, MEDIA_TYPES, type MediaType } from './media-types.ts'
import { PART_BYTES } from '../limits.ts'

/** Leading bytes that {@link sniff} reads. */
export const SNIFF_BYTES = 256

export type StoredMimeType = (typeof MEDIA_MIME_TYPES)[MediaType][number]
/** A generic MP4 holds a video or only audio; its tracks decide that later. */
export type Sniffed = { mimeType: StoredMimeType; isGenericMp4: boolean }

const IMAGE_BRANDS = /^(?:hei|hev|mif1|msf1|avi[fs]|crx |jp[2xm] |MiHB)/u
const AUDIO_BRANDS = /^(?:M4A |M4B |F4A )/u

/** The type of a file by its leading bytes only, or null: names and headers from the sender are not trusted. */
export function sniff(head: Uint8Array): Sniffed | null {
  const mimeType = sniffMimeType(head)
  return mimeType === null ? null : { mimeType, isGenericMp4: mimeType === 'video/mp4' }
}

/** The media type of a stored MIME type. */
export function mediaTypeOf(mimeType: StoredMimeType): MediaType {
  const type = MEDIA_TYPES.find((kind) => (MEDIA_MIME_TYPES[kind] as readonly string[]).includes(mimeType))
  if (!type) throw new Error(`MIME type without a media type: ${mimeType}`)
  return type
}

/** The media type of a file: its detected type, or a recording if a generic MP4 is declared as one. */
export function typeFor(sniffed: Sniffed, declared: MediaType | null): MediaType {
  return sniffed.isGenericMp4 && declared === 'AUDIO' ? 'AUDIO' : mediaTypeOf(sniffed.mimeType)
}

function sniffMimeType(head: Uint8Array): StoredMimeType | null {
  const text = (from: number, to: number) => String.fromCharCode(...head.subarray(from, to))
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return 'image/jpeg'
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png'
  if (text(0, 4) === 'RIFF') return riffType(text(8, 12))
  if (text(4, 8) === 'ftyp') return mp4Type(text(8, 12))
  if (text(0, 4) === '\x1aE\xdf\xa3') return text(4, 64).includes('\x42\x82\x84webm') ? 'video/webm' : null
  if (text(0, 4) === 'OggS') return /OpusHead|vorbis/u.test(text(26, 40)) ? 'audio/ogg' : null
  if (text(0, 3) === 'ID3' || isMp3Frame(head)) return 'audio/mpeg'
  return isAdtsFrame(head) ? 'audio/aac' : null
}

function riffType(form: string): StoredMimeType | null {
  if (form === 'WEBP') return 'image/webp'
  if (form === 'WAVE') return 'audio/wav'
  return form === 'AVI ' ? 'video/x-msvideo' : null
}

function mp4Type(brand: string): StoredMimeType | null {
  if (IMAGE_BRANDS.test(brand)) return null
  if (brand === 'qt  ') return 'video/quicktime'
  return AUDIO_BRANDS.test(brand) ? 'audio/mp4' : 'video/mp4'
}

/** MPEG audio frame header, layer III: ISO/IEC 11172-3, 2.4.1.3. */
function isMp3Frame([first = 0, second = 0, third = 0]: Uint8Array): boolean {
  const version = (second >> 3) & 3
  const layer = (second >> 1) & 3
  const bitRate = third >> 4
  return (
    first === 0xff &&
    second >> 5 === 7 &&
    version !== 1 &&
    layer === 1 &&
    bitRate !== 0 &&
    bitRate !== 15 &&
    ((third >> 2) & 3) !== 3
  )
}

/** ADTS header: twelve bits of sync, layer 0, a sampling frequency of the table: ISO/IEC 13818-7, 6.2. */
function isAdtsFrame([first = 0, second = 0, third = 0]: Uint8Array): boolean {
  return first === 0xff && (second & 0xf6) === 0xf0 && ((third >> 2) & 15) <= 12
}

const KB = 1024

/** A broken connection loses at most one chunk, so chunks start small until the connection proves fast. */
export const FIRST_CHUNK_BYTES = 512 * KB
export const LARGEST_CHUNK_BYTES = 10 * 1024 * KB
/** A chunk faster than this doubles the next one. */
const QUICK_MS = 4000
/** A chunk slower than this halves the next one. */
const SLOW_MS = 15_000

/**
 * Approximate bytes of the next chunk, after one of `sent` bytes took `ms` milliseconds. `intended` is the size that
 * chunk was meant to have: the last chunk of a file is smaller and says nothing about the connection.
 */
export function nextChunkBytes(
  sent: number,
  ms: number,
  before: number = FIRST_CHUNK_BYTES,
  intended: number = before,
): number {
  if (ms > SLOW_MS) return Math.max(FIRST_CHUNK_BYTES, before / 2)
  return ms < QUICK_MS && sent >= intended ? Math.min(LARGEST_CHUNK_BYTES, before * 2) : before
}

/**
 * Bytes of a chunk at `offset` that should have about `wanted`. It ends at a part boundary if that leaves at least
 * half of `wanted`, because the server must store an unfinished part separately. `SNIFF_BYTES` are added because the
 * server holds back that many bytes to inspect what follows.
 */
export function chunkBytes(offset: number, wanted: number): number {
  const parts = Math.floor((offset + wanted - SNIFF_BYTES) / PART_BYTES)
  const size = parts * PART_BYTES + SNIFF_BYTES - offset
  return size >= wanted / 2 ? size : wanted
}

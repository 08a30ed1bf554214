import type { Buffer } from 'node:buffer'
import { frameAt, HEADER_BYTES } from '#worker/media-formats/mpeg-audio.ts'
import { keep, stripInPlace, type Step } from '#worker/media-formats/strip-in-place.ts'

const ID3_HEADER_BYTES = 10
/** The longest frame, of ADTS, and the header after it. */
const LOOK_BYTES = 8191 + HEADER_BYTES
/** Bytes between two frames of a recording. */
const GAP_MAX = 32
/** How tags at the end begin: ID3v1 and its extension, ID3v2, APE, Lyrics3. They may follow a frame that was cut off. */
const MARKS = ['TAG', 'ID3', 'APETAGEX', 'LYRICSBEGIN']

/**
 * Keeps the frames of an MP3 or ADTS recording and blanks every other byte, wherever tags are: players search for the next frame
 * there. A leading ID3v2 tag keeps its header, which names the type of the file. Keeps a few frames in memory.
 */
export function stripMpegAudioMetadata(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isLeading = true
  const frames = new FrameSweep()
  const next = (rest: Buffer): Step | null => {
    if (isLeading) {
      if (rest.byteLength < ID3_HEADER_BYTES) return null
      isLeading = rest.toString('latin1', 0, 3) === 'ID3'
      if (isLeading) return leadingTag(rest)
    }
    const done = frames.sweep(rest, false)
    return done > 0 ? keep(done) : null
  }
  return stripInPlace(bytes, next, (rest) => void frames.sweep(rest, true))
}

/** https://id3.org/id3v2.4.0-structure, 3.1 */
function leadingTag(rest: Buffer): Step {
  const hasFooter = (rest.readUInt8(5) & 0x10) !== 0
  const size = [6, 7, 8, 9].reduce((sum, offset) => sum * 128 + (rest.readUInt8(offset) & 127), 0)
  // Clears the flags, because the extended header, checksum and footer are blanked.
  rest.writeUInt8(0, 5)
  return { head: ID3_HEADER_BYTES, body: size + (hasFooter ? ID3_HEADER_BYTES : 0), isBlank: true }
}

/**
 * Blanks what isn't a frame. Two frames in a row begin a recording again, so that a false one in a picture isn't taken for sound; one
 * is enough at the start of the file, and soon after another of its kind, because some recorders leave bytes between frames.
 */
class FrameSweep {
  /** The kind of the frames so far; null when none is near. */
  #kind: number | 'any' | null = 'any'
  /** Bytes since the last frame. */
  #gap = 0

  /** Blanks in place; returns how many bytes are done. The rest, except at the end of the file, needs what follows. */
  sweep(rest: Buffer, isEnd: boolean): number {
    const certain = isEnd ? rest.byteLength : rest.byteLength - LOOK_BYTES
    let at = 0
    while (at < certain) at += this.#step(rest, at)
    return Math.min(at, rest.byteLength)
  }

  #step(rest: Buffer, at: number): number {
    const frame = frameAt(rest, at)
    const end = at + (frame?.length ?? 0)
    const isFollowed = frame !== null && frameAt(rest, end)?.kind === frame.kind
    if (frame && (isFollowed || frame.kind === this.#kind || this.#kind === 'any')) {
      this.#kind = frame.kind
      this.#gap = 0
      return isFollowed ? frame.length : (tagIn(rest.subarray(at, end)) ?? frame.length)
    }
    const found = rest.indexOf(0xff, at + 1)
    const junkEnd = found === -1 ? rest.byteLength : found
    rest.fill(0, at, junkEnd)
    this.#gap += junkEnd - at
    if (this.#gap > GAP_MAX || this.#kind === 'any') this.#kind = null
    return junkEnd - at
  }
}

/** Where a tag begins in the last frame; null without one. */
function tagIn(frame: Buffer): number | null {
  const found = MARKS.map((mark) => frame.indexOf(mark, 4, 'latin1')).filter((at) => at !== -1)
  return found.length > 0 ? Math.min(...found) : null
}

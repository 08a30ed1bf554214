import type { TimedFacts } from '#worker/features/media/duration.ts'

const HEADER_BYTES = 64 * 1024
/** Chunks of the file itself that are stepped over in search of its index. */
const CHUNKS_MAX = 64
/** Sixteen bytes a frame or piece of sound: hours. */
const INDEX_MAX_BYTES = 2 * 1024 * 1024

type Read = (start: number, end: number) => Promise<Uint8Array>

/**
 * Length and size of an AVI: the longest of what its headers say (frames × time a frame in `avih`, each stream's length in
 * `strh`) and the pictures that its index (`idx1`) lists. https://learn.microsoft.com/windows/win32/directshow/avi-riff-file-reference. Throws where there is no
 * header or no picture data.
 */
export async function readAvi(read: Read, size: number): Promise<TimedFacts> {
  const head = await read(0, Math.min(size, HEADER_BYTES))
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const facts: TimedFacts = { durationSec: 0, width: null, height: null, hasVideo: false }
  let hasPictures = false
  let secondsAPicture = 0
  const walk = (from: number, end: number): void => {
    for (let at = from; at + 12 <= end;) {
      const [id, length, body] = [fourCc(head, at), view.getUint32(at + 4, true), at + 8]
      if (id === 'LIST') {
        hasPictures ||= fourCc(head, body) === 'movi'
        if (['hdrl', 'strl'].includes(fourCc(head, body))) walk(body + 4, Math.min(end, body + length))
      }
      if (id === 'avih' && body + 40 <= end) {
        secondsAPicture = Math.max(secondsAPicture, view.getUint32(body, true) / 1e6)
        const seconds = (view.getUint32(body, true) * view.getUint32(body + 16, true)) / 1e6
        facts.durationSec = Math.max(facts.durationSec, seconds)
        facts.width = view.getUint32(body + 32, true) || null
        facts.height = view.getUint32(body + 36, true) || null
      }
      if (id === 'strh' && body + 36 <= end) {
        const [scale, rate] = [view.getUint32(body + 20, true), view.getUint32(body + 24, true)]
        const seconds = rate > 0 ? (view.getUint32(body + 32, true) * scale) / rate : 0
        facts.durationSec = Math.max(facts.durationSec, seconds)
        const isVideo = fourCc(head, body) === 'vids'
        if (isVideo && rate > 0) secondsAPicture = Math.max(secondsAPicture, scale / rate)
        facts.hasVideo ||= isVideo
      }
      at = body + length + (length % 2)
    }
  }
  walk(12, head.byteLength)
  if (!hasPictures) throw new Error('AVI without pictures')
  const indexed = (await countIndexedPictures(read, size)) * secondsAPicture
  return { ...facts, durationSec: Math.max(facts.durationSec, indexed) }
}

/** How many pictures the file's index lists; 0 without one. */
async function countIndexedPictures(read: Read, size: number): Promise<number> {
  let at = 12
  for (let chunk = 0; chunk < CHUNKS_MAX && at + 8 <= size; chunk++) {
    const header = await read(at, at + 8)
    const length = new DataView(header.buffer, header.byteOffset, 8).getUint32(4, true)
    if (fourCc(header, 0) === 'idx1') {
      const index = await read(at + 8, Math.min(size, at + 8 + Math.min(length, INDEX_MAX_BYTES)))
      let pictures = 0
      for (let entry = 0; entry + 16 <= index.byteLength; entry += 16) {
        if (/^00d[bc]$/u.test(fourCc(index, entry))) pictures++
      }
      return pictures
    }
    at += 8 + length + (length % 2)
  }
  return 0
}

function fourCc(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}

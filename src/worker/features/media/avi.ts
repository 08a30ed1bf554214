import type { TimedFacts } from '#worker/features/media/duration.ts'

const HEADER_BYTES = 64 * 1024

type Read = (start: number, end: number) => Promise<Uint8Array>

/**
 * Length and size of an AVI by its headers: the longest of frames × time a frame (`avih`) and each stream's length
 * (`strh`). https://learn.microsoft.com/windows/win32/directshow/avi-riff-file-reference. Throws where there is no
 * header or no picture data.
 */
export async function readAvi(read: Read, size: number): Promise<TimedFacts> {
  const head = await read(0, Math.min(size, HEADER_BYTES))
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const facts: TimedFacts = { durationSec: 0, width: null, height: null, hasVideo: false }
  let hasPictures = false
  const walk = (from: number, end: number): void => {
    for (let at = from; at + 12 <= end;) {
      const [id, length, body] = [fourCc(head, at), view.getUint32(at + 4, true), at + 8]
      if (id === 'LIST') {
        hasPictures ||= fourCc(head, body) === 'movi'
        if (['hdrl', 'strl'].includes(fourCc(head, body))) walk(body + 4, Math.min(end, body + length))
      }
      if (id === 'avih' && body + 40 <= end) {
        const seconds = (view.getUint32(body, true) * view.getUint32(body + 16, true)) / 1e6
        facts.durationSec = Math.max(facts.durationSec, seconds)
        facts.width = view.getUint32(body + 32, true) || null
        facts.height = view.getUint32(body + 36, true) || null
      }
      if (id === 'strh' && body + 36 <= end) {
        const [scale, rate] = [view.getUint32(body + 20, true), view.getUint32(body + 24, true)]
        const seconds = rate > 0 ? (view.getUint32(body + 32, true) * scale) / rate : 0
        facts.durationSec = Math.max(facts.durationSec, seconds)
        facts.hasVideo ||= fourCc(head, body) === 'vids'
      }
      at = body + length + (length % 2)
    }
  }
  walk(12, head.byteLength)
  if (!hasPictures) throw new Error('AVI without pictures')
  return facts
}

function fourCc(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}

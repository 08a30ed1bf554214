import type { ProbeResult, Read } from '#worker/media-formats/range-reader.ts'

const HEADER_BYTES = 64 * 1024
/** One read from storage: the largest video takes 250 of them. */
const WINDOW_BYTES = 1024 * 1024

/** Far more chunks than the largest video has; the reader visits each. */
const CHUNKS_MAX = 500_000

/** One stream by its headers: how long one of its units lasts (a picture), or its bytes do (sound). */
type Stream = { isVideo: boolean; unitSec: number; bytesASec: number }
type Avi = { facts: ProbeResult; streams: Stream[]; frameSec: number; picturesAt: number | null }

/**
 * Length and size of an AVI: the longest of what its headers say (`avih`, `strh`) and what its chunks hold, picture by
 * picture and byte by byte of sound. https://learn.microsoft.com/windows/win32/directshow/avi-riff-file-reference.
 * Throws where there is no header or no picture data.
 */
export async function readAvi(read: Read, size: number): Promise<ProbeResult> {
  const head = await read(0, Math.min(size, HEADER_BYTES))
  const avi: Avi = {
    facts: { durationSec: 0, width: null, height: null, hasVideo: false },
    streams: [],
    frameSec: 0,
    picturesAt: null,
  }
  walkHeaders(avi, head, 12, head.byteLength)
  if (avi.picturesAt === null) throw new Error('AVI without pictures')
  const counted = await countChunks(avi, read, avi.picturesAt, size)
  avi.facts.durationSec = Math.max(avi.facts.durationSec, counted)
  return avi.facts
}

function walkHeaders(avi: Avi, head: Uint8Array, from: number, end: number): void {
  const { facts, streams } = avi
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  for (let at = from; at + 12 <= end;) {
    const [id, length, body] = [fourCc(head, at), view.getUint32(at + 4, true), at + 8]
    if (id === 'LIST') {
      if (fourCc(head, body) === 'movi') avi.picturesAt ??= body + 4
      if (['hdrl', 'strl'].includes(fourCc(head, body))) {
        walkHeaders(avi, head, body + 4, Math.min(end, body + length))
      }
    }
    if (id === 'avih' && body + 40 <= end) {
      avi.frameSec = view.getUint32(body, true) / 1e6
      facts.durationSec = Math.max(facts.durationSec, avi.frameSec * view.getUint32(body + 16, true))
      facts.width = view.getUint32(body + 32, true) || null
      facts.height = view.getUint32(body + 36, true) || null
    }
    if (id === 'strh' && body + 36 <= end) {
      const [scale, rate] = [view.getUint32(body + 20, true), view.getUint32(body + 24, true)]
      const unitSec = rate > 0 ? scale / rate : 0
      const isVideo = fourCc(head, body) === 'vids'
      streams.push({ isVideo, unitSec, bytesASec: 0 })
      facts.durationSec = Math.max(facts.durationSec, view.getUint32(body + 32, true) * unitSec)
      facts.hasVideo ||= isVideo
    }
    const stream = streams.at(-1)
    if (id === 'strf' && stream && !stream.isVideo && body + 12 <= end) {
      stream.bytesASec = view.getUint32(body + 8, true)
    }
    at = body + length + (length % 2)
  }
}

/** Seconds of the longest stream by the chunks that are there: `00dc` is a picture of stream 0, `01wb` sound of stream 1. */
async function countChunks(avi: Avi, read: Read, from: number, size: number): Promise<number> {
  const units = avi.streams.map(() => ({ pictures: 0, bytes: 0 }))
  let held: Uint8Array = new Uint8Array(0)
  let heldFrom = 0
  let chunks = 0
  for (let at = from; at + 12 <= size;) {
    if (++chunks > CHUNKS_MAX) throw new Error('too many chunks')
    if (at < heldFrom || at + 12 > heldFrom + held.byteLength) {
      held = await read(at, Math.min(size, at + WINDOW_BYTES))
      heldFrom = at
    }
    const place = at - heldFrom
    const id = fourCc(held, place)
    // Lists of frames (`rec `) and further parts of a long video (`AVIX`) are opened.
    if (id === 'LIST' || id === 'RIFF') {
      at += 12
      continue
    }
    const length = new DataView(held.buffer, held.byteOffset + place + 4, 4).getUint32(0, true)
    const unit = /^\d\d(?:d[bc]|wb)$/u.test(id) ? units[Number(id.slice(0, 2))] : undefined
    if (unit) {
      unit.pictures++
      unit.bytes += Math.min(length, size - at)
    }
    at += 8 + length + (length % 2)
  }
  const seconds = avi.streams.map(({ isVideo, unitSec, bytesASec }, index) => {
    const { pictures = 0, bytes = 0 } = units[index] ?? {}
    if (isVideo) return pictures * Math.max(unitSec, avi.frameSec)
    return bytesASec > 0 ? bytes / bytesASec : 0
  })
  return Math.max(0, ...seconds)
}

function fourCc(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}

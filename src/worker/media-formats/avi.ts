import { windowed, type ProbeResult, type Read } from '#worker/media-formats/range-reader.ts'

const HEADER_BYTES = 64 * 1024
/** One read from storage: the largest video takes 250 of them. */
const WINDOW_BYTES = 1024 * 1024

/** Far more chunks than the largest video has; each is visited. */
const CHUNKS_MAX = 500_000

/** One stream from its headers. `unitSec`: duration of a video frame. */
type Stream = { isVideo: boolean; unitSec: number; bytesASec: number }
type Avi = { result: ProbeResult; streams: Stream[]; frameSec: number; moviAt: number | null }

/**
 * Duration and size of an AVI. The duration is the longest of the headers (`avih`, `strh`) and the counted video frames and
 * audio bytes. https://learn.microsoft.com/windows/win32/directshow/avi-riff-file-reference.
 * Throws for a file without frame data.
 */
export async function readAvi(read: Read, size: number): Promise<ProbeResult> {
  const head = await read(0, Math.min(size, HEADER_BYTES))
  const avi: Avi = {
    result: { durationSec: 0, width: null, height: null, hasVideo: false },
    streams: [],
    frameSec: 0,
    moviAt: null,
  }
  walkHeaders(avi, head, 12, head.byteLength)
  if (avi.moviAt === null) throw new Error('AVI without frames')
  const counted = await countChunks(avi, read, avi.moviAt, size)
  avi.result.durationSec = Math.max(avi.result.durationSec, counted)
  return avi.result
}

function walkHeaders(avi: Avi, head: Uint8Array, from: number, end: number): void {
  const { result, streams } = avi
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  for (let at = from; at + 12 <= end;) {
    const [id, length, body] = [fourCc(head, at), view.getUint32(at + 4, true), at + 8]
    if (id === 'LIST') {
      if (fourCc(head, body) === 'movi') avi.moviAt ??= body + 4
      if (['hdrl', 'strl'].includes(fourCc(head, body))) {
        walkHeaders(avi, head, body + 4, Math.min(end, body + length))
      }
    }
    if (id === 'avih' && body + 40 <= end) {
      avi.frameSec = view.getUint32(body, true) / 1e6
      result.durationSec = Math.max(result.durationSec, avi.frameSec * view.getUint32(body + 16, true))
      result.width = view.getUint32(body + 32, true) || null
      result.height = view.getUint32(body + 36, true) || null
    }
    if (id === 'strh' && body + 36 <= end) {
      const [scale, rate] = [view.getUint32(body + 20, true), view.getUint32(body + 24, true)]
      const unitSec = rate > 0 ? scale / rate : 0
      const isVideo = fourCc(head, body) === 'vids'
      streams.push({ isVideo, unitSec, bytesASec: 0 })
      result.durationSec = Math.max(result.durationSec, view.getUint32(body + 32, true) * unitSec)
      result.hasVideo ||= isVideo
    }
    const stream = streams.at(-1)
    if (id === 'strf' && stream && !stream.isVideo && body + 12 <= end) {
      stream.bytesASec = view.getUint32(body + 8, true)
    }
    at = body + length + (length % 2)
  }
}

/** Seconds of the longest stream, from its chunks: `00dc` is a video frame of stream 0, `01wb` audio of stream 1. */
async function countChunks(avi: Avi, read: Read, from: number, size: number): Promise<number> {
  const units = avi.streams.map(() => ({ frames: 0, bytes: 0 }))
  const readAt = windowed(read, size, WINDOW_BYTES)
  let chunks = 0
  for (let at = from; at + 12 <= size;) {
    if (++chunks > CHUNKS_MAX) throw new Error('too many chunks')
    const head = await readAt(at, at + 12)
    const id = fourCc(head, 0)
    // Descends into lists of frames (`rec `) and the extra segments of a long video (`AVIX`).
    if (id === 'LIST' || id === 'RIFF') {
      at += 12
      continue
    }
    const length = head.readUInt32LE(4)
    const unit = /^\d\d(?:d[bc]|wb)$/u.test(id) ? units[Number(id.slice(0, 2))] : undefined
    if (unit) {
      unit.frames++
      unit.bytes += Math.min(length, size - at)
    }
    at += 8 + length + (length % 2)
  }
  const seconds = avi.streams.map(({ isVideo, unitSec, bytesASec }, index) => {
    const { frames = 0, bytes = 0 } = units[index] ?? {}
    if (isVideo) return frames * Math.max(unitSec, avi.frameSec)
    return bytesASec > 0 ? bytes / bytesASec : 0
  })
  return Math.max(0, ...seconds)
}

function fourCc(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}

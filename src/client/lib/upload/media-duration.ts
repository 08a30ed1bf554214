import { sniff } from '#shared/media/uploads.ts'

/** Stop waiting for the element's duration after this. */
const ELEMENT_TIMEOUT_MS = 10_000
/** Browsers estimate the duration of these types from the first packets if the file doesn't state it. */
const ESTIMATED = new Set<string | undefined>(['audio/mpeg', 'audio/aac'])

/**
 * The duration of a video or recording in seconds, as the browser reads it from the header; null if unknown. Only if
 * the file seems too long, or the browser cannot play it, the parser is loaded and reads it.
 */
export async function readDuration(file: File, head: Uint8Array, maxSec: number): Promise<number | null> {
  const mimeType = sniff(head)?.mimeType
  if (mimeType === 'video/x-msvideo') return aviDuration(head)
  const seconds = await readByElement(file, mimeType?.startsWith('video/') ? 'video' : 'audio')
  if (seconds !== null && (seconds <= maxSec || !ESTIMATED.has(mimeType))) return seconds
  return readByParser(file)
}

function readByElement(file: File, kind: 'video' | 'audio'): Promise<number | null> {
  const element = document.createElement(kind)
  const address = URL.createObjectURL(file)
  return new Promise<number | null>((resolve) => {
    const done = () => {
      const { duration } = element
      resolve(Number.isFinite(duration) && duration > 0 ? duration : null)
    }
    const timer = setTimeout(done, ELEMENT_TIMEOUT_MS)
    for (const name of ['loadedmetadata', 'error']) {
      element.addEventListener(name, () => {
        clearTimeout(timer)
        done()
      })
    }
    element.preload = 'metadata'
    element.src = address
  }).finally(() => {
    element.removeAttribute('src')
    element.load()
    URL.revokeObjectURL(address)
  })
}

/** Null if the parser cannot be loaded or cannot read the file: the server checks it in any case. */
async function readByParser(file: File): Promise<number | null> {
  try {
    const { parsedDuration } = await import('./parse-media.ts')
    return await parsedDuration(file)
  } catch {
    return null
  }
}

/** No browser plays AVI. Its header states the number of frames and the microseconds per frame. */
export function aviDuration(head: Uint8Array): number | null {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  // https://learn.microsoft.com/windows/win32/directshow/avi-riff-file-reference: `avih` comes first.
  if (head.byteLength < 52 || String.fromCharCode(...head.subarray(24, 28)) !== 'avih') return null
  const seconds = (view.getUint32(32, true) * view.getUint32(48, true)) / 1e6
  return seconds > 0 ? seconds : null
}

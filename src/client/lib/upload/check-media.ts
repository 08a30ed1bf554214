import { messages } from '#shared/messages.ts'
import { sniff, SNIFF_BYTES, typeFor } from '#shared/media/uploads.ts'
import { invalidFile, type FileProblem, type MediaRule } from './file-rules.ts'
import { keepsOriginals } from './keep-originals.ts'
import { readDuration } from './media-duration.ts'
import { shrinkPhoto } from './shrink-photo.ts'

/** The result of checking a file before it is sent. */
export type CheckedMedia = {
  original: File
  /** The smaller copy of a photo; null if the original is sent. */
  smaller: File | null
  /** False for a photo whose original is too large to send. */
  mayKeep: boolean
  problem: FileProblem | null
}

/** Resolves after all checks so far. One file is checked at a time: a cheap phone has memory for one photo. */
let lastCheck: Promise<unknown> = Promise.resolve()

/** What the name, declared type and size tell at once. A photo may be too large, because it can be resized. */
export function quickProblem(file: File, { type, problemOf }: MediaRule): FileProblem | null {
  const size = type === 'IMAGE' ? Math.min(file.size, 1) : file.size
  return problemOf({ name: file.name, type: file.type, size })
}

/**
 * Checks a chosen file: its type by leading bytes, its duration, and for a photo also makes its smaller copy. The
 * server checks what cannot be checked here. Does not throw.
 */
export function checkMedia(file: File, rule: MediaRule): Promise<CheckedMedia> {
  const checked = lastCheck.then(() => check(file, rule))
  lastCheck = checked.catch(() => null)
  return checked
}

/** The file that would be sent now. Until the upload starts, it follows the device's choice to keep originals. */
export function fileToSend({ original, smaller, mayKeep }: CheckedMedia, keeps = keepsOriginals()): File {
  return keeps && mayKeep ? original : (smaller ?? original)
}

type Candidate = { file: File; original: File | null; checked: CheckedMedia | null }

/** The file of an upload that is, or would now be, sent; and its original if that is a smaller copy. */
export function fileInUse(
  { file, original, checked }: Candidate,
  keeps?: boolean,
): Pick<Candidate, 'file' | 'original'> {
  if (!checked) return { file, original }
  const chosen = fileToSend(checked, keeps)
  return { file: chosen, original: chosen === checked.original ? original : checked.original }
}

async function check(original: File, rule: MediaRule): Promise<CheckedMedia> {
  const refused = (problem: FileProblem) => ({ original, smaller: null, mayKeep: false, problem })
  let head: Uint8Array
  try {
    head = new Uint8Array(await original.slice(0, SNIFF_BYTES).arrayBuffer())
  } catch {
    return refused(invalidFile(messages.media.unreadable))
  }
  const sniffed = sniff(head)
  const tooLarge = rule.problemOf(original)
  if (!sniffed || typeFor(sniffed, rule.type) !== rule.type) {
    return refused(tooLarge ?? invalidFile(rule.wrongType))
  }
  if (rule.type === 'IMAGE') {
    const smaller = await shrinkPhoto(original)
    const mayKeep = tooLarge === null
    const checked = { original, smaller, mayKeep, problem: null }
    const problem = smaller && !keepsOriginals() ? rule.problemOf(smaller) : tooLarge
    if (!problem) return checked
    const advice = smaller && problem === tooLarge ? { advice: messages.media.keepOriginalsTooLarge } : {}
    return { ...checked, problem: { ...problem, ...advice } }
  }
  const problem = rule.maxDurationSec === null ? null : await tooLong(original, head, rule)
  return { original, smaller: null, mayKeep: true, problem }
}

async function tooLong(file: File, head: Uint8Array, rule: MediaRule): Promise<FileProblem | null> {
  const seconds = await readDuration(file, head, rule.maxDurationSec ?? Number.POSITIVE_INFINITY)
  // Whole seconds count, as on the server: a phone's five-minute video lasts a few frames longer.
  if (seconds === null || Math.floor(seconds) <= (rule.maxDurationSec ?? seconds)) return null
  const text = rule.type === 'VIDEO' ? messages.media.videoTooLong : messages.media.audioTooLong
  return invalidFile(text)
}

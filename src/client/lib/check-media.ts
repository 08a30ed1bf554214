import { messages } from '#shared/messages.ts'
import { sniff, SNIFF_BYTES, typeFor } from '#shared/sniff.ts'
import { invalidFile, type FileProblem, type MediaRule } from './file-rules.ts'
import { keepsOriginals } from './keep-originals.ts'
import { readDuration } from './media-duration.ts'
import { shrinkPhoto } from './shrink-photo.ts'

/** A file that was looked into, before a byte of it is sent. */
export type CheckedMedia = {
  original: File
  /** A photograph as it is sent to save data; null where the original goes. */
  smaller: File | null
  /** False for a photograph that only its smaller copy gets in. */
  mayKeep: boolean
  problem: FileProblem | null
}

/** The work on one file after the other: a cheap phone has memory for one photograph. */
let turn = Promise.resolve()

/** Says at once what its name, declared type and size tell: a photograph that is too large may still become smaller. */
export function problemAtOnce(file: File, { type, problemOf }: MediaRule): FileProblem | null {
  const size = type === 'IMAGE' ? Math.min(file.size, 1) : file.size
  return problemOf({ name: file.name, type: file.type, size })
}

/**
 * Looks into a chosen file: its kind by its leading bytes, how long it lasts, and for a photograph its smaller copy. What
 * cannot be found out here is left to the server.
 */
export function checkMedia(file: File, rule: MediaRule): Promise<CheckedMedia> {
  const checked = turn.then(() => check(file, rule))
  turn = checked.then(
    () => undefined,
    () => undefined,
  )
  return checked
}

/** What is sent of it at this moment: the choice to keep originals holds for everything that is not on its way. */
export function fileToSend({ original, smaller, mayKeep }: CheckedMedia, keeps = keepsOriginals()): File {
  return keeps && mayKeep ? original : (smaller ?? original)
}

/** A file that goes as it is. */
export function asItIs(file: File): CheckedMedia {
  return { original: file, smaller: null, mayKeep: true, problem: null }
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
  // Whole seconds count, as on the server: a phone's five-minute film lasts a few frames longer.
  if (seconds === null || Math.floor(seconds) <= (rule.maxDurationSec ?? seconds)) return null
  const text = rule.type === 'VIDEO' ? messages.media.videoTooLong : messages.media.audioTooLong
  return invalidFile(text)
}

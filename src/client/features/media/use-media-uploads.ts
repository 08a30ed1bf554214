import { useSyncExternalStore } from 'react'
import type { Media, MediaType } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import { ApiError } from '#client/lib/call.ts'
import type { Contributor } from '#client/lib/contributor.ts'
import { checkMedia, problemAtOnce } from '#client/lib/check-media.ts'
import {
  contributorFileProblem,
  contributorWrongType,
  mediaTypeOf,
  type FileProblem,
  type MediaRule,
} from '#client/lib/file-rules.ts'
import { rowStoreOf } from '#client/lib/row-store.ts'
import { newRow, sendProblem, sendRow, type SendRow } from '#client/lib/send-row.ts'
import { newSendSwitch, untilHalted } from '#client/lib/send-switch.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { useKeptUploads, type Resumed } from '#client/lib/use-kept-uploads.ts'
import { leftOf, maxDurationOf, quotaProblem, type Left } from './contributor-limits.ts'

export type Upload = SendRow & {
  type: MediaType | null
  /** What it became, once it has arrived. */
  media?: Media
  /** False where the file itself is refused: sending it again would not help. */
  canRetry: boolean
}

/** Files on their way to a memorial: checked first, then sent one after the other. */
export function useMediaUploads(memorialId: string, contributor: Contributor, onAdded: () => void) {
  const store = rowStoreOf<Upload>(memorialId)
  const uploads = useSyncExternalStore(store.subscribe, store.rows, store.rows)
  const setUploads = store.change
  const change = (key: string, changes: Partial<Upload>) =>
    setUploads((before) => before.map((upload) => (upload.key === key ? { ...upload, ...changes } : upload)))

  async function send(upload: Upload): Promise<void> {
    const { key, type } = upload
    if (type === null) return
    try {
      const uploaded = await sendRow({
        memorialId,
        row: upload,
        type,
        change: (changes) => change(key, changes),
        onPoster: onAdded,
      })
      if (!uploaded) return
      change(key, { media: uploaded.media })
      showToast({ title: messages.media.uploadedTitle })
      contributor.refreshQuotas()
      onAdded()
    } catch (error) {
      const problem = sendProblem(error, messages.media.interrupted)
      change(key, { state: 'failed', problem, canRetry: !isFileRefused(error) })
      showErrorToast(messages.media.uploadFailedTitle, problem)
      contributor.onRefused(error)
    }
  }

  function enqueue(ready: Upload[]): void {
    for (const upload of ready) {
      // One that somebody pauses does not hold up the others.
      store.enqueue(() => Promise.race([send(upload), untilHalted(upload.control)]))
    }
  }

  /** Takes chosen or dropped files. The name is asked for once something can be sent, not before. */
  async function add(files: File[], asked?: MediaType): Promise<void> {
    const left = contributor.quotas && leftOf(contributor.quotas, uploads)
    const chosen = files.map((file) => toUpload(file, asked, contributor, left))
    setUploads((before) => [...before.filter(({ state }) => state !== 'sent'), ...chosen])
    const wanted = chosen.filter(({ state }) => state === 'preparing')
    const isKnown = once(contributor.identify)
    for (const upload of wanted) {
      const ready = await look(upload)
      if (!ready) continue
      if (await isKnown()) enqueue([ready])
      else setUploads((before) => before.filter(({ key }) => !wanted.some((row) => row.key === key)))
    }
  }

  /** Looks into the file. Null where it is refused, or was taken back meanwhile. */
  async function look(upload: Upload): Promise<Upload | null> {
    const { key, type, file, control } = upload
    if (type === null) return null
    const checked = await checkMedia(file, ruleOf(type, contributor))
    if (control.state() === 'stopped') return null
    if (checked.problem) {
      showErrorToast(checked.problem.title, checked.problem.text)
      change(key, { state: 'failed', problem: wordsOf(checked.problem), canRetry: false })
      return null
    }
    change(key, { state: 'waiting', checked })
    return { ...upload, checked }
  }

  async function retry(upload: Upload): Promise<void> {
    if (!(await contributor.identify())) return
    const again = { ...upload, control: newSendSwitch() }
    change(upload.key, { state: 'waiting', problem: null, control: again.control })
    const ready = upload.checked ? again : await look(again)
    if (ready) enqueue([ready])
  }

  function remove({ key, control }: Upload): void {
    control.stop()
    setUploads((before) => before.filter((upload) => upload.key !== key))
  }

  const personId = contributor.writerId === NOBODY ? null : contributor.writerId
  const unfinished = useKeptUploads(personId, memorialId, uploads, (upload: Resumed) => {
    if (upload.isMain) return
    const again = { ...upload, canRetry: true }
    setUploads((before) => [...before, again])
    enqueue([again])
  })

  return { uploads, unfinished, add, retry, remove }
}

/** The id of a writer who has no name yet. */
const NOBODY = 'guest'

/** The server has looked into the file and will not have it, however often it is sent. */
function isFileRefused(error: unknown): boolean {
  const refusals = ['bad_input', 'too_long', 'too_large', 'wrong_type']
  return error instanceof ApiError && error.code !== null && refusals.includes(error.code)
}

/** What somebody may add of a kind; only relatives have limits of time. */
function ruleOf(type: MediaType, { sender }: Contributor): MediaRule {
  return {
    type,
    problemOf: (file) => contributorFileProblem(type, file, sender),
    wrongType: contributorWrongType(type),
    maxDurationSec: maxDurationOf(type, sender),
  }
}

function wordsOf({ text, advice }: FileProblem): string {
  return [text, advice].filter(Boolean).join(' ')
}

/** Asks the first time only. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null
  return () => (answer ??= ask())
}

/** `asked` is the kind that was chosen; a dropped file says itself what it is. Takes its place from `left`. */
function toUpload(
  file: File,
  asked: MediaType | undefined,
  contributor: Contributor,
  left: Left | null,
): Upload {
  const type = asked ?? mediaTypeOf(file) ?? kindItSays(file)
  const refusal = type
    ? problemAtOnce(file, ruleOf(type, contributor))
    : contributorFileProblem(type, file, contributor.sender)
  const problem = refusal ?? (type && left && quotaProblem(type, left))
  if (problem) showErrorToast(problem.title, problem.text)
  return {
    ...newRow(file, problem ? 'failed' : 'preparing'),
    type,
    problem: problem && wordsOf(problem),
    canRetry: refusal === null,
  }
}

/** The kind that a file of a format we do not take says it is. */
function kindItSays({ type }: File): MediaType | null {
  if (type.startsWith('image/')) return 'IMAGE'
  if (type.startsWith('video/')) return 'VIDEO'
  return type.startsWith('audio/') ? 'AUDIO' : null
}

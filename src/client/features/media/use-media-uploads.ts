import { useRef, useState } from 'react'
import { api } from '#shared/api.ts'
import type { MediaType, MediaUploaded } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import { ApiError, errorText, pathOf } from '#client/lib/call.ts'
import type { Contributor } from '#client/lib/contributor.ts'
import { contributorFileProblem, mediaTypeOf } from '#client/lib/file-rules.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { isAbort, uploadFile } from '#client/lib/upload.ts'
import type { UploadState } from '#client/ui/upload-row.tsx'
import { leftOf, quotaProblem, type Left } from './contributor-limits.ts'

export type Upload = {
  key: string
  file: File
  type: MediaType | null
  state: UploadState
  part: number
  problem: string | null
  /** False where the file itself is refused: sending it again would not help. */
  canRetry: boolean
  abort: AbortController
}

/** Files on their way to a memorial: checked first, then sent one after the other. */
export function useMediaUploads(memorialId: string, contributor: Contributor, onAdded: () => void) {
  const [uploads, setUploads] = useState<Upload[]>([])
  const queue = useRef(Promise.resolve())
  const change = (key: string, changes: Partial<Upload>) =>
    setUploads((before) => before.map((upload) => (upload.key === key ? { ...upload, ...changes } : upload)))

  async function send({ key, file, type, abort }: Upload): Promise<void> {
    if (type === null || abort.signal.aborted) return
    change(key, { state: 'sending', part: 0, problem: null })
    try {
      await uploadFile<MediaUploaded>({
        path: pathOf(api.uploadMedia, { params: { id: memorialId } }),
        file,
        fields: { type },
        // The key of the row: sent again after a broken answer, the file does not appear twice.
        headers: { 'Idempotency-Key': key },
        onProgress: (part) => change(key, { part }),
        signal: abort.signal,
      })
      change(key, { state: 'sent', part: 1 })
      showToast({ title: messages.media.uploadedTitle })
      contributor.refreshQuotas()
      onAdded()
    } catch (error) {
      if (isAbort(error)) return
      const problem = errorText(error, messages.media.interrupted)
      change(key, { state: 'failed', problem, canRetry: !isFileRefused(error) })
      showErrorToast(messages.media.uploadFailedTitle, problem)
      contributor.onRefused(error)
    }
  }

  function enqueue(ready: Upload[]): void {
    for (const upload of ready) queue.current = queue.current.then(() => send(upload))
  }

  /** Takes chosen or dropped files. The name is asked for once something can be sent, not before. */
  async function add(files: File[], asked?: MediaType): Promise<void> {
    const left = contributor.quotas && leftOf(contributor.quotas, uploads)
    const chosen = files.map((file) => toUpload(file, asked, contributor.sender, left))
    setUploads((before) => [...before.filter(({ state }) => state !== 'sent'), ...chosen])
    const ready = chosen.filter(({ state }) => state === 'waiting')
    if (ready.length === 0) return
    if (await contributor.identify()) enqueue(ready)
    else setUploads((before) => before.filter((upload) => !ready.some(({ key }) => key === upload.key)))
  }

  async function retry(upload: Upload): Promise<void> {
    if (!(await contributor.identify())) return
    const again = { ...upload, abort: new AbortController() }
    change(upload.key, { state: 'waiting', problem: null, abort: again.abort })
    enqueue([again])
  }

  function remove({ key, abort }: Upload): void {
    abort.abort()
    setUploads((before) => before.filter((upload) => upload.key !== key))
  }

  return { uploads, add, retry, remove }
}

/** The server has looked into the file and will not have it, however often it is sent. */
function isFileRefused(error: unknown): boolean {
  const refusals = ['bad_input', 'too_long', 'too_large', 'wrong_type']
  return error instanceof ApiError && error.code !== null && refusals.includes(error.code)
}

/** `asked` is the kind that was chosen; a dropped file says itself what it is. Takes its place from `left`. */
function toUpload(
  file: File,
  asked: MediaType | undefined,
  sender: Contributor['sender'],
  left: Left | null,
): Upload {
  const type = asked ?? mediaTypeOf(file) ?? kindItSays(file)
  const refusal = contributorFileProblem(type, file, sender)
  const problem = refusal ?? (type && left && quotaProblem(type, left))
  if (problem) showErrorToast(problem.title, problem.text)
  return {
    key: crypto.randomUUID(),
    file,
    type,
    state: problem ? 'failed' : 'waiting',
    part: 0,
    problem: problem && [problem.text, problem.advice].filter(Boolean).join(' '),
    canRetry: refusal === null,
    abort: new AbortController(),
  }
}

/** The kind that a file of a format we do not take says it is. */
function kindItSays({ type }: File): MediaType | null {
  if (type.startsWith('image/')) return 'IMAGE'
  if (type.startsWith('video/')) return 'VIDEO'
  return type.startsWith('audio/') ? 'AUDIO' : null
}

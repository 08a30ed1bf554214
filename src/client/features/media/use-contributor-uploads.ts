import { useEffect, useRef } from 'react'
import type { MediaType } from '#shared/media/media-types.ts'
import { filesChosen, messages, thanksFor } from '#shared/messages.ts'
import { ApiError } from '#client/lib/call.ts'
import type { Contributor } from '#client/lib/contributor.ts'
import { announce, showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { quickProblem } from '#client/lib/upload/check-media.ts'
import {
  CONTRIBUTOR_WRONG_TYPE,
  contributorFileProblem,
  mediaTypeOf,
  type FileProblem,
  type MediaRule,
} from '#client/lib/upload/file-rules.ts'
import { newUploadItem, type UploadItem } from '#client/lib/upload/upload-item.ts'
import { enqueueUpload, inspectUpload, type UploadResult } from '#client/lib/upload/upload-queue.ts'
import { uploadListFor } from '#client/lib/upload/upload-list.ts'
import { useUploadQueue } from '#client/lib/upload/use-upload-queue.ts'
import { remainingQuota, maxDurationOf, quotaProblem, type RemainingQuota } from './contributor-limits.ts'

const ON_ITS_WAY: ReadonlySet<UploadItem['state']> = new Set([
  'preparing',
  'ready',
  'waiting',
  'sending',
  'offline',
  'held',
])
/** The `writerId` of a guest who has not given a name yet. */
const GUEST_ID = 'guest'

/** Uploads on the memorial page: chosen files are checked and then sent without another press. */
export function useContributorUploads(memorialId: string, contributor: Contributor, onAdded: () => void) {
  const store = uploadListFor(memorialId)
  /** Types of what was sent since the last notification. */
  const sent = useRef<MediaType[]>([])
  /** As last rendered: somebody may give a name for a message while a file is still inspected. */
  const newest = useRef(contributor)
  useEffect(() => {
    newest.current = contributor
  })
  const personId = contributor.writerId === GUEST_ID ? null : contributor.writerId
  const { items, unfinished } = useUploadQueue(store, { personId, memorialId, skipsMain: true }, enqueue)

  function enqueue(item: UploadItem): void {
    const failureText = messages.media.interrupted
    void enqueueUpload(store, item, { memorialId, failureText, onPoster: onAdded }).then(report)
  }

  async function report(result: UploadResult): Promise<void> {
    if (result.kind === 'halted') await report(await result.outcome)
    if (result.kind === 'sent') {
      sent.current.push(result.item.media.type)
      contributor.refreshQuotas()
      onAdded()
    }
    if (result.kind === 'failed') {
      showErrorToast(messages.media.uploadFailedTitle, result.problem)
      contributor.onRefused(result.error)
      // Added in another tab: the buttons follow.
      if (result.error instanceof ApiError && result.error.code === 'quota_exceeded')
        contributor.refreshQuotas()
    }
    announceSent()
  }

  /** One notification for all files that were chosen together, once none of them is on its way; a paused one does not count. */
  function announceSent(): void {
    if (sent.current.length === 0 || store.items().some(({ state }) => ON_ITS_WAY.has(state))) return
    const added = sent.current
    sent.current = []
    showToast({
      title: messages.media.uploadedTitle,
      ...(contributor.sender === 'contributor' && { text: thanksFor(added) }),
    })
  }

  /** Takes chosen or dropped files. A guest is asked for a name once the first file can be sent. */
  async function add(files: File[], chosenType?: MediaType): Promise<void> {
    const remaining = contributor.quotas && remainingQuota(contributor.quotas, items)
    const added = files.map((file) => toItem(file, chosenType, contributor, remaining))
    store.remove(({ state }) => state === 'sent')
    store.add(added)
    const prepared = added.filter(({ state }) => state === 'preparing')
    if (prepared.length > 0) announce(filesChosen(prepared.flatMap(({ type }) => type ?? [])))
    const keys = new Set(prepared.map(({ key }) => key))
    let identified: ReturnType<Contributor['identify']> | null = null
    for (const item of prepared) {
      if (!(await inspect(item))) continue
      identified ??= newest.current.identify()
      if (await identified) enqueue(item)
      else store.remove(({ key }) => keys.has(key))
    }
    announceSent()
  }

  /** False if the file was rejected, or removed meanwhile. */
  async function inspect(item: UploadItem): Promise<boolean> {
    const { key, type, control } = item
    if (type === null) return false
    const { problem } = await inspectUpload(store, item, ruleOf(type, contributor))
    if (control.state() === 'stopped') return false
    if (problem) {
      showErrorToast(problem.title, problem.text)
      store.dispatch(key, { type: 'failed', problem: uploadProblemText(problem), canRetry: false })
      return false
    }
    store.dispatch(key, { type: 'queued' })
    return true
  }

  async function retry(item: UploadItem): Promise<void> {
    if (!(await contributor.identify())) return
    store.dispatch(item.key, { type: 'queued' })
    if (item.checked || (await inspect(item))) enqueue(item)
  }

  const remove = (item: UploadItem) => store.remove(({ key }) => key === item.key)
  return { uploads: items, unfinished, add, retry, remove }
}

/** Upload rules of a media type; only contributors have duration limits. */
function ruleOf(type: MediaType, { sender }: Contributor): MediaRule {
  return {
    type,
    problemOf: (file) => contributorFileProblem(type, file, sender),
    wrongType: CONTRIBUTOR_WRONG_TYPE[type],
    maxDurationSec: maxDurationOf(type, sender),
  }
}

function uploadProblemText({ text, advice }: FileProblem): string {
  return [text, advice].filter(Boolean).join(' ')
}

/** `chosenType` is undefined for a dropped file, whose MIME type decides. Takes one item from `remaining`. */
function toItem(
  file: File,
  chosenType: MediaType | undefined,
  contributor: Contributor,
  remaining: RemainingQuota | null,
): UploadItem {
  const type = chosenType ?? mediaTypeOf(file) ?? declaredType(file)
  const refusal = type
    ? quickProblem(file, ruleOf(type, contributor))
    : contributorFileProblem(type, file, contributor.sender)
  const problem = refusal ?? (type && remaining && quotaProblem(type, remaining))
  if (!problem) return newUploadItem(file, { type })
  showErrorToast(problem.title, problem.text)
  return newUploadItem(file, {
    type,
    state: 'failed',
    problem: uploadProblemText(problem),
    canRetry: refusal === null,
  })
}

/** The media type that a file of an unsupported format declares. */
function declaredType({ type }: File): MediaType | null {
  if (type.startsWith('image/')) return 'IMAGE'
  if (type.startsWith('video/')) return 'VIDEO'
  return type.startsWith('audio/') ? 'AUDIO' : null
}

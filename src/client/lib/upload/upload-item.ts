import type { Media } from '#shared/media/media.ts'
import type { MediaType } from '#shared/media/media-types.ts'
import type { CheckedMedia } from './check-media.ts'

/**
 * The states of an upload:
 *
 *     preparing -> ready -> waiting -> sending -> sent
 *                              ^       |  ^  |
 *                              |       v  |  v
 *                              |   paused    failed
 *                              |   offline   |
 *                              |   held      |
 *                              +-------------+
 *
 * `preparing`: the file is being checked, a photo resized. `ready`: checked, but the user has not pressed Send.
 * `waiting`: in the queue. `paused`: by the user. `offline`: no connection; it resumes by itself.
 * `held`: there is no room until other files have arrived; it resumes by itself.
 */
export type UploadStatus =
  | 'preparing'
  | 'ready'
  | 'waiting'
  | 'sending'
  | 'paused'
  | 'offline'
  | 'held'
  | 'sent'
  | 'failed'

/** One file that is uploaded, as a screen shows it. */
export type UploadItem = {
  /** Idempotency key of the upload, and React key of its row. */
  key: string
  /** The chosen file; from the start of the upload, the file that is sent. */
  file: File
  /** Null for an unsupported type: the upload fails at once. */
  type: MediaType | null
  /** The wizard's main photo, which becomes the cover. */
  isMain: boolean
  /** Result of the check; null before. The upload decides at its start which of the two files it sends. */
  checked: CheckedMedia | null
  /** The photo of which `file` is a smaller copy. */
  original: File | null
  state: UploadStatus
  /** Fraction of the bytes sent, 0 to 1. */
  progress: number
  /** Why it failed: a message for the user. */
  problem: string | null
  /** False if the server refused the file itself: a retry cannot succeed. */
  canRetry: boolean
  control: UploadControl
  /** URL of the upload on the server if an earlier visit started it. */
  url: string | null
  /** The media item that was made from the file. */
  media: Media | null
}

export type UploadEvent =
  | { type: 'checked'; checked: CheckedMedia }
  | { type: 'queued' }
  | { type: 'started'; file: File; original: File | null }
  | { type: 'progressed'; progress: number }
  | { type: 'blocked'; by: 'user' | 'network' | 'room' | null }
  | { type: 'sent'; media: Media }
  | { type: 'failed'; problem: string; canRetry: boolean }

/** An upload of a file that was just chosen. */
export function newUploadItem(
  file: File,
  changes: Pick<UploadItem, 'type'> & Partial<UploadItem>,
): UploadItem {
  return {
    key: crypto.randomUUID(),
    file,
    isMain: false,
    checked: null,
    original: null,
    state: 'preparing',
    progress: 0,
    problem: null,
    canRetry: true,
    control: newUploadControl(),
    url: null,
    media: null,
    ...changes,
  }
}

/** The check's result for a file that is sent unmodified. */
export function checkedUnmodified(file: File): CheckedMedia {
  return { original: file, smaller: null, mayKeep: true, problem: null }
}

const BLOCKED_STATE = { user: 'paused', network: 'offline', room: 'held' } as const

export function nextUpload(item: UploadItem, event: UploadEvent): UploadItem {
  switch (event.type) {
    case 'checked': {
      // It may be queued already.
      const state = item.state === 'preparing' ? 'ready' : item.state
      return { ...item, state, checked: event.checked }
    }
    case 'queued':
      return { ...item, state: 'waiting', problem: null }
    case 'started':
      // From now on only this file: a retry must send the same bytes.
      return {
        ...item,
        state: 'sending',
        problem: null,
        file: event.file,
        original: event.original,
        checked: checkedUnmodified(event.file),
      }
    case 'progressed':
      return { ...item, progress: event.progress }
    case 'blocked':
      return { ...item, state: event.by === null ? 'sending' : BLOCKED_STATE[event.by] }
    case 'sent':
      return { ...item, state: 'sent', progress: 1, media: event.media }
    case 'failed':
      break
  }
  const { problem, canRetry } = event
  return { ...item, state: 'failed', progress: 0, problem, canRetry }
}

const PENDING: ReadonlySet<UploadStatus> = new Set(['waiting', 'sending', 'paused', 'offline', 'held'])

/** True from when a file is queued until it was sent, has failed or was stopped. */
export function isPending({ state }: Pick<UploadItem, 'state'>): boolean {
  return PENDING.has(state)
}

/** What the user wants for one upload. */
export type UploadControl = {
  state: () => 'running' | 'paused' | 'stopped'
  pause: () => void
  resume: () => void
  stop: () => void
  /** Calls `listener` after each change. Returns a function that unsubscribes. */
  subscribe: (listener: () => void) => () => void
}

export function newUploadControl(): UploadControl {
  let state: ReturnType<UploadControl['state']> = 'running'
  const listeners = new Set<() => void>()
  const become = (next: typeof state) => {
    if (state === 'stopped' || state === next) return
    state = next
    for (const listener of listeners) listener()
  }
  return {
    state: () => state,
    pause: () => become('paused'),
    resume: () => become('running'),
    stop: () => become('stopped'),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Resolves when the user pauses or stops the upload; the next file then need not wait for it. */
export async function untilHalted(control: UploadControl): Promise<void> {
  if (control.state() !== 'running') return
  await new Promise<void>((resolve) => {
    const unsubscribe = control.subscribe(() => {
      unsubscribe()
      resolve()
    })
  })
}

import { TOAST_ACTION_MS, TOAST_MIN_MS, TOAST_MS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { errorText } from './call.ts'

export type Toast = {
  id: number
  kind: 'info' | 'error'
  title: string
  text?: string | undefined
  /** A button, for example "Undo"; pressing it also closes the notification. */
  action?: { label: string; run: () => void } | undefined
}

let current: Toast | null = null
let nextId = 1
let timer: ReturnType<typeof setTimeout> | undefined
/** Waits until the current toast has been shown long enough to read. */
let waiting: Toast | null = null
let waitTimer: ReturnType<typeof setTimeout> | undefined
let shownAt = 0
const listeners = new Set<() => void>()

function set(toast: Toast | null): void {
  current = toast
  for (const listener of listeners) listener()
}

/** Shows a notification for 5 seconds, with an action for 10. A new one replaces the old one after a moment; errors replace it at once. */
export function showToast(toast: Omit<Toast, 'id' | 'kind'> & { kind?: Toast['kind'] }): void {
  const next: Toast = { id: nextId++, kind: 'info', ...toast }
  clearTimeout(waitTimer)
  waiting = null
  const left = current === null || next.kind === 'error' ? 0 : shownAt + TOAST_MIN_MS - Date.now()
  if (left <= 0) {
    show(next)
  } else {
    waiting = next
    waitTimer = setTimeout(() => show(next), left)
  }
}

function show(toast: Toast): void {
  waiting = null
  shownAt = Date.now()
  set(toast)
  releaseToast()
}

/** As {@link showToast}, for errors. */
export function showErrorToast(title: string, text?: string): void {
  showToast({ kind: 'error', title, text })
}

let spoken = ''
let spokenTimer: ReturnType<typeof setTimeout> | undefined

/** Tells screen readers about a result that everybody else can see on the page. A notification stays as it is. */
export function announce(text: string): void {
  // The same text again is read only if it changes.
  speak(text === spoken ? `${text}\u00a0` : text)
  clearTimeout(spokenTimer)
  spokenTimer = setTimeout(() => speak(''), TOAST_MS)
}

function speak(text: string): void {
  spoken = text
  for (const listener of listeners) listener()
}

/** An error toast with the text of a failed call; `fallback` if the failure has none. */
export function showFailure(
  title: string,
  error: unknown,
  fallback: string = messages.system.internal,
): void {
  showErrorToast(title, errorText(error, fallback))
}

/** Closes the notification; a pending one takes its place. */
export function dismissToast(): void {
  clearTimeout(timer)
  clearTimeout(waitTimer)
  if (waiting) show(waiting)
  else set(null)
}

/** Keeps the notification open while the pointer or the focus is on it. */
export function holdToast(): void {
  clearTimeout(timer)
}

/** Restarts its time. */
export function releaseToast(): void {
  clearTimeout(timer)
  timer = setTimeout(() => set(null), current?.action ? TOAST_ACTION_MS : TOAST_MS)
}

export const toastStore = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  get: (): Toast | null => current,
  spoken: (): string => spoken,
}

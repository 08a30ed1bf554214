import { TOAST_MS } from '#shared/limits.ts'

export type Toast = { id: number; kind: 'info' | 'error'; title: string; text?: string }

let current: Toast | null = null
let nextId = 1
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function set(toast: Toast | null): void {
  current = toast
  for (const listener of listeners) listener()
}

/** Shows a notification for 5 seconds. There is one at a time: a new one takes the place of the old. */
export function showToast(toast: { kind?: Toast['kind']; title: string; text?: string }): void {
  clearTimeout(timer)
  set({
    id: nextId++,
    kind: toast.kind ?? 'info',
    title: toast.title,
    ...(toast.text ? { text: toast.text } : {}),
  })
  releaseToast()
}

/** As {@link showToast}, for what failed. */
export function showErrorToast(title: string, text?: string): void {
  showToast({ kind: 'error', title, ...(text ? { text } : {}) })
}

/** Takes the notification away at once. */
export function dismissToast(): void {
  clearTimeout(timer)
  set(null)
}

/** Keeps the notification while somebody reads it: the pointer is on it, or the focus in it. */
export function holdToast(): void {
  clearTimeout(timer)
}

/** Lets it go after its 5 seconds. */
export function releaseToast(): void {
  clearTimeout(timer)
  timer = setTimeout(() => set(null), TOAST_MS)
}

export const toastStore = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  get: (): Toast | null => current,
}

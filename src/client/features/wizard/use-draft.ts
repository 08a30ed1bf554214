import { useState } from 'react'
import { clearDraft, readDraft, writeDraft, type DraftKey } from './drafts.ts'

export type Draft<T> = {
  values: T
  /** When the words were last kept on this device, in ms; null when nothing waits to be sent. */
  keptAt: number | null
  /** True while what is shown was restored from this device and not sent yet. */
  wasRestored: boolean
  change: (values: T) => void
  /** Forgets the draft, and shows `values` when given. */
  clear: (values?: T) => void
}

/** A step's values: the draft on this device when there is one, else what is saved. Every change is kept at once. */
export function useDraft<T>(key: DraftKey, saved: T, isDraft: (values: unknown) => values is T): Draft<T> {
  const [state, setState] = useState(() => {
    const draft = readDraft(localStorage, key, isDraft)
    return {
      values: draft?.values ?? saved,
      keptAt: draft?.savedAt ?? null,
      wasRestored: draft !== null,
    }
  })
  return {
    ...state,
    change(values) {
      const now = Date.now()
      const isKept = writeDraft(localStorage, key, values, now)
      setState({ values, keptAt: isKept ? now : null, wasRestored: state.wasRestored })
    },
    clear(values) {
      clearDraft(localStorage, key)
      setState({ values: values ?? state.values, keptAt: null, wasRestored: false })
    },
  }
}

/** True for an object that has these keys, all of them text. */
export function hasTexts(values: unknown, names: readonly string[]): boolean {
  if (typeof values !== 'object' || values === null) return false
  const record = values as Record<string, unknown>
  return names.every((name) => typeof record[name] === 'string')
}

import { useState } from 'react'
import { clearDraft, readDraft, writeDraft, type DraftKey } from './drafts.ts'

export type Draft<T> = {
  values: T
  /** When the values were last stored on this device, in ms; null if everything is saved on the server. */
  storedAt: number | null
  /** True while the values shown come from a restored draft. */
  wasRestored: boolean
  change: (values: T) => void
  /** Deletes the draft, and shows `values` if given. */
  clear: (values?: T) => void
}

/** Values of a step: the draft on this device if there is one, otherwise the saved values. Stores every change at once. */
export function useDraft<T>(key: DraftKey, saved: T, isDraft: (values: unknown) => values is T): Draft<T> {
  const [state, setState] = useState(() => {
    const draft = readDraft(localStorage, key, isDraft)
    return {
      values: draft?.values ?? saved,
      storedAt: draft?.savedAt ?? null,
      wasRestored: draft !== null,
    }
  })
  return {
    ...state,
    change(values) {
      const now = Date.now()
      const isStored = writeDraft(localStorage, key, values, now)
      setState({ values, storedAt: isStored ? now : null, wasRestored: state.wasRestored })
    },
    clear(values) {
      clearDraft(localStorage, key)
      setState({ values: values ?? state.values, storedAt: null, wasRestored: false })
    },
  }
}

/** Whether `values` is an object that has these keys, all with text values. */
export function hasTexts(values: unknown, names: readonly string[]): boolean {
  if (typeof values !== 'object' || values === null) return false
  const record = values as Record<string, unknown>
  return names.every((name) => typeof record[name] === 'string')
}

import { useState } from 'react'

type Draft<T> = {
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

/** An unsaved draft on this device: one per account, memorial (null before it exists) and step. */
type DraftKey = { userId: string; memorialId: string | null; step: number }

type Stored = { values: unknown; savedAt: number }

const PREFIX = 'nhaka-draft'

function nameOf({ userId, memorialId, step }: DraftKey): string {
  return `${PREFIX}:${userId}:${memorialId ?? 'new'}:${step}`
}

/** Returns the draft, or null if there is none or it is unreadable. `isDraft` validates data stored by older versions. */
export function readDraft<T>(
  storage: Storage,
  key: DraftKey,
  isDraft: (values: unknown) => values is T,
): { values: T; savedAt: number } | null {
  const text = storage.getItem(nameOf(key))
  if (text === null) return null
  try {
    const stored = JSON.parse(text) as Stored
    return isDraft(stored.values) ? { values: stored.values, savedAt: stored.savedAt } : null
  } catch (error) {
    console.warn('A draft on this device could not be read', error)
    return null
  }
}

/** Stores the values; false when storage is full or disabled. */
export function writeDraft(storage: Storage, key: DraftKey, values: unknown, now: number): boolean {
  try {
    storage.setItem(nameOf(key), JSON.stringify({ values, savedAt: now } satisfies Stored))
    return true
  } catch (error) {
    console.warn('A draft could not be stored on this device', error)
    return false
  }
}

export function clearDraft(storage: Storage, key: DraftKey): void {
  storage.removeItem(nameOf(key))
}

/** Moves the drafts written before the memorial existed to the new memorial. */
export function adoptDrafts(storage: Storage, userId: string, memorialId: string, steps: number): void {
  for (let step = 0; step < steps; step++) {
    const from = nameOf({ userId, memorialId: null, step })
    const text = storage.getItem(from)
    if (text === null) continue
    storage.setItem(nameOf({ userId, memorialId, step }), text)
    storage.removeItem(from)
  }
}

/** Words not sent yet, kept on this device for one account, one memorial ("new" before it exists) and one step. */
export type DraftKey = { userId: string; memorialId: string | null; step: number }

type Stored = { values: unknown; savedAt: number }

const PREFIX = 'nhaka-draft'

function nameOf({ userId, memorialId, step }: DraftKey): string {
  return `${PREFIX}:${userId}:${memorialId ?? 'new'}:${step}`
}

/** The draft, or null when there is none, or none that can be read. `isDraft` judges what an older version stored. */
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

/** Keeps the values; false when the device refuses (storage full or switched off). */
export function writeDraft(storage: Storage, key: DraftKey, values: unknown, now: number): boolean {
  try {
    storage.setItem(nameOf(key), JSON.stringify({ values, savedAt: now } satisfies Stored))
    return true
  } catch (error) {
    console.warn('A draft could not be kept on this device', error)
    return false
  }
}

/** Forgets the draft. */
export function clearDraft(storage: Storage, key: DraftKey): void {
  storage.removeItem(nameOf(key))
}

/** Gives the drafts begun before the memorial existed to the memorial that now does. */
export function adoptDrafts(storage: Storage, userId: string, memorialId: string, steps: number): void {
  for (let step = 0; step < steps; step++) {
    const from = nameOf({ userId, memorialId: null, step })
    const text = storage.getItem(from)
    if (text === null) continue
    storage.setItem(nameOf({ userId, memorialId, step }), text)
    storage.removeItem(from)
  }
}

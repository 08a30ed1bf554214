import { isPending, nextUpload, type UploadEvent, type UploadItem } from './upload-item.ts'

/** The uploads of one memorial on this page, for `useSyncExternalStore`. */
export type UploadList = {
  items: () => readonly UploadItem[]
  find: (key: string) => UploadItem | undefined
  add: (items: readonly UploadItem[]) => void
  /** Applies an event to one upload; ignored if it was removed meanwhile. */
  dispatch: (key: string, event: UploadEvent) => void
  /** Stops unsent uploads and removes them from the list. */
  remove: (matches: (item: UploadItem) => boolean) => void
  subscribe: (listener: () => void) => () => void
  /** Runs one task after another. */
  enqueue: (work: () => Promise<unknown>) => void
}

const stores = new Map<string, UploadList>()

/** The store of a memorial. It outlives the screens, so that uploads continue while the user visits others. */
export function uploadListFor(memorialId: string): UploadList {
  const store = stores.get(memorialId) ?? newUploadList()
  stores.set(memorialId, store)
  return store
}

export function newUploadList(): UploadList {
  let items: readonly UploadItem[] = []
  let queue = Promise.resolve<unknown>(null)
  const listeners = new Set<() => void>()
  const replace = (next: readonly UploadItem[]) => {
    items = next
    for (const listener of listeners) listener()
  }
  return {
    items: () => items,
    find: (key) => items.find((item) => item.key === key),
    add: (added) => replace([...items, ...added]),
    dispatch: (key, event) =>
      replace(items.map((item) => (item.key === key ? nextUpload(item, event) : item))),
    remove(matches) {
      for (const item of items) if (matches(item)) item.control.stop()
      replace(items.filter((item) => !matches(item)))
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    enqueue(work) {
      queue = queue.then(work)
    },
  }
}

/** True while a file of any memorial is on its way from this page. */
export function isAnyPending(): boolean {
  return [...stores.values()].some((store) => store.items().some(isPending))
}

/** Stops and removes every upload of this page, at sign-out. */
export function stopAllUploads(): void {
  for (const store of stores.values()) store.remove(() => true)
  stores.clear()
}

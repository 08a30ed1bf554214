import type { SendRow } from './send-row.ts'

/** The files of one memorial that are being sent. They go on while their person looks at another page of ours. */
export type RowStore<R extends SendRow> = {
  rows: () => readonly R[]
  change: (next: (rows: readonly R[]) => readonly R[]) => void
  subscribe: (listener: () => void) => () => void
  /** Does one thing after another. */
  enqueue: (work: () => Promise<unknown>) => void
}

const stores = new Map<string, RowStore<never>>()

/** The one store of this name on this page. A name is always of the same kind of rows. */
export function rowStoreOf<R extends SendRow>(name: string): RowStore<R> {
  const found = stores.get(name) as RowStore<R> | undefined
  if (found) return found
  const made = newRowStore<R>()
  stores.set(name, made as unknown as RowStore<never>)
  return made
}

function newRowStore<R extends SendRow>(): RowStore<R> {
  let rows: readonly R[] = []
  let queue = Promise.resolve<unknown>(null)
  const listeners = new Set<() => void>()
  return {
    rows: () => rows,
    change(next) {
      rows = next(rows)
      for (const listener of listeners) listener()
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

/** Stops everything that is being sent and forgets it: its person signs out. */
export function forgetRows(): void {
  for (const store of stores.values()) {
    for (const { control } of store.rows() as readonly SendRow[]) control.stop()
    store.change(() => [])
  }
  stores.clear()
}

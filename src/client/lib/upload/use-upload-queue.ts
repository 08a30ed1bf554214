import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { fileInUse } from './check-media.ts'
import {
  deleteOrphanFiles,
  deletePersisted,
  isPersisted,
  isSameFile,
  listPersisted,
  markUnwanted,
  persistedFile,
  persistUpload,
  type PersistedUpload,
} from './persisted-uploads.ts'
import { deleteUploadOnServer } from './send-media.ts'
import { checkedUnmodified, isPending, newUploadItem, type UploadItem } from './upload-item.ts'
import { acquireUploadLock, releaseUploadLock } from './upload-lock.ts'
import type { UploadList } from './upload-list.ts'

/** Uploads from earlier visits whose file the user has to choose again. */
export type UnfinishedUploads = {
  items: readonly PersistedUpload[]
  /** False if it is a different file. */
  choose: (upload: PersistedUpload, file: File) => Promise<boolean>
  discard: (upload: PersistedUpload) => void
}

type Owner = {
  /** Null while the user has no account or name. */
  personId: string | null
  memorialId: string | null
  /** True if the wizard handles its main photo itself, to make it the cover. */
  skipsMain?: boolean
}

/**
 * The uploads of a store. Persists queued ones, and finds those of earlier visits: adds them to the store and passes
 * them to `resume`, at once if the file is on this device, else after the user has chosen it.
 */
export function useUploadQueue(
  store: UploadList,
  { personId, memorialId, skipsMain = false }: Owner,
  resume: (item: UploadItem) => void,
): { items: readonly UploadItem[]; unfinished: UnfinishedUploads } {
  const items = useSyncExternalStore(store.subscribe, store.items, store.items)
  const [unfinished, setUnfinished] = useState<readonly PersistedUpload[]>([])

  useEffect(() => {
    if (personId === null || memorialId === null) return
    for (const item of items) {
      const { key, type, checked, isMain } = item
      if (type === null || checked === null || !isPending(item) || isPersisted(key)) continue
      void acquireUploadLock(key)
      void persistUpload({ key, memorialId, personId, type, isMain }, fileInUse(item).file)
    }
  }, [personId, memorialId, items])

  function add(upload: PersistedUpload, file: File): void {
    const { key, type, isMain, url, safe, size } = upload
    const progress = safe / size
    const checked = checkedUnmodified(file)
    const item = newUploadItem(file, { key, type, isMain, url, progress, checked, state: 'waiting' })
    // It may have failed on this page before.
    store.remove((before) => before.key === key)
    store.add([item])
    resume(item)
  }
  const addFound = useEffectEvent(add)

  useEffect(() => {
    if (personId === null || memorialId === null) return undefined
    let isOver = false
    const shown = new Set<string>()
    async function find(person: string, memorial: string): Promise<void> {
      await deleteOrphanFiles()
      for (const upload of listPersisted(person, memorial)) {
        if (isOver) return
        if (upload.isUnwanted) void deleteEverywhere(upload)
        else if (skipsMain && upload.isMain) continue
        else if (await acquireUploadLock(upload.key)) {
          const file = await persistedFile(upload)
          if (isOver) releaseUploadLock(upload.key)
          else if (file) addFound(upload, file)
          else {
            shown.add(upload.key)
            setUnfinished((before) => [...before, upload])
          }
        }
      }
    }
    const deleteUnwanted = () => {
      for (const upload of listPersisted(personId, memorialId)) {
        if (upload.isUnwanted) void deleteEverywhere(upload)
      }
    }
    void find(personId, memorialId)
    window.addEventListener('online', deleteUnwanted)
    return () => {
      isOver = true
      window.removeEventListener('online', deleteUnwanted)
      for (const key of shown) releaseUploadLock(key)
      setUnfinished([])
    }
  }, [personId, memorialId, skipsMain])

  const hide = (upload: PersistedUpload) =>
    setUnfinished((before) => before.filter(({ key }) => key !== upload.key))
  return {
    items,
    unfinished: {
      items: unfinished,
      async choose(upload, file) {
        if (!(await isSameFile(upload, file))) return false
        hide(upload)
        add(upload, file)
        return true
      },
      discard(upload) {
        hide(upload)
        void deleteEverywhere(upload)
        releaseUploadLock(upload.key)
      },
    },
  }
}

/** Deletes an upload on the server and here. If the server is unreachable, the next visit tells it. */
async function deleteEverywhere({ key, url }: PersistedUpload): Promise<void> {
  markUnwanted(key)
  if (url === null || (await deleteUploadOnServer(url))) deletePersisted(key)
}

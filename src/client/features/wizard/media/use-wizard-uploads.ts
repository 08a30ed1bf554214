import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import type { Media } from '#shared/media/media.ts'
import { messages } from '#shared/messages.ts'
import { changeLoaded, endpointQuery } from '#client/lib/query-client.ts'
import { showToast } from '#client/lib/toast-store.ts'
import type { FileProblem, MediaRule } from '#client/lib/upload/file-rules.ts'
import { isFilePersisted } from '#client/lib/upload/persisted-uploads.ts'
import { isPending, newUploadItem, type UploadItem } from '#client/lib/upload/upload-item.ts'
import {
  enqueueUpload,
  inspectUpload,
  type SentUpload,
  type UploadOutcome,
} from '#client/lib/upload/upload-queue.ts'
import { newUploadList } from '#client/lib/upload/upload-list.ts'
import { useUploadQueue, type UnfinishedUploads } from '#client/lib/upload/use-upload-queue.ts'
import { useLeaveWarning } from '#client/lib/browser/window-hooks.ts'
import { saveCover } from '../save-memorial.ts'
import type { Wizard } from '../use-wizard.ts'

/** A file that failed validation. */
export type RefusedFile = { name: string; problem: FileProblem }
export type WizardUploads = {
  items: readonly UploadItem[]
  unfinished: UnfinishedUploads
  /** Whether there is a file that waits for Send. */
  canSend: boolean
  /** Validates the files and lists the valid ones. Returns the others. */
  add: (rule: MediaRule, files: readonly File[], isMain?: boolean) => Promise<RefusedFile[]>
  remove: (key: string) => void
  retry: (key: string) => Promise<void>
  /** Sends everything not sent yet. Returns the sent uploads and the number of failed files. */
  sendAll: (memorialId: string) => Promise<{ sent: SentUpload[]; failed: number }>
}

/**
 * Uploads of the wizard's story step, sent when the user presses Send or Next. The wizard calls this hook, not the step, so
 * that no file is lost when the user goes to another step and back.
 */
export function useWizardUploads(wizard: Wizard): WizardUploads {
  const client = useQueryClient()
  const [store] = useState(newUploadList)
  const { userId: personId, memorialId } = wizard
  const { items, unfinished } = useUploadQueue(store, { personId, memorialId }, (item) => void resume(item))
  // Skips files that another visit can resume.
  useLeaveWarning(items.length > 0, () =>
    store.items().some(({ key, state }) => state !== 'sent' && !isFilePersisted(key)),
  )

  const isUnsent = (item: UploadItem) => item.state !== 'sent' && !isPending(item)
  const remove = (key: string) => store.remove((item) => item.key === key)

  function updateSaved(id: string, update: (all: Media[]) => Media[]): void {
    const { queryKey } = endpointQuery(api.listMedia, { params: { id } })
    changeLoaded(client, queryKey, (page) => page && { ...page, media: update(page.media) })
  }

  /** A file that the user pauses delays neither the others nor the step. */
  async function send(id: string, pending: readonly UploadItem[]) {
    const target = {
      memorialId: id,
      failureText: messages.media.storyOrUploadFailed,
      onPoster: (media: Media) =>
        updateSaved(id, (all) => all.map((old) => (old.id === media.id ? media : old))),
    }
    const results = pending.map(async (item) => {
      const result = await enqueueUpload(store, item, target)
      if (result.kind === 'sent') addSaved(id, result.item)
      if (result.kind === 'halted') void result.outcome.then((outcome) => finishLate(id, outcome))
      return result
    })
    const ended = await Promise.all(results)
    removeSent()
    return {
      sent: ended.flatMap((result) => (result.kind === 'sent' ? [result.item] : [])),
      failed: ended.filter(({ kind }) => kind === 'failed').length,
    }
  }

  async function finishLate(id: string, outcome: UploadOutcome): Promise<void> {
    if (outcome.kind !== 'sent') return
    addSaved(id, outcome.item)
    removeSent()
    await announce(id, outcome.item)
  }

  function addSaved(id: string, { media }: SentUpload): void {
    updateSaved(id, (all) => [media, ...all.filter((old) => old.id !== media.id)])
  }

  async function announce(id: string, { isMain, media }: SentUpload): Promise<void> {
    showToast({ title: messages.media.uploadedTitle })
    if (isMain) await saveCover(wizard, id, media.id).catch(() => null)
  }

  /** Sent files appear among the saved media below. */
  const removeSent = () => store.remove(({ state }) => state === 'sent')

  async function resume(unfinishedItem: UploadItem): Promise<void> {
    if (!memorialId) return
    const { sent } = await send(memorialId, [unfinishedItem])
    for (const item of sent) await announce(memorialId, item)
  }

  return {
    items,
    unfinished,
    canSend: items.some(isUnsent),
    async add(rule, files, isMain = false) {
      const added = files.map((file) => newUploadItem(file, { type: rule.type, isMain }))
      if (isMain) store.remove((item) => item.isMain)
      store.add(added)
      const inspected = added.map((item) => ({ item, inspection: inspectUpload(store, item, rule) }))
      const refused: RefusedFile[] = []
      for (const { item, inspection } of inspected) {
        const { problem } = await inspection
        if (!problem) continue
        refused.push({ name: item.file.name, problem })
        remove(item.key)
      }
      return refused
    },
    remove,
    async retry(key) {
      const id = wizard.requireMemorial()
      const item = store.find(key)
      if (id && item) await send(id, [item])
    },
    sendAll: (id) => send(id, store.items().filter(isUnsent)),
  }
}

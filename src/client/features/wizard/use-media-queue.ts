import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import type { Media, MediaType } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import { asItIs, checkMedia, type CheckedMedia } from '#client/lib/check-media.ts'
import type { FileProblem, MediaRule } from '#client/lib/file-rules.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { isFileKept } from '#client/lib/kept-uploads.ts'
import { isOnItsWay, newRow, sendProblem, sendRow, type SendRow } from '#client/lib/send-row.ts'
import { untilHalted } from '#client/lib/send-switch.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { useLeaveWarning } from '#client/lib/use-leave-warning.ts'
import { useKeptUploads, type LeftUploads, type Resumed } from '#client/lib/use-kept-uploads.ts'
import { saveCover } from './save-cover.ts'
import type { Wizard } from './wizard.ts'

export type QueuedFile = SendRow & {
  type: MediaType
  isMain: boolean
  media: Media | null
  /** Being looked into. */
  check: Promise<CheckedMedia>
}
/** A file that was looked into and cannot be taken. */
export type RefusedFile = { name: string; problem: FileProblem }
export type MediaQueue = {
  items: readonly QueuedFile[]
  /** What an earlier visit had begun, and whose file has to be chosen again. */
  unfinished: LeftUploads
  isSending: boolean
  /** Looks into the files and keeps the good ones. Answers the others. */
  add: (rule: MediaRule, files: readonly File[], isMain?: boolean) => Promise<RefusedFile[]>
  remove: (key: string) => void
  /** Sends one file again. */
  retry: (key: string) => Promise<void>
  /** Sends everything not sent yet, one after another. Answers what came through, and how many did not. */
  sendAll: (memorialId: string) => Promise<{ sent: QueuedFile[]; failed: number }>
}

/**
 * The files chosen in the media step. It lives beside the steps, so that going to another step and back loses none.
 * Each file has an idempotency key: one that arrived although the answer was lost is not stored twice.
 */
export function useMediaQueue(wizard: Wizard): MediaQueue {
  const client = useQueryClient()
  const [items, setItems] = useState<QueuedFile[]>([])
  // Not of files that another visit can go on with.
  useLeaveWarning(items.length > 0, () =>
    items.some(({ key, state }) => state !== 'sent' && !isFileKept(key)),
  )
  const unfinished = useKeptUploads(wizard.userId, wizard.memorialId, items, (upload) => void goOn(upload))

  const patch = (key: string, change: Partial<QueuedFile>) =>
    setItems((all) => all.map((item) => (item.key === key ? { ...item, ...change } : item)))

  function remove({ key, control }: QueuedFile): void {
    control.stop()
    setItems((all) => all.filter((item) => item.key !== key))
  }

  function changeSaved(memorialId: string, change: (all: Media[]) => Media[]): void {
    const { queryKey } = endpointQuery(api.listMedia, { params: { id: memorialId } })
    client.setQueryData(queryKey, (page) => page && { ...page, media: change(page.media) })
  }

  async function sendOne(memorialId: string, item: QueuedFile): Promise<QueuedFile | null> {
    const { key, type, control } = item
    try {
      const checked = item.checked ?? (await item.check)
      if (control.state() === 'stopped') return null
      const change = (changes: Partial<QueuedFile>) => patch(key, changes)
      const onPoster = (media: Media) =>
        changeSaved(memorialId, (all) => all.map((old) => (old.id === media.id ? media : old)))
      const uploaded = await sendRow({ memorialId, row: { ...item, checked }, type, change, onPoster })
      if (!uploaded) return null
      const { media } = uploaded
      patch(key, { media })
      changeSaved(memorialId, (all) => [media, ...all])
      return { ...item, state: 'sent', media }
    } catch (error) {
      patch(key, {
        state: 'failed',
        part: 0,
        problem: sendProblem(error, messages.media.storyOrUploadFailed),
      })
      return null
    }
  }

  /** One that somebody pauses holds up neither the others nor the step: it goes on for itself. */
  async function send(memorialId: string, wanted: readonly QueuedFile[]) {
    for (const { key } of wanted) patch(key, { state: 'waiting' })
    const sent: QueuedFile[] = []
    let halted = 0
    for (const item of wanted) {
      const result = sendOne(memorialId, item)
      await Promise.race([result, untilHalted(item.control)])
      if (item.control.state() === 'going') {
        const done = await result
        if (done) sent.push(done)
      } else {
        halted += 1
        void result.then((done) => finishLate(memorialId, done))
      }
    }
    dropSent()
    return { sent, failed: wanted.length - sent.length - halted }
  }

  async function finishLate(memorialId: string, done: QueuedFile | null) {
    if (!done) return
    dropSent()
    showToast({ title: messages.media.uploadedTitle })
    if (done.isMain && done.media) await saveCover(wizard, memorialId, done.media.id).catch(() => null)
  }

  /** What came through is now among the saved ones below. */
  function dropSent(): void {
    setItems((all) => all.filter(({ state }) => state !== 'sent'))
  }

  async function goOn(upload: Resumed) {
    if (!wizard.memorialId) return
    const item = { ...upload, media: null, check: Promise.resolve(asItIs(upload.file)) }
    setItems((all) => [...all, item])
    const { sent } = await send(wizard.memorialId, [item])
    for (const done of sent) await finishLate(wizard.memorialId, done)
  }

  return {
    items,
    unfinished,
    isSending: items.some(isOnItsWay),
    async add(rule, files, isMain = false) {
      const added = files.map((file): QueuedFile => ({
        ...newRow(file, 'preparing'),
        check: checkMedia(file, rule),
        type: rule.type,
        isMain,
        media: null,
      }))
      setItems((all) => [...all.filter((item) => !(isMain && item.isMain)), ...added])
      const refused: RefusedFile[] = []
      for (const item of added) {
        const checked = await item.check
        if (checked.problem) {
          refused.push({ name: item.file.name, problem: checked.problem })
          remove(item)
        } else {
          setItems((all) => all.map((row) => (row.key === item.key ? asReady(row, checked) : row)))
        }
      }
      return refused
    },
    remove(key) {
      const item = items.find((row) => row.key === key)
      if (item) remove(item)
    },
    async retry(key) {
      const id = wizard.requireMemorial()
      if (id)
        await send(
          id,
          items.filter((item) => item.key === key),
        )
    },
    sendAll: (memorialId) =>
      send(
        memorialId,
        items.filter((item) => item.state !== 'sent' && !isOnItsWay(item)),
      ),
  }
}

/** It may be waiting for its turn already. */
function asReady(row: QueuedFile, checked: CheckedMedia): QueuedFile {
  return { ...row, checked, state: row.state === 'preparing' ? 'ready' : row.state }
}

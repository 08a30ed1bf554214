import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '#shared/api.ts'
import type { Media, MediaType } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { isFileKept } from '#client/lib/kept-uploads.ts'
import { isOnItsWay, newRow, sendProblem, sendRow, type SendRow } from '#client/lib/send-row.ts'
import { untilHalted } from '#client/lib/send-switch.ts'
import { useKeptUploads, type LeftUploads, type Resumed } from '#client/lib/use-kept-uploads.ts'
import { saveCover } from './save-cover.ts'
import type { Wizard } from './wizard.ts'

export type QueuedFile = SendRow & {
  type: MediaType
  isMain: boolean
  media: Media | null
}
export type MediaQueue = {
  items: readonly QueuedFile[]
  /** What an earlier visit had begun, and whose file has to be chosen again. */
  unfinished: LeftUploads
  isSending: boolean
  add: (type: MediaType, files: readonly File[], isMain?: boolean) => void
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
  useUnsentWarning(items)
  const unfinished = useKeptUploads(wizard.userId, wizard.memorialId, items, (upload) => void goOn(upload))

  const patch = (key: string, change: Partial<QueuedFile>) =>
    setItems((all) => all.map((item) => (item.key === key ? { ...item, ...change } : item)))

  async function sendOne(memorialId: string, item: QueuedFile): Promise<QueuedFile | null> {
    const { key, type } = item
    try {
      const change = (changes: Partial<QueuedFile>) => patch(key, changes)
      const uploaded = await sendRow({ memorialId, row: item, type, change })
      if (!uploaded) return null
      const { media } = uploaded
      patch(key, { media })
      const { queryKey } = endpointQuery(api.listMedia, { params: { id: memorialId } })
      client.setQueryData(queryKey, (page) => page && { ...page, media: [media, ...page.media] })
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

  async function send(memorialId: string, wanted: readonly QueuedFile[]) {
    for (const { key } of wanted) patch(key, { state: 'waiting' })
    const results: Promise<QueuedFile | null>[] = []
    for (const item of wanted) {
      const result = sendOne(memorialId, item)
      results.push(result)
      // One that somebody pauses does not hold up the others.
      await Promise.race([result, untilHalted(item.control)])
    }
    const sent = (await Promise.all(results)).filter((done) => done !== null)
    // What came through is now among the saved ones below.
    setItems((all) => all.filter(({ state }) => state !== 'sent'))
    const gone = wanted.filter(({ control }) => control.state() === 'stopped').length
    return { sent, failed: wanted.length - sent.length - gone }
  }

  async function goOn(upload: Resumed) {
    if (!wizard.memorialId) return
    const item = { ...upload, media: null }
    setItems((all) => [...all, item])
    const { sent } = await send(wizard.memorialId, [item])
    const main = sent.find(({ isMain }) => isMain)?.media
    if (main) await saveCover(wizard, wizard.memorialId, main.id).catch(() => null)
  }

  return {
    items,
    unfinished,
    isSending: items.some(isOnItsWay),
    add(type, files, isMain = false) {
      const added = files.map((file): QueuedFile => ({
        ...newRow(file, 'ready'),
        type,
        isMain,
        media: null,
      }))
      setItems((all) => [...all.filter((item) => !(isMain && item.isMain)), ...added])
    },
    remove(key) {
      items.find((item) => item.key === key)?.control.stop()
      setItems((all) => all.filter((item) => item.key !== key))
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

/** The browser asks before chosen files are thrown away that another visit could not go on with. */
function useUnsentWarning(items: readonly QueuedFile[]): void {
  useEffect(() => {
    if (items.length === 0) return undefined
    const warn = (event: BeforeUnloadEvent) => {
      if (items.some(({ key, state }) => state !== 'sent' && !isFileKept(key))) event.preventDefault()
    }
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [items])
}

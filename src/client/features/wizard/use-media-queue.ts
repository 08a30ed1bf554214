import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '#shared/api.ts'
import type { Media, MediaType } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { sendProblem, sendRow, type SendRow } from '#client/lib/send-row.ts'
import { newSendSwitch, untilHalted } from '#client/lib/send-switch.ts'
import type { Wizard } from './wizard.ts'

export type QueuedFile = SendRow & {
  type: MediaType
  isMain: boolean
  media: Media | null
}
export type MediaQueue = {
  items: readonly QueuedFile[]
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
  const [isSending, setSending] = useState(false)
  useUnsentWarning(items.some(({ state }) => state !== 'sent'))

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
    setSending(true)
    for (const { key } of wanted) patch(key, { state: 'waiting' })
    const results: Promise<QueuedFile | null>[] = []
    for (const item of wanted) {
      const result = sendOne(memorialId, item)
      results.push(result)
      // One that somebody pauses does not hold up the others.
      await Promise.race([result, untilHalted(item.control)])
    }
    const sent = (await Promise.all(results)).filter((done) => done !== null)
    setSending(false)
    // What came through is now among the saved ones below.
    setItems((all) => all.filter(({ state }) => state !== 'sent'))
    const gone = wanted.filter(({ control }) => control.state() === 'stopped').length
    return { sent, failed: wanted.length - sent.length - gone }
  }

  return {
    items,
    isSending,
    add(type, files, isMain = false) {
      const added = files.map((file): QueuedFile => ({
        key: crypto.randomUUID(),
        file,
        type,
        isMain,
        state: 'ready',
        part: 0,
        problem: null,
        media: null,
        control: newSendSwitch(),
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
        items.filter(({ state }) => state !== 'sent'),
      ),
  }
}

/** The browser asks before chosen files are thrown away: they cannot be kept for the next visit. */
function useUnsentWarning(active: boolean): void {
  useEffect(() => {
    if (!active) return undefined
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [active])
}

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api } from '#shared/api.ts'
import type { Media, MediaType, MediaUploaded } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import { errorText, pathOf } from '#client/lib/call.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { isAbort, uploadFile } from '#client/lib/upload.ts'
import type { UploadState } from '#client/ui/upload-row.tsx'
import type { Wizard } from './wizard.ts'

export type QueuedFile = {
  key: string
  file: File
  type: MediaType
  isMain: boolean
  state: UploadState
  part: number
  problem: string | null
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
  const stops = useRef(new Map<string, AbortController>())
  const removed = useRef(new Set<string>())
  useUnsentWarning(items.some(({ state }) => state !== 'sent'))

  const patch = (key: string, change: Partial<QueuedFile>) =>
    setItems((all) => all.map((item) => (item.key === key ? { ...item, ...change } : item)))

  async function sendOne(memorialId: string, item: QueuedFile): Promise<QueuedFile | null> {
    if (removed.current.has(item.key)) return null
    const stop = new AbortController()
    stops.current.set(item.key, stop)
    patch(item.key, { state: 'sending', part: 0, problem: null })
    try {
      const { media } = await uploadFile<MediaUploaded>({
        path: pathOf(api.uploadMedia, { params: { id: memorialId } }),
        file: item.file,
        fields: { type: item.type },
        headers: { 'Idempotency-Key': item.key },
        signal: stop.signal,
        onProgress: (part) => patch(item.key, { part }),
      })
      patch(item.key, { state: 'sent', part: 1, media })
      const { queryKey } = endpointQuery(api.listMedia, { params: { id: memorialId } })
      client.setQueryData(queryKey, (page) => page && { ...page, media: [media, ...page.media] })
      return { ...item, state: 'sent', media }
    } catch (error) {
      if (isAbort(error)) return null
      patch(item.key, {
        state: 'failed',
        part: 0,
        problem: errorText(error, messages.media.storyOrUploadFailed),
      })
      return null
    } finally {
      stops.current.delete(item.key)
    }
  }

  async function send(memorialId: string, wanted: readonly QueuedFile[]) {
    const sent: QueuedFile[] = []
    setSending(true)
    for (const { key } of wanted) patch(key, { state: 'waiting' })
    for (const item of wanted) {
      const done = await sendOne(memorialId, item)
      if (done) sent.push(done)
    }
    setSending(false)
    // What came through is now among the saved ones below.
    setItems((all) => all.filter(({ state }) => state !== 'sent'))
    const gone = wanted.filter(({ key }) => removed.current.has(key)).length
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
      }))
      setItems((all) => [...all.filter((item) => !(isMain && item.isMain)), ...added])
    },
    remove(key) {
      removed.current.add(key)
      stops.current.get(key)?.abort()
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

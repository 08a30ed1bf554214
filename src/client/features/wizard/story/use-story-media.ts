import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import type { Media } from '#shared/media/media.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { changeLoaded, endpointQuery } from '#client/lib/query-client.ts'
import { showFailure } from '#client/lib/toast-store.ts'
import { saveCover } from '../save-memorial.ts'
import type { Wizard } from '../use-wizard.ts'

/** The memorial's saved media, and the actions on them. */
export function useStoryMedia(wizard: Wizard) {
  const client = useQueryClient()
  const id = wizard.memorialId
  const options = endpointQuery(api.listMedia, { params: { id: id ?? '' } })
  const list = useQuery({ ...options, enabled: id !== null })
  const [isLoadingMore, setLoadingMore] = useState(false)

  const change = (next: (media: Media[]) => Media[]) =>
    changeLoaded(client, options.queryKey, (page) => page && { ...page, media: next(page.media) })

  return {
    media: list.data?.media ?? [],
    hasMore: (list.data?.nextCursor ?? null) !== null,
    isLoadingMore,
    async showMore() {
      const cursor = list.data?.nextCursor
      if (!id || !cursor) return
      setLoadingMore(true)
      try {
        const next = await call(api.listMedia, { params: { id }, query: { cursor } })
        client.setQueryData(
          options.queryKey,
          (page) => page && { ...page, media: [...page.media, ...next.media], nextCursor: next.nextCursor },
        )
      } catch (error) {
        showFailure(messages.media.listFailedTitle, error, messages.system.network)
      } finally {
        setLoadingMore(false)
      }
    },
    async chooseCover(mediaId: string) {
      if (!id) return
      try {
        await saveCover(wizard, id, mediaId)
      } catch (error) {
        showFailure(messages.memorial.updateFailedTitle, error, messages.memorial.updateFailedText)
      }
    },
    changed: (item: Media) => change((all) => all.map((old) => (old.id === item.id ? item : old))),
    deleted(mediaId: string) {
      change((all) => all.filter((item) => item.id !== mediaId))
      // The portrait is the main photo again, as on the server.
      wizard.changed(({ memorial, ...view }) => {
        const kept = (photoId: string | null) => (photoId === mediaId ? null : photoId)
        const profileMediaId = kept(memorial.profileMediaId)
        const coverMediaId = kept(memorial.coverMediaId) ?? profileMediaId
        return { ...view, memorial: { ...memorial, profileMediaId, coverMediaId } }
      })
    },
  }
}

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Media, MediaPage } from '#shared/media.ts'
import type { Contributor } from '#client/lib/contributor.ts'
import { mediaQuery, olderMediaQuery } from './media.queries.ts'
import { PREVIEW } from './photo-grid.tsx'

const RECORDED = ['VIDEO', 'AUDIO'] as const

/**
 * What the gallery shows, by as few calls as will do: photos a page at a time when they are asked for; videos and recordings
 * that stand behind the first page once somebody comes near. How many photos there are the first answer says.
 */
export function useGalleryMedia({ memorialId, portraitId, contributor, first }: GalleryOf, isNear: boolean) {
  const options = mediaQuery(memorialId, contributor, first)
  const list = useInfiniteQuery(options)
  const [newest] = list.data?.pages ?? []
  const listed = list.data?.pages.flatMap((page) => page.media) ?? []
  const ofType = (all: Media[], type: Media['type']) => all.filter((item) => item.type === type)
  // The portrait stands at the head of the page already.
  const photos = ofType(listed, 'IMAGE').filter(({ id }) => id !== portraitId)
  const counted = (newest?.counts?.IMAGE ?? 0) - (portraitId === null ? 0 : 1)
  const hasMore = list.hasNextPage && photos.length < counted

  const cursor = newest?.nextCursor ?? null
  const missing = RECORDED.filter((type) => (newest?.counts?.[type] ?? 0) > ofType(listed, type).length)
  const older = useQuery({
    ...olderMediaQuery(memorialId, contributor, missing, cursor ?? ''),
    enabled: isNear && cursor !== null && missing.length > 0,
  })
  const recorded = (type: Media['type']) => [
    ...ofType(listed, type),
    ...(missing.length > 0 ? ofType(older.data ?? [], type) : []),
  ]

  // Where videos fill the first page, its few photos are not the whole preview.
  const { isFetching, isFetchNextPageError, fetchNextPage } = list
  const isPreviewShort = isNear && hasMore && photos.length < PREVIEW
  useEffect(() => {
    if (isPreviewShort && !isFetching && !isFetchNextPageError) void fetchNextPage()
  }, [isPreviewShort, isFetching, isFetchNextPageError, fetchNextPage])

  return {
    list,
    queryKey: options.queryKey,
    photos,
    /** All there are, loaded or not. */
    total: hasMore ? counted : photos.length,
    hasMore,
    /** Where they follow. */
    cursor: list.data?.pages.at(-1)?.nextCursor ?? null,
    videos: recorded('VIDEO'),
    voices: recorded('AUDIO'),
  }
}

export type GalleryOf = {
  memorialId: string
  portraitId: string | null
  contributor: Contributor
  first?: MediaPage | undefined
}

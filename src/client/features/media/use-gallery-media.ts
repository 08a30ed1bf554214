import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useState, type RefObject } from 'react'
import type { Media, MediaPage } from '#shared/media/media.ts'
import type { Contributor } from '#client/lib/contributor.ts'
import { mediaQuery, olderMediaQuery } from './media.queries.ts'

/** Number of photos shown before "See all". */
export const PREVIEW = 6
const RECORDED = ['VIDEO', 'AUDIO'] as const

/**
 * The gallery's media, with as few calls as possible. Photos load page by page on demand; videos and recordings beyond the
 * first page load when the user scrolls near. The first response includes the total counts. `person`: see `mediaQuery`.
 */
export function useGalleryMedia(
  { memorialId, portraitId, contributor, first }: GalleryOptions,
  isNear: boolean,
  person: string | null,
) {
  const options = mediaQuery(memorialId, contributor, first, person)
  // Another person's files replace the shown ones only once they are here.
  const list = useInfiniteQuery({ ...options, placeholderData: keepPreviousData })
  const [newest] = list.data?.pages ?? []
  const listed = list.data?.pages.flatMap((page) => page.media) ?? []
  const ofType = (all: Media[], type: Media['type']) => all.filter((item) => item.type === type)
  // The portrait already appears at the top of the page.
  const photos = ofType(listed, 'IMAGE').filter(({ id }) => id !== portraitId)
  const counted = (newest?.counts?.IMAGE ?? 0) - (portraitId === null ? 0 : 1)
  const hasMore = list.hasNextPage && photos.length < counted

  const cursor = newest?.nextCursor ?? null
  const missing = RECORDED.filter((type) => (newest?.counts?.[type] ?? 0) > ofType(listed, type).length)
  const older = useQuery({
    ...olderMediaQuery(memorialId, contributor, missing, cursor ?? '', person),
    enabled: isNear && cursor !== null && missing.length > 0,
  })
  const recorded = (type: Media['type']) => [
    ...ofType(listed, type),
    ...(missing.length > 0 ? ofType(older.data ?? [], type) : []),
  ]

  // If videos fill the first page, it has too few photos for the preview.
  const { isFetching, isFetchNextPageError, fetchNextPage } = list
  const isPreviewShort = isNear && hasMore && photos.length < PREVIEW
  useEffect(() => {
    if (isPreviewShort && !isFetching && !isFetchNextPageError) void fetchNextPage()
  }, [isPreviewShort, isFetching, isFetchNextPageError, fetchNextPage])

  return {
    list,
    /** Of this list and of those of one person. */
    queryKey: options.queryKey.slice(0, 2),
    people: newest?.people ?? [],
    photos,
    /** Number of photos, loaded or not. */
    total: hasMore ? counted : photos.length,
    hasMore,
    /** Cursor of the next page. */
    cursor: list.data?.pages.at(-1)?.nextCursor ?? null,
    videos: recorded('VIDEO'),
    recordings: recorded('AUDIO'),
  }
}

export type GalleryOptions = {
  memorialId: string
  portraitId: string | null
  contributor: Contributor
  first?: MediaPage | undefined
}

/** True once the element has been within one screen of the viewport. */
export function useNear(element: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    const watched = element.current
    if (!watched || isNear) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true)
      },
      { rootMargin: '100% 0px' },
    )
    observer.observe(watched)
    return () => observer.disconnect()
  }, [element, isNear])
  return isNear
}

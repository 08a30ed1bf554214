import {
  infiniteQueryOptions,
  queryOptions,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { Media, MediaCounts, MediaPage } from '#shared/media/media.ts'
import { MEDIA_NAME, type MediaType } from '#shared/media/media-types.ts'
import { call, pathOf } from '#client/lib/call.ts'
import type { Contributor } from '#client/lib/contributor.ts'
import { cursorQuery } from '#client/lib/query-client.ts'

/**
 * The first page has the newest of every type, later pages only photos. `first` replaces the first call if the page includes
 * it. `person`: only what was added under this name, empty for the owner, null for everyone.
 */
export function mediaQuery(
  memorialId: string,
  { invite }: Viewer,
  first?: MediaPage,
  person: string | null = null,
) {
  const params = { id: memorialId }
  return cursorQuery<MediaPage>(
    pathOf(api.listMedia, { params }),
    ({ cursor }) =>
      call(api.listMedia, {
        params,
        query: {
          invite,
          ...addedUnder(person),
          ...(cursor && { cursor, type: 'IMAGE' as const }),
        },
      }),
    person === null ? first : undefined,
    person,
  )
}

function addedUnder(person: string | null) {
  if (person === null) return {}
  return person === '' ? { owner: '1' as const } : { person }
}

type PageStart = { from: string } | { cursor: string } | { newer: string }

/** The photos around one photo, paged in both directions. */
export function photosAroundQuery(memorialId: string, { invite }: Viewer, photoId: string) {
  const first: PageStart = { from: photoId }
  return infiniteQueryOptions({
    queryKey: [...mediaKey(memorialId), 'around', photoId] as const,
    queryFn: ({ pageParam }) =>
      call(api.listMedia, {
        params: { id: memorialId },
        query: { invite, type: 'IMAGE' as const, ...pageParam },
      }),
    initialPageParam: first,
    getNextPageParam: ({ nextCursor }: MediaPage): PageStart | null =>
      nextCursor === null ? null : { cursor: nextCursor },
    getPreviousPageParam: ({ newerCursor }: MediaPage): PageStart | null =>
      newerCursor === null ? null : { newer: newerCursor },
    retry: false,
  })
}

/** All videos and recordings of these types that are older than `cursor`. */
export function olderMediaQuery(
  memorialId: string,
  { invite }: Viewer,
  types: readonly MediaType[],
  cursor: string,
  person: string | null,
) {
  return queryOptions({
    queryKey: [...mediaKey(memorialId), 'older', types.join(), cursor, person] as const,
    async queryFn() {
      const found: Media[] = []
      for (const type of types) {
        for (let next: string | null = cursor; next !== null;) {
          const page: MediaPage = await call(api.listMedia, {
            params: { id: memorialId },
            query: { invite, type, cursor: next, ...addedUnder(person) },
          })
          found.push(...page.media)
          next = page.nextCursor
        }
      }
      return found
    },
  })
}

type Viewer = Pick<Contributor, 'invite'>

function mediaKey(memorialId: string) {
  return [pathOf(api.listMedia, { params: { id: memorialId } })] as const
}

/** Applies `change` to every media item in all loaded lists of the memorial; returning null removes the item. */
export function changeMedia(
  client: QueryClient,
  memorialId: string,
  change: (item: Media) => Media | null,
): void {
  const changed = (all: Media[]) => all.map(change).filter((item) => item !== null)
  const inPages = (pages: InfiniteData<MediaPage> | undefined) =>
    pages && { ...pages, pages: pages.pages.map((page) => ({ ...page, media: changed(page.media) })) }
  const key = mediaKey(memorialId)
  client.setQueriesData({ queryKey: [...key, 'pages'] }, inPages)
  client.setQueriesData({ queryKey: [...key, 'around'] }, inPages)
  client.setQueriesData({ queryKey: [...key, 'older'] }, (all: Media[] | undefined) => all && changed(all))
}

/** Like {@link changeMedia}, for a deleted item: removes it and lowers its count. */
export function removeMedia(client: QueryClient, memorialId: string, removed: Media): void {
  changeMedia(client, memorialId, (item) => (item.id === removed.id ? null : item))
  client.setQueriesData(
    { queryKey: [...mediaKey(memorialId), 'pages'] },
    (pages: InfiniteData<MediaPage> | undefined) =>
      pages && {
        ...pages,
        pages: pages.pages.map((page) => ({ ...page, counts: without(page.counts, removed) })),
      },
  )
}

function without(counts: MediaCounts | null, { type }: Media): MediaCounts | null {
  return counts && { ...counts, [type]: counts[type] - 1 }
}

/** Name of the contributor, or "the family" for the owner's items. */
export function addedBy(item: Media): string {
  return item.contributorName ?? 'the family'
}

/** Label of the button that edits the caption. */
export function captionAction({ caption }: Media): string {
  return caption === null ? 'Add a caption' : 'Edit caption'
}

/** Accessible name of a media item. */
export function altOf(item: Media): string {
  return item.alt ?? item.caption ?? `${MEDIA_NAME[item.type]} added by ${addedBy(item)}`
}

import { infiniteQueryOptions, type InfiniteData } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { Media, MediaPage } from '#shared/media.ts'
import { call, pathOf } from '#client/lib/call.ts'
import type { Contributor } from '#client/lib/contributor.ts'

type Pages = InfiniteData<MediaPage>

const KIND = { IMAGE: 'Photo', VIDEO: 'Video', AUDIO: 'Recording' } as const

/** Photos, videos and recordings, page by page; `first` saves the first call where the page has it already. */
export function mediaQuery(memorialId: string, { invite }: Pick<Contributor, 'invite'>, first?: MediaPage) {
  return infiniteQueryOptions({
    queryKey: [pathOf(api.listMedia, { params: { id: memorialId } }), 'pages'] as const,
    queryFn: ({ pageParam }) =>
      call(api.listMedia, {
        params: { id: memorialId },
        query: { invite, ...(pageParam !== null && { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: MediaPage) => page.nextCursor,
    ...(first && { initialData: { pages: [first], pageParams: [null] } }),
  })
}

/** The list without one item. */
export function withoutMedia(pages: Pages | undefined, id: string): Pages | undefined {
  return (
    pages && {
      ...pages,
      pages: pages.pages.map((page) => ({ ...page, media: page.media.filter((item) => item.id !== id) })),
    }
  )
}

/** Who added it, in words: an owner's own have no name on them. */
export function addedBy(item: Media): string {
  return item.contributorName ?? 'the family'
}

/** What a photo, video or recording is called by those who cannot see it. */
export function altOf(item: Media): string {
  return item.alt ?? item.caption ?? `${KIND[item.type]} added by ${addedBy(item)}`
}

/** The list with one item as it is now. */
export function withChanged(pages: Pages | undefined, changed: Media): Pages | undefined {
  return (
    pages && {
      ...pages,
      pages: pages.pages.map((page) => ({
        ...page,
        media: page.media.map((item) => (item.id === changed.id ? changed : item)),
      })),
    }
  )
}

import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import type { Media } from '#shared/media/media.ts'
import { messages } from '#shared/messages.ts'
import { ApiError } from '#client/lib/call.ts'
import { showErrorToast, showFailure } from '#client/lib/toast-store.ts'
import { photosAroundQuery } from './media.queries.ts'
import { photoIn, photoSearch, thumbId } from './photo-address.ts'
import type { GalleryOptions, useGalleryMedia } from './use-gallery-media.ts'

type Loaded = ReturnType<typeof useGalleryMedia>
type Side = 1 | -1

/**
 * The open photo, taken from the URL (`?photo=id`) so that Back closes it. A photo that isn't loaded yet is fetched with its
 * neighbours, without loading all newer ones.
 */
export function usePhotoViewer(
  { memorialId, portraitId, contributor }: GalleryOptions,
  { list, photos, total, hasMore }: Loaded,
  titleId: string,
) {
  const { search, pathname, state } = useLocation()
  const navigate = useNavigate()
  const openId = photoIn(search)
  const place = (all: Media[]) => (openId === null ? -1 : all.findIndex(({ id }) => id === openId))
  const index = place(photos)

  const [anchor, setAnchor] = useState<string | null>(null)
  // Closing, but still in the URL: don't look up a photo that was deleted meanwhile.
  const [closingId, setClosingId] = useState<string | null>(null)
  if (closingId !== null && openId !== closingId) setClosingId(null)
  const around = useInfiniteQuery({
    ...photosAroundQuery(memorialId, contributor, anchor ?? ''),
    enabled: anchor !== null,
  })
  const pages = around.data?.pages ?? []
  const neighbours = pages
    .flatMap((page) => page.media)
    .filter(({ id }) => id !== portraitId || id === anchor)
  const isAround = index < 0 && place(neighbours) >= 0
  if (
    openId !== null &&
    list.isSuccess &&
    index < 0 &&
    !isAround &&
    anchor !== openId &&
    closingId !== openId
  )
    setAnchor(openId)

  const shown = isAround ? neighbours : photos
  const at = isAround ? place(neighbours) : index
  const photo = shown[at] ?? null
  const newerThanAnchor = pages.find((page) => page.newerCount !== null)?.newerCount ?? 0
  const before = isAround ? newerThanAnchor - neighbours.findIndex(({ id }) => id === anchor) : 0
  const source = isAround ? around : list
  const isMore = {
    [-1]: isAround && around.hasPreviousPage,
    [1]: isAround ? around.hasNextPage : hasMore,
  }

  const isFailed = around.isError && around.data === undefined && openId !== null && openId === anchor
  const { error } = around
  const clean = photoSearch(search, null)
  useEffect(() => {
    if (!isFailed) return
    const isGone = error instanceof ApiError && error.status === 404
    if (isGone) showErrorToast(messages.media.photoGoneTitle, messages.media.photoGone)
    else showFailure(messages.media.photoFailedTitle, error)
    void navigate({ pathname, search: clean }, { replace: true })
  }, [isFailed, error, navigate, pathname, clean])

  const last = useRef<string | null>(null)
  useEffect(() => {
    if (photo) {
      last.current = openId
    } else if (openId === null && last.current !== null) {
      // After closing by any means, focus the last viewed photo. Wait until the browser has finished going back: with a
      // fragment in the URL (`#photos`) it moves the focus again.
      const thumb = document.getElementById(thumbId(last.current)) ?? document.getElementById(titleId)
      setTimeout(() => thumb?.focus())
      last.current = null
    }
  }, [photo, openId, titleId])

  function show(next: Media): void {
    void navigate({ pathname, search: photoSearch(search, next.id) }, { replace: true, state })
  }
  /** Moves to the next or previous photo, and loads it first if needed. */
  async function move(by: Side): Promise<void> {
    // From the address and not from the last render: a second press can come before React has shown the first one's photo.
    const shownId = photoIn(window.location.search)
    const from = shown.findIndex(({ id }) => id === shownId)
    if (from < 0) return
    const next = shown[from + by]
    if (next) {
      show(next)
      return
    }
    if (!isMore[by] || source.isFetching) return
    const {
      data,
      isError,
      error: reason,
    } = await (by === 1 ? source.fetchNextPage() : source.fetchPreviousPage())
    if (isError) {
      showFailure(messages.media.photoFailedTitle, reason)
      return
    }
    const all = data?.pages
      .flatMap((page) => page.media)
      .filter(({ type, id }) => type === 'IMAGE' && id !== portraitId)
    const found = all?.[all.findIndex(({ id }) => id === shownId) + by]
    if (found) show(found)
  }
  function close(): void {
    setClosingId(openId)
    // Opened from this page: go back, so that the history has no second entry for it.
    if (isOpenedHere(state)) void navigate(-1)
    else void navigate({ pathname, search: clean }, { replace: true })
  }
  return {
    openId,
    photo,
    /** Index among the squares, or -1. */
    index,
    /** Position among all photos, from 1. */
    position: before + at + 1,
    total: Math.max(total, before + neighbours.length * Number(isAround)),
    canMove: (by: Side) => shown[at + by] !== undefined || isMore[by],
    move,
    close,
  }
}

function isOpenedHere(state: unknown): boolean {
  return typeof state === 'object' && state !== null && 'openedHere' in state
}

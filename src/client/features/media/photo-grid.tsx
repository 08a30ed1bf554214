import { startTransition, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useLocation } from 'react-router-dom'
import { MEDIA_PAGE } from '#shared/limits.ts'
import type { Media } from '#shared/media.ts'
import { releaseGridHeight, reserveGridHeight } from '#client/lib/grid-height.ts'
import { MoreForm } from '#client/ui/more-form.tsx'
import { PHOTOS, photoSearch, thumbId } from './photo-address.ts'
import { PhotoSquare } from './photo-square.tsx'
import styles from './photo-grid.module.css'

/** Number of photos shown before "See all". */
export const PREVIEW = 6
/** Squares rendered per batch, about one phone screen, so that a slow phone can handle input between batches. */
const BATCH_SIZE = 12

/** The photos as squares, each a link that opens the whole photo. */
export function PhotoGrid({
  photos,
  total,
  target,
  invite,
  all,
  onAll,
  hasMore,
  cursor,
  isLoadingMore,
  onMore,
  onNear,
}: {
  photos: Media[]
  /** Number of photos, loaded or not. */
  total: number
  /** Id of the gallery. */
  target: string
  invite: string | undefined
  /** Show every photo, not only the preview. */
  all: boolean
  onAll: () => void
  /** The server has more photos than are loaded. */
  hasMore: boolean
  /** Cursor of the next page. */
  cursor: string | null
  isLoadingMore: boolean
  onMore: () => void
  /** The user is about to open a photo. */
  onNear: () => void
}) {
  const { search } = useLocation()
  const list = useRef<HTMLUListElement>(null)
  const shownBefore = useRef<number | null>(null)
  const { length } = photos
  const next = Math.min(MEDIA_PAGE, total - length)
  const count = all ? length : Math.min(length, PREVIEW)
  const [rendered, renderBatch] = useBatches(count)
  // Reserve space for photos that are loading, so that the content below doesn't jump.
  const cells = count + (all && isLoadingMore ? next : 0)
  useEffect(() => {
    const first = shownBefore.current
    if (first === null || rendered <= first) return
    shownBefore.current = null
    // On the last page the button disappears: the first new photo takes the focus.
    if (!hasMore) list.current?.querySelectorAll('a').item(first).focus({ preventScroll: true })
  }, [rendered, hasMore])
  const cellsBefore = useRef(cells)
  useLayoutEffect(() => {
    if (cellsBefore.current !== cells) releaseGridHeight(list.current)
    cellsBefore.current = cells
  }, [cells])
  const base = photoSearch(search, null)
  return (
    <>
      <ul ref={list} className={styles.grid} data-count={all ? 'all' : count}>
        {photos.slice(0, rendered).map((photo, index) => (
          <PhotoSquare
            key={photo.id}
            photo={photo}
            place={`${index + 1} of ${total}`}
            search={base}
            sizes={sizesOf(index, count)}
            invite={invite}
            onNear={onNear}
          />
        ))}
        {Array.from({ length: cells - rendered }, (_, index) => (
          <li key={`coming-${rendered + index}`} className={styles.coming} aria-hidden="true" />
        ))}
      </ul>
      {!all && total > PREVIEW && (
        <MoreForm
          name={PHOTOS}
          value="all"
          target={target}
          room={length - PREVIEW}
          onMore={() => {
            // The button disappears: the first new photo takes the focus.
            flushSync(() => {
              onAll()
              renderBatch()
            })
            document.getElementById(thumbId(photos[PREVIEW]?.id ?? ''))?.focus({ preventScroll: true })
          }}
        >
          See all {total}
        </MoreForm>
      )}
      {hasMore && all && (
        <MoreForm
          name={PHOTOS}
          value={cursor ?? 'all'}
          target={target}
          room={next}
          isBusy={isLoadingMore}
          onMore={() => {
            shownBefore.current = length
            if (list.current) reserveGridHeight(list.current, next)
            onMore()
          }}
        >
          Show more photos
        </MoreForm>
      )}
      {all && (
        <p className={styles.shown} role="status">
          {length} of {total} photos shown
        </p>
      )}
    </>
  )
}

/**
 * How many of `count` squares to render, and a function that starts the next batch. Squares added later render in batches,
 * those of the first render all at once.
 */
function useBatches(count: number): [rendered: number, renderBatch: () => void] {
  const [reached, setReached] = useState(count)
  const renderBatch = () => setReached((before) => Math.min(before, count) + BATCH_SIZE)
  useEffect(() => {
    if (reached < count) startTransition(() => setReached(reached + BATCH_SIZE))
  }, [reached, count])
  return [Math.min(reached, count), renderBatch]
}

/**
 * `sizes` of a square, on phones slightly below its true width: at three device pixels per point nobody can see the
 * difference, and the next larger variant is three times the bytes.
 */
function sizesOf(index: number, count: number): string {
  if (count === 1) return '(min-width: 60rem) 44rem, 80vw'
  if (count === 2 || count === 4) return '(min-width: 60rem) 29rem, 42vw'
  return `(min-width: 60rem) ${index === 0 ? '29rem' : '15rem'}, 27vw`
}

import { useEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import { useLocation } from 'react-router-dom'
import { MEDIA_PAGE } from '#shared/limits.ts'
import type { Media } from '#shared/media.ts'
import { MoreForm } from '#client/ui/more-form.tsx'
import { PHOTOS, photoSearch, thumbId } from './photo-address.ts'
import { PhotoSquare } from './photo-square.tsx'
import styles from './photo-grid.module.css'

/** Shown before "See all". */
export const PREVIEW = 6

/** The photos as squares, each a link that opens it whole. */
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
  /** All there are, loaded or not. */
  total: number
  /** Id of the gallery. */
  target: string
  invite: string | undefined
  /** Every photo is shown, not the first few. */
  all: boolean
  onAll: () => void
  /** There are more on the server than were loaded. */
  hasMore: boolean
  /** Where they follow. */
  cursor: string | null
  isLoadingMore: boolean
  onMore: () => void
  /** Somebody is about to open one. */
  onNear: () => void
}) {
  const { search } = useLocation()
  const list = useRef<HTMLUListElement>(null)
  const shownBefore = useRef<number | null>(null)
  const { length } = photos
  useEffect(() => {
    const first = shownBefore.current
    if (first === null || length <= first) return
    shownBefore.current = null
    // At the end the button goes: the first of the photos that came takes the focus.
    if (!hasMore) list.current?.querySelectorAll('a').item(first).focus({ preventScroll: true })
  }, [length, hasMore])
  const coming = all && isLoadingMore ? Math.min(MEDIA_PAGE, total - length) : 0
  const base = photoSearch(search, null)
  const shown = all ? photos : photos.slice(0, PREVIEW)
  return (
    <>
      <ul ref={list} className={styles['grid']} data-count={all ? 'all' : shown.length}>
        {shown.map((photo, index) => (
          <PhotoSquare
            key={photo.id}
            photo={photo}
            place={`${index + 1} of ${total}`}
            search={base}
            sizes={sizesOf(index, shown.length)}
            invite={invite}
            onNear={onNear}
          />
        ))}
        {/* Room for those that are on their way, so that nothing below jumps when they come. */}
        {Array.from({ length: coming }, (_, index) => (
          <li key={`coming-${index}`} className={styles['coming']} aria-hidden="true" />
        ))}
      </ul>
      {!all && total > PREVIEW && (
        <MoreForm
          name={PHOTOS}
          value="all"
          target={target}
          onMore={() => {
            // The button goes: the first of the photos that come takes the focus.
            flushSync(onAll)
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
          isBusy={isLoadingMore}
          onMore={() => {
            shownBefore.current = photos.length
            onMore()
          }}
        >
          Show more photos
        </MoreForm>
      )}
      {all && (
        <p className={styles['shown']} role="status">
          {length} of {total} photos shown
        </p>
      )}
    </>
  )
}

/**
 * How wide a square is, a little less than true on a phone: with three device pixels a point nobody sees that 2.4 of them
 * are filled, and the next larger picture costs three times the bytes.
 */
function sizesOf(index: number, count: number): string {
  if (count === 1) return '(min-width: 60rem) 44rem, 80vw'
  if (count === 2 || count === 4) return '(min-width: 60rem) 29rem, 42vw'
  return `(min-width: 60rem) ${index === 0 ? '29rem' : '15rem'}, 27vw`
}

import { startTransition, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useLocation } from 'react-router-dom'
import { MEDIA_PAGE } from '#shared/limits.ts'
import type { Media } from '#shared/media.ts'
import { giveRoomBack, keepRoom } from '#client/lib/grid-height.ts'
import { MoreForm } from '#client/ui/more-form.tsx'
import { PHOTOS, photoSearch, thumbId } from './photo-address.ts'
import { PhotoSquare } from './photo-square.tsx'
import styles from './photo-grid.module.css'

/** Shown before "See all". */
export const PREVIEW = 6
/** Squares drawn at once, about a phone's screen: between two such portions a slow phone answers to presses. */
const PORTION = 12

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
  const next = Math.min(MEDIA_PAGE, total - length)
  const count = all ? length : Math.min(length, PREVIEW)
  const [drawn, drawPortion] = useInPortions(count)
  // Room for those that are on their way, so that nothing below jumps when they come.
  const cells = count + (all && isLoadingMore ? next : 0)
  useEffect(() => {
    const first = shownBefore.current
    if (first === null || drawn <= first) return
    shownBefore.current = null
    // At the end the button goes: the first of the photos that came takes the focus.
    if (!hasMore) list.current?.querySelectorAll('a').item(first).focus({ preventScroll: true })
  }, [drawn, hasMore])
  const cellsBefore = useRef(cells)
  useLayoutEffect(() => {
    if (cellsBefore.current !== cells) giveRoomBack(list.current)
    cellsBefore.current = cells
  }, [cells])
  const base = photoSearch(search, null)
  return (
    <>
      <ul ref={list} className={styles.grid} data-count={all ? 'all' : count}>
        {photos.slice(0, drawn).map((photo, index) => (
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
        {Array.from({ length: cells - drawn }, (_, index) => (
          <li key={`coming-${drawn + index}`} className={styles.coming} aria-hidden="true" />
        ))}
      </ul>
      {!all && total > PREVIEW && (
        <MoreForm
          name={PHOTOS}
          value="all"
          target={target}
          room={length - PREVIEW}
          onMore={() => {
            // The button goes: the first of the photos that come takes the focus.
            flushSync(() => {
              onAll()
              drawPortion()
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
            if (list.current) keepRoom(list.current, next)
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
 * How many of `count` squares to draw now, and what draws the next portion: what comes later is drawn portion by portion,
 * what was there from the start at once.
 */
function useInPortions(count: number): [drawn: number, drawPortion: () => void] {
  const [reached, setReached] = useState(count)
  const drawPortion = () => setReached((before) => Math.min(before, count) + PORTION)
  useEffect(() => {
    if (reached < count) startTransition(() => setReached(reached + PORTION))
  }, [reached, count])
  return [Math.min(reached, count), drawPortion]
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

import { useEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import { Link, useLocation } from 'react-router-dom'
import type { Media } from '#shared/media.ts'
import { mediaPath, mediaSrcSet } from '#client/lib/links.ts'
import { Button } from '#client/ui/button.tsx'
import { SoftImage } from '#client/ui/soft-image.tsx'
import { addedBy, altOf } from './media.queries.ts'
import { photoSearch, thumbId } from './photo-address.ts'
import styles from './photo-grid.module.css'

/** Shown before "See all". */
export const PREVIEW = 6
const WIDTHS = [320, 640, 1280] as const

/** The photos as squares, each a link that opens it whole. */
export function PhotoGrid({
  photos,
  total,
  invite,
  all,
  onAll,
  hasMore,
  isLoadingMore,
  onMore,
}: {
  photos: Media[]
  /** All there are, loaded or not. */
  total: number
  invite: string | undefined
  /** Every photo is shown, not the first few. */
  all: boolean
  onAll: () => void
  /** There are more on the server than were loaded. */
  hasMore: boolean
  isLoadingMore: boolean
  onMore: () => void
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
  const shown = all ? photos : photos.slice(0, PREVIEW)
  return (
    <>
      <ul ref={list} className={styles['grid']} data-count={all ? 'all' : shown.length}>
        {shown.map((photo, index) => (
          <li key={photo.id}>
            <Link
              id={thumbId(photo.id)}
              to={{ search: photoSearch(search, photo.id), hash: '' }}
              state={{ openedHere: true }}
              preventScrollReset
              aria-label={`Photo ${index + 1} of ${total}, added by ${addedBy(photo)}${photo.caption ? `: ${photo.caption}` : ''}`}
            >
              <SoftImage
                placeholder={photo.placeholder}
                src={mediaPath(photo.id, 320, invite)}
                srcSet={mediaSrcSet(photo.id, WIDTHS, invite)}
                sizes={sizesOf(index, shown.length)}
                width={photo.width ?? 640}
                height={photo.height ?? 640}
                loading="lazy"
                decoding="async"
                alt={altOf(photo)}
              />
            </Link>
          </li>
        ))}
      </ul>
      {!all && total > PREVIEW && (
        <Button
          onClick={() => {
            // The button goes: the first of the photos that come takes the focus.
            flushSync(onAll)
            document.getElementById(thumbId(photos[PREVIEW]?.id ?? ''))?.focus({ preventScroll: true })
          }}
        >
          See all {total}
        </Button>
      )}
      {hasMore && all && (
        <Button
          aria-disabled={isLoadingMore}
          onClick={() => {
            if (isLoadingMore) return
            shownBefore.current = photos.length
            onMore()
          }}
        >
          Show more photos
        </Button>
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

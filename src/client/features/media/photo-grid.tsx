import { startTransition, useEffect, useLayoutEffect, useRef, useState, memo, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { useLocation, Link } from 'react-router-dom'
import { MEDIA_PAGE } from '#shared/limits.ts'
import type { Media } from '#shared/media/media.ts'
import { releaseGridHeight, reserveGridHeight } from '#client/lib/grid-height.ts'
import { mediaPath, mediaSrcSet, SMALLER_WIDTHS } from '#client/lib/links.ts'
import { useDataSaver } from '#client/lib/server-rendering.ts'
import { PlaceholderImage } from '#client/ui/placeholder-image.tsx'
import { ShowMoreForm } from '#client/ui/forms/show-more-form.tsx'
import { addedBy, altOf } from './media.queries.ts'
import { PHOTOS, photoSearch, thumbId } from './photo-address.ts'
import { PREVIEW, type useGalleryMedia } from './use-gallery-media.ts'
import styles from './photo-grid.module.css'

/** Squares rendered per batch, about one phone screen, so that a slow phone can handle input between batches. */
const BATCH_SIZE = 12

/** `newBadge`: see `MemorialParts`. */
export type MarksNew = { newBadge: ((item: Media) => ReactNode) | undefined }

/** The photos as squares, each a link that opens the whole photo. */
export function PhotoGrid({
  loaded: { list: query, photos, total, hasMore, cursor },
  target,
  invite,
  all,
  onAll,
  onNear,
  newBadge,
}: MarksNew & {
  loaded: ReturnType<typeof useGalleryMedia>
  /** Id of the gallery. */
  target: string
  invite: string | undefined
  /** Show every photo, not only the preview. */
  all: boolean
  onAll: () => void
  /** The user is about to open a photo. */
  onNear: () => void
}) {
  const isLoadingMore = query.isFetchingNextPage
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
  // Then every square has room for a name, so that rows are equally high.
  const isNamed = photos.some(({ contributorName }) => contributorName !== null)
  return (
    <>
      <ul
        ref={list}
        className={styles.grid}
        data-count={all ? 'all' : count}
        data-named={isNamed || undefined}
      >
        {photos.slice(0, rendered).map((photo, index) => (
          <PhotoSquare
            key={photo.id}
            photo={photo}
            place={`${index + 1} of ${total}`}
            search={base}
            sizes={sizesOf(index, count)}
            invite={invite}
            isNamed={isNamed}
            onNear={onNear}
            badge={newBadge?.(photo)}
          />
        ))}
        {Array.from({ length: cells - rendered }, (_, index) => (
          <li key={`coming-${rendered + index}`} className={styles.coming} aria-hidden="true" />
        ))}
      </ul>
      {!all && total > PREVIEW && (
        <ShowMoreForm
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
        </ShowMoreForm>
      )}
      {hasMore && all && (
        <ShowMoreForm
          name={PHOTOS}
          value={cursor ?? 'all'}
          target={target}
          room={next}
          isBusy={isLoadingMore}
          onMore={() => {
            shownBefore.current = length
            if (list.current) reserveGridHeight(list.current, next)
            void query.fetchNextPage()
          }}
        >
          Show more photos
        </ShowMoreForm>
      )}
      {all && (
        <p className={`small-muted ${styles.shown}`} role="status">
          {length} of {total} photos shown
        </p>
      )}
    </>
  )
}

/** How many of `count` squares to render, and a function that starts the next batch. The first ones render at once. */
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
  if (count === 1) return '(min-width: 48rem) 44rem, 80vw'
  if (count === 2 || count === 4) return `(min-width: 60rem) ${count === 2 ? '33rem' : '17rem'}, 42vw`
  const isLarge = index === 0 && count > 3
  return `(min-width: 60rem) ${isLarge ? '33rem' : '17rem'}, 27vw`
}

/** What stands below a photo on paper: its caption and the contributor's name; undefined if there is neither. */
function captionOf({ caption, contributorName }: Media): string | undefined {
  return [caption, contributorName].filter(Boolean).join(' · ') || undefined
}

/** A square of the gallery. Memoised, because there can be a thousand. */
const PhotoSquare = memo(function PhotoSquare({
  photo,
  place,
  search,
  sizes,
  invite,
  isNamed,
  onNear,
  badge,
}: {
  photo: Media
  /** "3 of 24". */
  place: string
  /** The URL's search with no photo open. */
  search: string
  sizes: string
  invite: string | undefined
  /** Some squares of the grid have a name below them. */
  isNamed: boolean
  /** The user is about to open it. */
  onNear: () => void
  /** Set if it is new to this viewer. */
  badge: ReactNode
}) {
  const isDataSaver = useDataSaver()
  return (
    <li>
      <Link
        id={thumbId(photo.id)}
        to={{ search: photoSearch(search, photo.id), hash: '' }}
        data-open
        onPointerDown={onNear}
        onFocus={onNear}
        state={{ openedHere: true }}
        preventScrollReset
        // Paper shows it below the photo.
        data-caption={captionOf(photo)}
        aria-label={`Photo ${place}, added by ${addedBy(photo)}${photo.caption ? `: ${photo.caption}` : ''}${badge ? ' (new)' : ''}`}
      >
        <PlaceholderImage
          placeholder={photo.placeholder}
          src={mediaPath(photo.id, 320, invite)}
          {...(!isDataSaver && { srcSet: mediaSrcSet(photo.id, SMALLER_WIDTHS, invite) })}
          sizes={sizes}
          width={photo.width ?? 640}
          height={photo.height ?? 640}
          // Load after the portrait, even if a slow connection makes the browser request images early.
          fetchPriority="low"
          loading="lazy"
          decoding="async"
          alt={altOf(photo)}
        />
      </Link>
      {badge}
      {/* The link's label says it too. */}
      {isNamed && (
        <span className={styles.by} aria-hidden="true" dir="auto">
          {photo.contributorName}
        </span>
      )}
    </li>
  )
})

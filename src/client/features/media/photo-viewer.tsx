import { useEffect, useRef, useState, type PointerEvent } from 'react'
import type { Media } from '#shared/media.ts'
import { formatDate } from '#client/lib/dates.ts'
import { mediaPath } from '#client/lib/links.ts'
import { Button } from '#client/ui/button.tsx'
import { addedBy, altOf } from './media.queries.ts'
import styles from './photo-viewer.module.css'

const WIDTHS = [640, 1280, 1920] as const
/** Pixels a finger travels before it means "the next one". */
const SWIPE_PX = 48

/** One photo, whole, on the whole screen. Left and right arrows, Esc, a swipe, and buttons for all of it. */
export function PhotoViewer({
  photos,
  index,
  hasMore,
  onShow,
  onClose,
  onDelete,
}: {
  photos: Media[]
  index: number
  hasMore: boolean
  onShow: (index: number) => void
  onClose: () => void
  onDelete: (photo: Media) => void
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const [from, setFrom] = useState<number | null>(null)
  const photo = photos[index]
  useEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  if (!photo) return null

  const move = (by: number) => {
    if (photos[index + by]) onShow(index + by)
  }
  const endSwipe = (event: PointerEvent) => {
    if (from === null) return
    setFrom(null)
    const distance = event.clientX - from
    if (Math.abs(distance) >= SWIPE_PX) move(distance < 0 ? 1 : -1)
  }
  return (
    <dialog
      ref={ref}
      className={styles['viewer']}
      aria-label="Photo"
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight') move(1)
        if (event.key === 'ArrowLeft') move(-1)
      }}
    >
      <div className={styles['bar']}>
        <p className={styles['count']} aria-live="polite">
          {index + 1} of {photos.length}
          {hasMore && '+'}
        </p>
        {photo.canDelete && (
          <Button look="danger" onClick={() => onDelete(photo)}>
            Delete photo
          </Button>
        )}
        {/* eslint-disable-next-line jsx-a11y/no-autofocus -- in a dialog the safe button is where the focus belongs */}
        <Button autoFocus className={styles['control']} onClick={onClose}>
          Close
        </Button>
      </div>
      <div
        className={styles['stage']}
        onPointerDown={(event) => setFrom(event.isPrimary ? event.clientX : null)}
        onPointerUp={endSwipe}
        onPointerCancel={() => setFrom(null)}
      >
        <img
          key={photo.id}
          className={styles['photo']}
          src={mediaPath(photo.id, 1280)}
          srcSet={WIDTHS.map((width) => `${mediaPath(photo.id, width)} ${width}w`).join(', ')}
          sizes="100vw"
          width={photo.width ?? 1280}
          height={photo.height ?? 960}
          alt={altOf(photo)}
          draggable={false}
        />
      </div>
      <div className={styles['foot']}>
        <div className={styles['caption']}>
          {photo.caption && <p>{photo.caption}</p>}
          <p className={styles['by']}>
            Added by {addedBy(photo)}, {formatDate(photo.createdAt)}
          </p>
        </div>
        <div className={styles['move']}>
          <Button className={styles['control']} aria-disabled={index === 0} onClick={() => move(-1)}>
            Previous
          </Button>
          <Button
            className={styles['control']}
            aria-disabled={index === photos.length - 1}
            onClick={() => move(1)}
          >
            Next
          </Button>
        </div>
      </div>
    </dialog>
  )
}

import { useEffect, useRef, useState } from 'react'
import type { Media } from '#shared/media.ts'
import { formatDate } from '#client/lib/dates.ts'
import { Button } from '#client/ui/button.tsx'
import { addedBy, captionAction } from './media.queries.ts'
import { PhotoStage, STAGE_ID } from './photo-stage.tsx'
import styles from './photo-viewer.module.css'

/** Factors of the photo's size at full screen. */
const ZOOMS = [1, 1.5, 2, 3, 4] as const

/** Full-screen photo viewer. Arrow keys, plus and minus, Esc, swipes, and buttons for all of these. */
export function PhotoViewer({
  photo,
  invite,
  position,
  total,
  canMove,
  onMove,
  onClose,
  onEdit,
  onDelete,
}: {
  photo: Media
  invite: string | undefined
  /** Position among all photos, from 1. */
  position: number
  total: number
  canMove: (by: 1 | -1) => boolean
  onMove: (by: 1 | -1) => void
  onClose: () => void
  onEdit: (photo: Media) => void
  onDelete: (photo: Media) => void
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const [zoomed, setZoomed] = useState({ id: photo.id, step: 0 })
  useEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])

  // Reset the zoom for the next photo.
  const step = zoomed.id === photo.id ? zoomed.step : 0
  const zoom = ZOOMS[step] ?? 1
  const zoomBy = (by: 1 | -1) => {
    if (ZOOMS[step + by]) setZoomed({ id: photo.id, step: step + by })
  }
  return (
    <dialog
      ref={ref}
      className={styles.viewer}
      aria-label="Photo"
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onKeyDown={(event) => {
        const isPanning = event.target instanceof Element && event.target.id === STAGE_ID
        if (event.key === 'ArrowRight' && !isPanning) onMove(1)
        if (event.key === 'ArrowLeft' && !isPanning) onMove(-1)
        if (event.key === '+' || event.key === '=') zoomBy(1)
        if (event.key === '-') zoomBy(-1)
      }}
    >
      <div className={styles.bar}>
        <p className={styles.count} aria-live="polite">
          {position} of {total}
          {zoom > 1 && ` · ${zoom * 100} %`}
        </p>
        {photo.canDelete && (
          <Button variant="danger" onClick={() => onDelete(photo)}>
            Delete photo
          </Button>
        )}
        {/* eslint-disable-next-line jsx-a11y/no-autofocus -- in a dialog the safe button is where the focus belongs */}
        <Button autoFocus className={styles.control} onClick={onClose}>
          Close
        </Button>
      </div>
      <PhotoStage photo={photo} invite={invite} zoom={zoom} onMove={onMove} />
      <div className={styles.foot}>
        <div className={styles.caption}>
          {photo.caption && <p>{photo.caption}</p>}
          <p className={styles.by}>
            Added by {addedBy(photo)}, {formatDate(photo.createdAt)}
          </p>
          {photo.canDelete && (
            <Button className={`${styles.control} ${styles.words}`} onClick={() => onEdit(photo)}>
              {captionAction(photo)}
            </Button>
          )}
        </div>
        <div className={styles.move}>
          <Button className={styles.control} aria-disabled={!canMove(-1)} onClick={() => onMove(-1)}>
            Previous
          </Button>
          <Button
            className={styles.control}
            aria-label="Zoom out"
            aria-disabled={step === 0}
            onClick={() => zoomBy(-1)}
          >
            −
          </Button>
          <Button
            className={styles.control}
            aria-label="Zoom in"
            aria-disabled={step === ZOOMS.length - 1}
            onClick={() => zoomBy(1)}
          >
            +
          </Button>
          <Button className={styles.control} aria-disabled={!canMove(1)} onClick={() => onMove(1)}>
            Next
          </Button>
        </div>
      </div>
    </dialog>
  )
}

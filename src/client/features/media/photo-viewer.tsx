import { useEffect, useRef, useState, useLayoutEffect, type CSSProperties, type PointerEvent } from 'react'
import type { Media } from '#shared/media/media.ts'
import { formatDate } from '#client/lib/dates.ts'
import { mediaPath, mediaSrcSet } from '#client/lib/links.ts'
import { Button } from '#client/ui/button.tsx'
import { HeldNote } from '#client/ui/held-note.tsx'
import { More } from '#client/ui/more.tsx'
import { PlaceholderImage } from '#client/ui/placeholder-image.tsx'
import { ReportLink } from '#client/ui/report-link.tsx'
import { addedBy, captionAction, altOf } from './media.queries.ts'
import type { usePhotoViewer } from './use-photo-viewer.ts'
import styles from './photo-viewer.module.css'

/** Factors of the photo's size at full screen. */
const ZOOMS = [1, 1.5, 2, 3, 4] as const

/** Full-screen photo viewer. Arrow keys, plus and minus, Esc, swipes, and buttons for all of these. */
export function PhotoViewer({
  photo,
  invite,
  viewer: { position, total, canMove, move, close },
  onEdit,
  onDelete,
  onReport,
  sender,
}: {
  photo: Media
  invite: string | undefined
  viewer: ReturnType<typeof usePhotoViewer>
  /** Null if the user may remove it but not change its words. */
  onEdit: ((photo: Media) => void) | null
  onDelete: (photo: Media) => void
  onReport: (photo: Media) => void
  /** Who is looking: the family or a contributor. */
  sender: 'owner' | 'contributor'
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
        close()
      }}
      onKeyDown={(event) => {
        const isPanning = event.target instanceof Element && event.target.id === STAGE_ID
        if (event.key === 'ArrowRight' && !isPanning) void move(1)
        if (event.key === 'ArrowLeft' && !isPanning) void move(-1)
        if (event.key === '+' || event.key === '=') zoomBy(1)
        if (event.key === '-') zoomBy(-1)
      }}
    >
      <div className={styles.bar}>
        <p className={styles.count} aria-live="polite">
          {position} of {total}
          {zoom > 1 && ` · ${zoom * 100} %`}
        </p>
        {/* eslint-disable-next-line jsx-a11y/no-autofocus -- in a dialog the safe button is where the focus belongs */}
        <Button autoFocus className={styles.control} onClick={close}>
          Close
        </Button>
      </div>
      <PhotoStage photo={photo} invite={invite} zoom={zoom} onMove={(by) => void move(by)} />
      <div className={styles.foot}>
        <div className={styles.caption}>
          {photo.caption && <p>{photo.caption}</p>}
          <p className={styles.by}>
            Added by {addedBy(photo)}, {formatDate(photo.createdAt)}
          </p>
          {photo.isHeld && <HeldNote sender={sender} />}
          {!photo.canDelete && (
            <ReportLink
              id={photo.id}
              of={altOf(photo)}
              className={styles.control}
              onReport={() => onReport(photo)}
            />
          )}
          {photo.canDelete && (
            <div className={`row ${styles.words}`}>
              {onEdit && (
                <Button className={styles.control} onClick={() => onEdit(photo)}>
                  {captionAction(photo)}
                </Button>
              )}
              <More key={photo.id} of={altOf(photo)} className={styles.control}>
                <Button variant="danger" className={styles.control} onClick={() => onDelete(photo)}>
                  Delete photo
                </Button>
              </More>
            </div>
          )}
        </div>
        <div className={styles.move}>
          <Button className={styles.control} aria-disabled={!canMove(-1)} onClick={() => void move(-1)}>
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
          <Button className={styles.control} aria-disabled={!canMove(1)} onClick={() => void move(1)}>
            Next
          </Button>
        </div>
      </div>
    </dialog>
  )
}

const WIDTHS = [640, 1280, 1920] as const
/** Minimum horizontal distance of a swipe, in pixels. */
const SWIPE_PX = 48

/** While this element has the focus, the arrow keys scroll it. */
const STAGE_ID = 'photo-stage'

/** One photo, whole at `zoom` 1. When zoomed in, it pans by scrolling, dragging, and the arrow keys while focused. */
function PhotoStage({
  photo,
  invite,
  zoom,
  onMove,
}: {
  photo: Media
  invite: string | undefined
  zoom: number
  onMove: (by: 1 | -1) => void
}) {
  const stage = useRef<HTMLDivElement>(null)
  const [from, setFrom] = useState<number | null>(null)
  const isZoomed = zoom > 1
  const isPinched = usePinched()
  useKeepCentred(stage, zoom)

  function endSwipe(event: PointerEvent) {
    if (from === null) return
    setFrom(null)
    const distance = event.clientX - from
    if (!isZoomed && !isPinched && Math.abs(distance) >= SWIPE_PX) onMove(distance < 0 ? 1 : -1)
  }
  function drag(event: PointerEvent) {
    const isDragged = isZoomed && event.pointerType === 'mouse' && event.buttons === 1
    if (isDragged) stage.current?.scrollBy(-event.movementX, -event.movementY)
  }
  return (
    <div
      ref={stage}
      id={STAGE_ID}
      className={`${styles.stage} ${isZoomed ? styles.zoomed : ''} ${isPinched ? styles.pinched : ''}`}
      style={{ '--zoom': zoom } as CSSProperties}
      // The arrow keys scroll it while it has the focus.
      {...(isZoomed && { tabIndex: 0, role: 'group', 'aria-label': 'Enlarged photo' })}
      onPointerDown={(event) => setFrom(event.isPrimary ? event.clientX : null)}
      onPointerMove={drag}
      onPointerUp={endSwipe}
      onPointerCancel={() => setFrom(null)}
    >
      <PlaceholderImage
        key={photo.id}
        className={styles.photo}
        placeholder={photo.placeholder}
        fit="contain"
        src={mediaPath(photo.id, 1280, invite)}
        srcSet={mediaSrcSet(photo.id, WIDTHS, invite)}
        sizes={`${zoom * 100}vw`}
        width={photo.width ?? 1280}
        height={photo.height ?? 960}
        alt={altOf(photo)}
        draggable={false}
      />
    </div>
  )
}

/** Keeps the centre of the stage in the centre when the size changes. */
function useKeepCentred(stage: React.RefObject<HTMLDivElement | null>, zoom: number): void {
  const shown = useRef(zoom)
  useLayoutEffect(() => {
    const element = stage.current
    if (!element || shown.current === zoom) return
    const ratio = zoom / shown.current
    const rescale = (scroll: number, size: number) => (scroll + size / 2) * ratio - size / 2
    element.scrollTo(
      rescale(element.scrollLeft, element.clientWidth),
      rescale(element.scrollTop, element.clientHeight),
    )
    shown.current = zoom
  }, [stage, zoom])
}

/** Whether the page is pinch-zoomed: a one-finger move then pans and must not change the photo. */
function usePinched(): boolean {
  const [isPinched, setPinched] = useState(false)
  useEffect(() => {
    const viewport = window.visualViewport
    if (!viewport) return undefined
    const update = () => setPinched(viewport.scale > 1.01)
    update()
    viewport.addEventListener('resize', update)
    return () => viewport.removeEventListener('resize', update)
  }, [])
  return isPinched
}

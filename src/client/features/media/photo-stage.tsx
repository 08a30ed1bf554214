import { useEffect, useLayoutEffect, useRef, useState, type CSSProperties, type PointerEvent } from 'react'
import type { Media } from '#shared/media.ts'
import { mediaPath, mediaSrcSet } from '#client/lib/links.ts'
import { SoftImage } from '#client/ui/soft-image.tsx'
import { altOf } from './media.queries.ts'
import styles from './photo-stage.module.css'

const WIDTHS = [640, 1280, 1920] as const
/** Minimum horizontal distance of a swipe, in pixels. */
const SWIPE_PX = 48

/** While this element has the focus, the arrow keys scroll it. */
export const STAGE_ID = 'photo-stage'

/** One photo, whole at `zoom` 1. When zoomed in, it pans by scrolling, dragging, and the arrow keys while focused. */
export function PhotoStage({
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
      <SoftImage
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

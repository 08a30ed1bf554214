import { useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import type { Media } from '#shared/media.ts'
import { photoIn, photoSearch, thumbId } from './photo-address.ts'

/** Which photo is open, as the address (`?photo=id`) says it, so that Back closes it. `index` is -1 while none is. */
export function usePhotoViewer(photos: Media[]) {
  const { search, pathname, state } = useLocation()
  const navigate = useNavigate()
  const openId = photoIn(search)
  const index = openId === null ? -1 : photos.findIndex(({ id }) => id === openId)
  const last = useRef<string | null>(null)

  useEffect(() => {
    if (index >= 0) {
      last.current = openId
    } else if (last.current !== null) {
      // Closed, by whatever way: the focus goes to the photo that was looked at last. Not before the browser is done with
      // going back: at an address with a fragment (`#photos`) it takes the focus away once more.
      const thumb = document.getElementById(thumbId(last.current))
      setTimeout(() => thumb?.focus())
      last.current = null
    }
  }, [index, openId])

  function show(next: number): void {
    const photo = photos[next]
    if (!photo) return
    void navigate({ pathname, search: photoSearch(search, photo.id) }, { replace: true, state })
  }
  function close(): void {
    // Opened from this page: going back leaves no second copy of it in the history.
    if (isOpenedHere(state)) void navigate(-1)
    else void navigate({ pathname, search: photoSearch(search, null) }, { replace: true })
  }
  return { openId, index, show, close }
}

function isOpenedHere(state: unknown): boolean {
  return typeof state === 'object' && state !== null && 'openedHere' in state
}

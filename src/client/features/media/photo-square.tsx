import { memo } from 'react'
import { Link } from 'react-router-dom'
import type { Media } from '#shared/media.ts'
import { mediaPath, mediaSrcSet, SMALLER_WIDTHS } from '#client/lib/links.ts'
import { useDataSaver } from '#client/lib/data-saver.ts'
import { SoftImage } from '#client/ui/soft-image.tsx'
import { addedBy, altOf } from './media.queries.ts'
import { photoSearch, thumbId } from './photo-address.ts'

/** A square of the gallery. Memoised, because there can be a thousand. */
export const PhotoSquare = memo(function PhotoSquare({
  photo,
  place,
  search,
  sizes,
  invite,
  onNear,
}: {
  photo: Media
  /** "3 of 24". */
  place: string
  /** The URL's search with no photo open. */
  search: string
  sizes: string
  invite: string | undefined
  /** The user is about to open it. */
  onNear: () => void
}) {
  const isDataSaver = useDataSaver()
  return (
    <li>
      <Link
        id={thumbId(photo.id)}
        to={{ search: photoSearch(search, photo.id), hash: '' }}
        data-photo
        onPointerDown={onNear}
        onFocus={onNear}
        state={{ openedHere: true }}
        preventScrollReset
        aria-label={`Photo ${place}, added by ${addedBy(photo)}${photo.caption ? `: ${photo.caption}` : ''}`}
      >
        <SoftImage
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
    </li>
  )
})

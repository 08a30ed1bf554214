import type { Media } from '#shared/media/media.ts'
import type { PublicMemorialView } from '#shared/memorials/memorials.ts'
import { formatDate } from '#client/lib/dates.ts'
import { mediaPath, mediaSrcSet } from '#client/lib/links.ts'
import { PlaceholderImage } from '#client/ui/placeholder-image.tsx'
import { addedBy, altOf } from './media.queries.ts'
import { photoSearch, thumbId } from './photo-address.ts'
import styles from './gallery.module.css'

const WIDTHS = [640, 1280, 1920] as const

/** One photo at the top of the page, for visitors without JavaScript; others get {@link PhotoViewer}. */
export function StaticPhoto({
  photo,
  view,
  path,
  isDataSaver,
}: {
  photo: Media
  view: PublicMemorialView
  path: string
  /** Data saver is on, so no script will load to show it otherwise. */
  isDataSaver: boolean
}) {
  const { pathname, search } = new URL(path, 'https://page.invalid')
  const { profileMediaId } = view.memorial
  const photos = view.media.filter(({ type, id }) => type === 'IMAGE' && id !== profileMediaId)
  const at = photos.findIndex(({ id }) => id === photo.id)
  const [previous, next] = at < 0 ? [] : [photos[at - 1], photos[at + 1]]
  const urlOf = (id: string | null) => {
    const query = photoSearch(search, id)
    return query === '' ? pathname : `${pathname}?${query}`
  }
  return (
    <section className={styles.still} id="photo-still" aria-label="Photo" data-lite={isDataSaver}>
      <figure>
        <PlaceholderImage
          className={styles.photo}
          placeholder={photo.placeholder}
          fit="contain"
          src={mediaPath(photo.id, 1280)}
          srcSet={mediaSrcSet(photo.id, WIDTHS)}
          sizes="100vw"
          width={photo.width ?? 1280}
          height={photo.height ?? 960}
          alt={altOf(photo)}
        />
        <figcaption>
          {photo.caption && <p>{photo.caption}</p>}
          <p>
            Added by {addedBy(photo)}, {formatDate(photo.createdAt)}
          </p>
        </figcaption>
      </figure>
      <nav className="row tall-links" aria-label="Photos">
        {previous && <a href={urlOf(previous.id)}>Previous</a>}
        {next && <a href={urlOf(next.id)}>Next</a>}
        <a href={`${urlOf(null)}#${thumbId(photo.id)}`}>Close</a>
      </nav>
    </section>
  )
}

import { useDataSaver } from '#client/lib/data-saver.ts'
import albumAvif from '#client/assets/landing/album.avif'
import albumWebp from '#client/assets/landing/album.webp'
import stoneAvif from '#client/assets/landing/stone.avif'
import stoneWebp from '#client/assets/landing/stone.webp'
import tableAvif from '#client/assets/landing/table.avif'
import tableWebp from '#client/assets/landing/table.webp'
import styles from './feature-picture.module.css'

const IMAGES = {
  table: {
    avif: tableAvif,
    webp: tableWebp,
    alt: 'Hands of a family around a table. Between the plates lies a phone that shows the memorial of Tendai Rudo Moyo.',
  },
  album: {
    avif: albumAvif,
    webp: albumWebp,
    alt: 'Two hands hold an open photo album: a wedding, a house, a class of children.',
  },
  stone: {
    avif: stoneAvif,
    webp: stoneWebp,
    alt: 'A gravestone under msasa trees. On its plaque a name, two years and a code to scan.',
  },
} as const

/**
 * An illustration in its frame, with a caption. `eager` is for the one above the fold. With data saver on, every one loads
 * lazily.
 */
export function FeatureImage({
  name,
  caption,
  eager = false,
}: {
  name: keyof typeof IMAGES
  caption: string
  eager?: boolean
}) {
  const isDataSaver = useDataSaver()
  const { avif, webp, alt } = IMAGES[name]
  return (
    <figure className={styles.figure}>
      <picture>
        <source type="image/avif" srcSet={avif} />
        <img
          className={styles.image}
          src={webp}
          alt={alt}
          width={720}
          height={540}
          loading={eager && !isDataSaver ? 'eager' : 'lazy'}
          decoding="async"
        />
      </picture>
      <figcaption className={styles.caption}>{caption}</figcaption>
    </figure>
  )
}

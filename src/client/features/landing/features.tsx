import albumAvif from '#client/assets/landing/album.avif'
import albumWebp from '#client/assets/landing/album.webp'
import stoneAvif from '#client/assets/landing/stone.avif'
import stoneWebp from '#client/assets/landing/stone.webp'
import tableAvif from '#client/assets/landing/table.avif'
import tableWebp from '#client/assets/landing/table.webp'
import { useDataSaver } from '#client/lib/server-rendering.ts'
import styles from './features.module.css'

const FEATURES = [
  {
    title: 'You decide who sees it',
    text: 'Keep it private, open it to people you invite, or let anyone with the link see it. One invitation is enough for the whole family.',
  },
  {
    title: 'A code on the stone',
    text: 'Mark where the grave is, and fix a code to the stone that opens the memorial. Take the plaque’s file to any engraver, or ask us for a price.',
  },
  {
    title: 'The funeral, for everyone',
    text: 'Everyone can see where and when, save each service to a calendar, get directions and read the programme.',
  },
  {
    title: 'Their life story',
    text: 'Write it at your own pace, a few lines at a time. You can change it later.',
  },
  {
    title: 'Photos, voices and messages',
    text: 'Family and friends add photos, videos and recordings from their own phones, and write in the guestbook.',
  },
  {
    title: 'Kept for good',
    text: 'You pay once. The memorial stays, at the same address, for the grandchildren to find.',
  },
] as const

export function Features() {
  return (
    <ul className={styles.list}>
      {FEATURES.map(({ title, text }) => (
        <li key={title} className={styles.item}>
          <h3>{title}</h3>
          <p>{text}</p>
        </li>
      ))}
    </ul>
  )
}

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

/** An illustration with a caption. `eager` is for the one above the fold; with data saver on, all load lazily. */
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

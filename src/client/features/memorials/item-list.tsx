import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import type { Comment } from '#shared/comments.ts'
import type { Media } from '#shared/media.ts'
import { MEDIA_NAME } from '#shared/media-types.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { PlaceholderImage } from '#client/ui/placeholder-image.tsx'
import styles from './item-list.module.css'

/**
 * The heading of a list that disappears with its last item. Once used, the list stays, and the heading takes the focus of the
 * pressed button, which disappeared with its item.
 */
export function useListHeading(): {
  heading: RefObject<HTMLHeadingElement | null>
  isUsed: boolean
  markUsed: () => void
} {
  const [isUsed, setUsed] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (isUsed && document.activeElement === document.body) heading.current?.focus({ preventScroll: true })
  })
  return { heading, isUsed, markUsed: () => setUsed(true) }
}

/** Items with names that tell their buttons apart: who added each and when, numbered within a minute. */
export function withNames<T extends Media | Comment>(items: T[]): { item: T; name: string }[] {
  const counts = new Map<string, number>()
  return items.map((item) => {
    const [kind, author] =
      'body' in item ? ['Message', item.authorName] : [MEDIA_NAME[item.type], item.contributorName]
    const name = `${kind} added by ${author ?? 'the family'}, ${formatDateTime(item.createdAt)}`
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return { item, name: count === 1 ? name : `${name} (${count})` }
  })
}

/** The first part of a row: a thumbnail, what it is, up to three lines of its words, and in small print `relation` and `children`. */
export function ItemFacts({
  name,
  media,
  text,
  relation,
  children,
}: {
  name: string
  media: Pick<Media, 'thumbnailPath' | 'placeholder'> | null
  text: string | null
  /** How a visitor who left this message says they knew the person. */
  relation?: string | undefined
  children: ReactNode
}) {
  return (
    <>
      {media?.thumbnailPath && (
        <PlaceholderImage
          className={styles.thumb}
          placeholder={media.placeholder}
          src={media.thumbnailPath}
          alt=""
          width={72}
          height={72}
          loading="lazy"
        />
      )}
      <div className={styles.facts}>
        <p>{name}</p>
        {text && (
          <p className={styles.text} dir="auto">
            {text}
          </p>
        )}
        <p className="small-muted">
          {relation && (
            <>
              <bdi>{relation}</bdi> ·{' '}
            </>
          )}
          {children}
        </p>
      </div>
    </>
  )
}

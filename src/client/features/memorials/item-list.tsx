import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import type { Comment } from '#shared/comments/comments.ts'
import type { Media } from '#shared/media/media.ts'
import { MEDIA_NAME } from '#shared/media/media-types.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { Button } from '#client/ui/button.tsx'
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

/** A name that may hurt to read, folded. */
export function NameApart({ children }: { children: string }) {
  return (
    <details>
      <summary className={styles.fold}>Name kept apart: it may hurt to read</summary>
      <bdi>{children}</bdi>
    </details>
  )
}

function authorOf(item: Media | Comment): string {
  return ('body' in item ? item.authorName : item.contributorName) ?? 'the family'
}

/** Items with names that tell their buttons apart: who added each and when, numbered within a minute. `isApart`: without names that may hurt. */
export function withNames<T extends Media | Comment>(
  items: T[],
  isApart = false,
): { item: T; name: string }[] {
  const counts = new Map<string, number>()
  return items.map((item) => {
    const kind = 'body' in item ? 'Message' : MEDIA_NAME[item.type]
    const author = isApart && item.heldReason !== undefined ? 'somebody' : authorOf(item)
    const name = `${kind} added by ${author}, ${formatDateTime(item.createdAt)}`
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return { item, name: count === 1 ? name : `${name} (${count})` }
  })
}

/** A list of these items, in their order; each row gets a name that tells its buttons apart. */
export function ItemRows<T extends Media | Comment>({
  items,
  isApart = false,
  children,
}: {
  items: T[]
  /** Not in a fold of their own: names that may hurt are left out. */
  isApart?: boolean
  children: (item: T, name: string) => ReactNode
}) {
  return (
    <ul className={styles.list}>
      {withNames(items, isApart).map(({ item, name }) => (
        <li key={item.id}>{children(item, name)}</li>
      ))}
    </ul>
  )
}

/** The button that loads the next page of a list; nothing on the last one. */
export function ShowMore({
  list: { hasNextPage, isFetchingNextPage, fetchNextPage },
}: {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> }
}) {
  if (!hasNextPage) return null
  return (
    <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
      Show more
    </Button>
  )
}

/** What may hurt is on no page, so the list leads to the file itself. */
const OPEN: Record<Media['type'], string> = {
  IMAGE: 'See the whole photo',
  VIDEO: 'Play the video',
  AUDIO: 'Play the recording',
}

/**
 * The first part of a row: a thumbnail, what it is, its words, and in small print who left it and `children`. Up to three lines of the
 * words, or all of them if `isWhole`: nobody decides about words that they haven't read. What may hurt is folded with its author's name,
 * unless `isWhole`.
 */
export function ItemFacts({
  name,
  item,
  isWhole = false,
  children,
}: {
  name: string
  item: Media | Comment
  isWhole?: boolean
  children: ReactNode
}) {
  const [media, comment] = 'body' in item ? [null, item] : [item, null]
  const isFolded = item.heldReason !== undefined && !isWhole
  const text = comment?.body ?? [media?.caption, media?.alt].filter(Boolean).join('\n')
  const words = text && (
    <p className={isWhole || isFolded ? styles.whole : styles.text} dir="auto">
      {text}
    </p>
  )
  return (
    <>
      {media?.thumbnailPath && !isFolded && (
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
      <div className={isWhole ? `${styles.facts} ${styles.wholeFacts}` : styles.facts}>
        {/* Whole words are what is to be read, not whose they are. */}
        <p className={isWhole ? 'small-muted' : undefined}>{name}</p>
        {isFolded && <NameApart>{authorOf(item)}</NameApart>}
        {words && isFolded ? (
          <details>
            <summary className={styles.fold}>Read it</summary>
            {words}
          </details>
        ) : (
          words
        )}
        {media && isWhole && (
          <p>
            <a href={`/media/stream/${media.id}`} target="_blank" rel="noreferrer">
              {OPEN[media.type]}
            </a>
          </p>
        )}
        <p className="small-muted">
          {comment?.isFromVisitor && 'A visitor of the public page · '}
          {comment?.visitorRelation && (
            <>
              <bdi>{comment.visitorRelation}</bdi> ·{' '}
            </>
          )}
          {children}
        </p>
      </div>
    </>
  )
}

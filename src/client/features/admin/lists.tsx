import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, useLayoutEffect, type ReactNode } from 'react'
import { messages } from '#shared/messages.ts'
import type { cursorQuery } from '#client/lib/query-client.ts'
import { Button } from '#client/ui/button.tsx'
import { LoadError } from '#client/ui/notice.tsx'
import { Skeleton } from '#client/ui/page.tsx'
import styles from './lists.module.css'

/**
 * A section with a list, newest first, that loads more on demand. It shows its own error so that the other sections stay
 * usable. The button disappears with the last page; focus then moves to the first new row.
 */
export function NewestFirst<Page extends { nextCursor: string | null }, Item extends { id: string }>({
  id,
  title,
  empty,
  more,
  query,
  itemsOf,
  filter,
  children,
}: {
  id: string
  title: string
  empty: string
  more: string
  query: ReturnType<typeof cursorQuery<Page>>
  itemsOf: (page: Page) => Item[]
  /** Controls between the title and the list. */
  filter?: ReactNode
  children: (item: Item) => ReactNode
}) {
  const { data, error, isFetchingNextPage, hasNextPage, refetch, fetchNextPage } = useInfiniteQuery(query)
  const items = data?.pages.flatMap(itemsOf) ?? []
  const list = useRef<HTMLUListElement>(null)
  const firstNew = useRef<number | null>(null)
  const [announcement, setAnnouncement] = useState('')

  useEffect(() => {
    const row = firstNew.current === null ? null : list.current?.children[firstNew.current]
    if (!(row instanceof HTMLElement)) return
    firstNew.current = null
    row.focus()
  })

  async function loadMore() {
    const before = items.length
    const result = await fetchNextPage()
    if (!result.hasNextPage && !result.isError) firstNew.current = before
    setAnnouncement(
      result.isError ? '' : `${(result.data?.pages.flatMap(itemsOf).length ?? 0) - before} more`,
    )
  }

  return (
    <section aria-labelledby={id}>
      <h2 id={id} tabIndex={-1}>
        {title}
      </h2>
      {filter}
      {!data && !error && <RowSkeletons label={`Loading: ${title}`} height="2.5rem" />}
      {error && (
        <LoadError title={messages.admin.listFailedTitle} error={error} onRetry={() => void refetch()} />
      )}
      {data && items.length === 0 && <p className={styles.empty}>{empty}</p>}
      <ul ref={list} className={styles.list}>
        {items.map((item) => (
          <li key={item.id} tabIndex={-1}>
            {children(item)}
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button isBusy={isFetchingNextPage} onClick={() => void loadMore()}>
          {more}
        </Button>
      )}
      <p className="visually-hidden" aria-live="polite">
        {announcement}
      </p>
    </section>
  )
}

/** Five placeholder rows, without animation, for a list that is loading. */
export function RowSkeletons({ label, height }: { label: string; height: string }) {
  return (
    <div className={styles.skeletons} aria-busy="true">
      <span className="visually-hidden" role="status">
        {label}
      </span>
      {Array.from({ length: 5 }, (_, row) => (
        <Skeleton key={row} height={height} />
      ))}
    </div>
  )
}

/** For a button that unmounts when its action succeeds: if it had the focus, its row takes it. */
export function useFocusRow() {
  const ref = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const button = ref.current
    return () => {
      if (button && document.activeElement === button) button.closest<HTMLElement>('tr, li')?.focus()
    }
  }, [])
  return ref
}

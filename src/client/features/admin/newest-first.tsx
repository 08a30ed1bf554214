import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { messages } from '#shared/messages.ts'
import { errorText } from '#client/lib/call.ts'
import type { cursorQuery } from '#client/lib/query-client.ts'
import { Button } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import styles from './newest-first.module.css'
import { RowSkeletons } from './row-skeletons.tsx'

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
  children,
}: {
  id: string
  title: string
  empty: string
  more: string
  query: ReturnType<typeof cursorQuery<Page>>
  itemsOf: (page: Page) => Item[]
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
      {!data && !error && <RowSkeletons label={`Loading: ${title}`} height="2.5rem" />}
      {error && (
        <Notice kind="error" title={messages.admin.listFailedTitle}>
          <p>{errorText(error, messages.system.internal)}</p>
          <Button onClick={() => void refetch()}>Try again</Button>
        </Notice>
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
        <Button
          aria-disabled={isFetchingNextPage}
          onClick={() => {
            if (!isFetchingNextPage) void loadMore()
          }}
        >
          {more}
        </Button>
      )}
      <p className="visually-hidden" aria-live="polite">
        {announcement}
      </p>
    </section>
  )
}

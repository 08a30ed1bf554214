import { useRef, type ReactNode } from 'react'
import { messages } from '#shared/messages.ts'
import { Button } from '#client/ui/button.tsx'
import styles from './paged-list.module.css'

/** The list's count, the current page and the page links. The count takes the focus when the page changes. */
export function PagedList({
  noun,
  page,
  pageSize,
  total,
  hasMore,
  isBusy,
  onPage,
  children,
}: {
  noun: [one: string, more: string]
  page: number
  pageSize: number
  total: number
  hasMore: boolean
  isBusy: boolean
  onPage: (page: number) => void
  children: ReactNode
}) {
  const count = useRef<HTMLParagraphElement>(null)
  const last = Math.max(1, Math.ceil(total / pageSize))

  function turn(to: number) {
    onPage(to)
    count.current?.focus()
  }

  return (
    <>
      <p ref={count} className={styles.count} role="status" tabIndex={-1}>
        {total.toLocaleString('en')} {total === 1 ? noun[0] : noun[1]}
        {last > 1 && `, page ${page} of ${last}`}
        {hasMore && `. ${messages.admin.searchHasMore}`}
      </p>
      <div aria-busy={isBusy}>{children}</div>
      {(last > 1 || page > 1) && (
        <nav className={styles.pager} aria-label="Pages">
          {page > 1 && <Button onClick={() => turn(Math.min(page - 1, last))}>Previous page</Button>}
          {page < last && <Button onClick={() => turn(page + 1)}>Next page</Button>}
        </nav>
      )}
    </>
  )
}

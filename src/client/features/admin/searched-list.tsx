import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { Endpoint } from '#shared/endpoint.ts'
import { SEARCH_DEBOUNCE_MS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { Button } from '#client/ui/button.tsx'
import { TextField } from '#client/ui/forms/field.tsx'
import { useReload } from './admin.queries.ts'
import { RowSkeletons } from './lists.tsx'
import styles from './lists.module.css'

type Address = {
  page: number
  search: string
  onSearch: (search: string) => void
  onPage: (page: number) => void
}

/** A list with a search field, a reload button and pages; `children` are the rows of the current page. */
export function SearchedList({
  address: { page, search, onPage, onSearch },
  endpoint,
  data,
  isBusy,
  noun,
  hint,
  placeholder,
  rowHeight,
  children,
}: {
  address: Address
  /** The endpoint that the Refresh button reloads. */
  endpoint: Endpoint
  /** Undefined while the first page loads. */
  data: { total: number; pageSize: number; hasMore: boolean } | undefined
  isBusy: boolean
  noun: [one: string, more: string]
  hint?: string
  placeholder: string
  /** Height of a row while the list loads. */
  rowHeight: string
  children: ReactNode
}) {
  const reload = useReload(endpoint)
  const { text, type, submit } = useDebouncedSearch(search, onSearch)
  const count = useRef<HTMLParagraphElement>(null)
  const last = data ? Math.max(1, Math.ceil(data.total / data.pageSize)) : 1

  /** The count takes the focus when the page changes. */
  function turn(to: number) {
    onPage(to)
    count.current?.focus()
  }

  return (
    <>
      <form
        className={`row ${styles.tools}`}
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          submit(text.trim())
        }}
      >
        <div className={styles.search}>
          <TextField
            label={`Search ${noun[1]}`}
            hint={hint}
            type="search"
            placeholder={placeholder}
            maxLength={200}
            autoCapitalize="none"
            value={text}
            onChange={(event) => type(event.target.value)}
          />
        </div>
        <Button isBusy={isBusy} onClick={reload}>
          Refresh
        </Button>
      </form>
      {!data && <RowSkeletons label={`Loading ${noun[1]}`} height={rowHeight} />}
      {data && (
        <>
          <p ref={count} className={`small-muted ${styles.count}`} role="status" tabIndex={-1}>
            {data.total.toLocaleString('en')} {data.total === 1 ? noun[0] : noun[1]}
            {last > 1 && `, page ${page} of ${last}`}
            {data.hasMore && `. ${messages.admin.searchHasMore}`}
          </p>
          <div aria-busy={isBusy}>{children}</div>
          {(last > 1 || page > 1) && (
            <nav className={styles.pager} aria-label="Pages">
              {page > 1 && <Button onClick={() => turn(Math.min(page - 1, last))}>Previous page</Button>}
              {page < last && <Button onClick={() => turn(page + 1)}>Next page</Button>}
            </nav>
          )}
        </>
      )}
    </>
  )
}

/** The text of the search field. It is searched for after a pause in typing, or at once on Enter (`submit`). */
function useDebouncedSearch(search: string, onSearch: (search: string) => void) {
  const [text, setText] = useState(search)
  const searched = useRef(search)
  // Back and Forward can change the search without typing.
  useEffect(() => {
    if (search === searched.current) return
    searched.current = search
    setText(search)
  }, [search])

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  function submit(query: string) {
    clearTimeout(timer.current)
    if (query === searched.current) return
    searched.current = query
    onSearch(query)
  }
  function type(typed: string) {
    setText(typed)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => submit(typed.trim()), SEARCH_DEBOUNCE_MS)
  }
  return { text, type, submit }
}

/** Search text and page of the current list, stored in the URL so that Back and reload restore them. */
export function usePageAddress(): Address {
  const [params, setParams] = useSearchParams()
  const page = Number(params.get('page') ?? 1)

  function change(values: Record<'search' | 'page', string>, replace: boolean) {
    setParams(
      (before) => {
        const after = new URLSearchParams(before)
        for (const [name, value] of Object.entries(values)) {
          if (value === '') after.delete(name)
          else after.set(name, value)
        }
        return after
      },
      { replace },
    )
  }

  const search = params.get('search') ?? ''
  return {
    search,
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    // Replace, so that typing doesn't add a history entry per letter.
    onSearch: (text) => change({ search: text, page: '' }, true),
    onPage: (next) => change({ search, page: next === 1 ? '' : String(next) }, false),
  }
}

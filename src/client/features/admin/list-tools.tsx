import { useEffect, useRef, useState, type FormEvent } from 'react'
import { SEARCH_DEBOUNCE_MS } from '#shared/limits.ts'
import { Button } from '#client/ui/button.tsx'
import { TextField } from '#client/ui/field.tsx'
import styles from './list-tools.module.css'

/** The search field of a list (debounced, immediate on Enter) and the reload button. */
export function ListTools({
  label,
  hint,
  placeholder,
  search,
  isBusy,
  onSearch,
  onRefresh,
}: {
  label: string
  hint?: string
  placeholder: string
  search: string
  isBusy: boolean
  onSearch: (search: string) => void
  onRefresh: () => void
}) {
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
  function submitNow(event: FormEvent) {
    event.preventDefault()
    submit(text.trim())
  }

  return (
    <form className={styles.tools} role="search" onSubmit={submitNow}>
      <div className={styles.search}>
        <TextField
          label={label}
          hint={hint}
          type="search"
          placeholder={placeholder}
          maxLength={200}
          autoCapitalize="none"
          value={text}
          onChange={(event) => type(event.target.value)}
        />
      </div>
      <Button
        aria-disabled={isBusy}
        onClick={() => {
          if (!isBusy) onRefresh()
        }}
      >
        Refresh
      </Button>
    </form>
  )
}

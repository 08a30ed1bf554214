import { useSearchParams } from 'react-router-dom'
import type { PageAddress } from './admin.queries.ts'

/** Search text and page of the current list, stored in the URL so that Back and reload restore them. */
export function usePageAddress(): PageAddress & {
  onSearch: (search: string) => void
  onPage: (page: number) => void
} {
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

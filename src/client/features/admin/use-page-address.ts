import { useSearchParams } from 'react-router-dom'
import type { PageAddress } from './admin.queries.ts'

/** Search and page of the open list, kept in the address, so that Back and a reload find them again. */
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
    // Not a step to go back to for every letter.
    onSearch: (text) => change({ search: text, page: '' }, true),
    onPage: (next) => change({ search, page: next === 1 ? '' : String(next) }, false),
  }
}

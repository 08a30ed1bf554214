import {
  QueryClient,
  infiniteQueryOptions,
  queryOptions,
  replaceEqualDeep,
  type DataTag,
  type QueryFilters,
  type QueryKey,
} from '@tanstack/react-query'
import type { Endpoint } from '#shared/endpoint.ts'
import { call, isCachedAnswer, pathOf, type CallInput, type QueryValues } from '#client/lib/call.ts'

/** Starts first loads again, too: the server may have answered them before the change. The library waits for them instead. */
class InvalidatingClient extends QueryClient {
  override invalidateQueries(...given: Parameters<QueryClient['invalidateQueries']>): Promise<void> {
    const [filters = {}] = given
    if (filters.refetchType !== 'none')
      for (const query of this.getQueryCache().findAll({ ...filters, type: 'active' }))
        if (query.state.data === undefined) void query.cancel({ silent: true })
    return super.invalidateQueries(...given)
  }
}

/** Data never goes stale by itself, nothing is refetched on focus, nothing is retried. */
export function createQueryClient(): QueryClient {
  return new InvalidatingClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        refetchInterval: false,
        retry: false,
        // An offline device may still get cached answers; otherwise the call fails and says so.
        networkMode: 'always',
        structuralSharing: shareUnchanged,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}

/** Keeps unchanged parts, so that they don't render again; but an answer from this device's cache stays known as one. */
function shareUnchanged(before: unknown, after: unknown): unknown {
  const isCached = [before, after].some(
    (answer) => typeof answer === 'object' && answer !== null && isCachedAnswer(answer),
  )
  return isCached ? after : replaceEqualDeep(before, after)
}

/** Query options of a GET call. The key is its address, so that screens and invalidations agree. */
export function endpointQuery<E extends Endpoint>(endpoint: E, input: CallInput<E>) {
  return queryOptions({
    queryKey: [pathOf(endpoint, input as { params?: unknown; query?: QueryValues })] as const,
    queryFn: () => call(endpoint, input),
  })
}

type Cursor = { nextCursor: string | null }

/**
 * A newest-first list, page by page; `address` is that of its first page, and `first` replaces the first call. `filter`
 * distinguishes lists of the same address.
 */
export function cursorQuery<Page extends Cursor>(
  address: string,
  load: (query: { cursor?: string }) => Promise<Page>,
  first?: Page,
  filter: string | null = null,
) {
  return infiniteQueryOptions({
    queryKey: [address, 'pages', filter] as const,
    queryFn: ({ pageParam }) => load(pageParam === null ? {} : { cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page) => page.nextCursor,
    ...(first && { initialData: { pages: [first], pageParams: [null] } }),
  })
}

/**
 * Changes loaded data, and again after a request that is under way: the server may have answered it before it knew of the
 * change. So `change` must be the same when it runs twice.
 */
export function changeLoaded<Data>(
  client: QueryClient,
  queryKey: DataTag<QueryKey, Data, Error>,
  change: (data: Data | undefined) => Data | undefined,
): void {
  const apply = () => void client.setQueryData<Data>(queryKey, change)
  apply()
  const query = client.getQueryCache().find({ queryKey, exact: true })
  if (query?.state.fetchStatus === 'fetching') void query.promise?.then(apply, apply)
}

/** Matches all loaded queries of one endpoint, for writes after which any page may differ. */
export function allQueriesOf(endpoint: Endpoint, params: Record<string, string> = {}): QueryFilters {
  const path = pathOf(endpoint, { params })
  return {
    predicate: ({ queryKey: [key] }) =>
      typeof key === 'string' && (key === path || key.startsWith(`${path}?`)),
  }
}

import { QueryObserver, queryOptions } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { api } from '#shared/api.ts'
import { isCachedAnswer } from './call.ts'
import { FROM_CACHE_HEADER } from './offline/cache-names.ts'
import { changeLoaded, createQueryClient, endpointQuery } from './query-client.ts'

afterEach(() => vi.unstubAllGlobals())

function answer(status: number, body = '{"memorials":[]}') {
  const fetching = vi.fn<typeof fetch>(async () => new Response(body, { status }))
  vi.stubGlobal('fetch', fetching)
  return fetching
}

test('a read is cached under its own address and never goes stale', async () => {
  const fetching = answer(200)
  const client = createQueryClient()
  const query = endpointQuery(api.memorial, { params: { id: 'mem_1' } })
  expect(query.queryKey).toEqual(['/api/memorials/mem_1'])
  await client.fetchQuery(query)
  await client.fetchQuery(query)
  expect(fetching.mock.calls.map(([address]) => address)).toEqual(['/api/memorials/mem_1'])
  expect(client.getQueryCache().find(query)?.isStale()).toBe(false)
})

test("the server's answer replaces an equal one from this device's cache", async () => {
  const client = createQueryClient()
  const query = endpointQuery(api.dashboard, {})
  const headers = [{ [FROM_CACHE_HEADER]: '1' }, {}]
  vi.stubGlobal('fetch', async () => new Response('{"memorials":[]}', { headers: headers.shift() ?? {} }))
  expect(isCachedAnswer(await client.fetchQuery(query))).toBe(true)
  await client.invalidateQueries(query)
  await client.fetchQuery(query)
  expect(isCachedAnswer(client.getQueryData(query.queryKey) ?? {})).toBe(false)
  vi.stubGlobal(
    'fetch',
    async () => new Response('{"memorials":[1]}', { headers: { [FROM_CACHE_HEADER]: '1' } }),
  )
  await client.invalidateQueries(query)
  await client.fetchQuery(query)
  expect(isCachedAnswer(client.getQueryData(query.queryKey) ?? {})).toBe(true)
})

test('a failed read throws at once and is not retried, even if signed out', async () => {
  for (const status of [401, 500]) {
    const fetching = answer(status, '{"message":"No","code":"not_signed_in"}')
    const client = createQueryClient()
    await expect(client.fetchQuery(endpointQuery(api.dashboard, {}))).rejects.toThrow(`${status}: `)
    expect(fetching).toHaveBeenCalledTimes(1)
  }
})

test('nothing refetches by itself: not on focus, on reconnection or by a timer', () => {
  expect(createQueryClient().getDefaultOptions()).toEqual({
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      refetchInterval: false,
      retry: false,
      networkMode: 'always',
      structuralSharing: expect.any(Function),
    },
    mutations: { retry: false, networkMode: 'always' },
  })
})

test('a change during the first load starts the load again', async () => {
  const client = createQueryClient()
  const loads = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const queryFn = vi.fn<() => Promise<string>>()
  for (const { promise } of loads) queryFn.mockReturnValueOnce(promise)
  const options = queryOptions({ queryKey: ['list'], queryFn })
  const unwatch = new QueryObserver(client, options).subscribe(() => {})
  const refetching = client.invalidateQueries({ queryKey: options.queryKey })
  loads[0]?.resolve('before the change')
  loads[1]?.resolve('after it')
  await refetching
  expect([client.getQueryData(options.queryKey), queryFn.mock.calls.length]).toEqual(['after it', 2])
  unwatch()
})

test('a change outlasts a request that the server answered before it', async () => {
  const client = createQueryClient()
  const { queryKey } = queryOptions<string[]>({ queryKey: ['list'] })
  const held = Promise.withResolvers<string[]>()
  client.setQueryData(queryKey, ['old'])
  const fetching = client.fetchQuery({ queryKey, queryFn: () => held.promise, staleTime: 0 })
  changeLoaded(client, queryKey, (all) => all && ['new', ...all.filter((one) => one !== 'new')])
  expect(client.getQueryData(queryKey)).toEqual(['new', 'old'])
  held.resolve(['old', 'older'])
  await fetching
  expect(client.getQueryData(queryKey)).toEqual(['new', 'old', 'older'])
})

import { FROM_CACHE_HEADER, MEMORIAL_CACHE_PREFIX } from '#client/lib/offline/cache-names.ts'
import { keyOf } from './plan.ts'
import { mediaIdsIn, memorialsToDrop, type CachedMemorial } from './records.ts'

/** Cache key of a memorial's own record. */
const RECORD = '/record'
/** Headers that describe the moment of the answer. A cached answer must not say who is signed in. */
const DROPPED_HEADERS = ['Server-Timing', 'Set-Cookie', 'Vary']

/** All cached memorials, the one opened last first. */
export async function listCached(): Promise<CachedMemorial[]> {
  const names = (await caches.keys()).filter((name) => name.startsWith(MEMORIAL_CACHE_PREFIX))
  const found = await Promise.all(names.map((name) => readRecord(name)))
  return found.filter((record) => record !== null).sort((a, b) => b.openedAt - a.openedAt)
}

export async function readRecord(name: string): Promise<CachedMemorial | null> {
  const answer = await caches.match(RECORD, { cacheName: name })
  return answer ? ((await answer.json()) as CachedMemorial) : null
}

export async function findRecord(
  matches: (record: CachedMemorial) => boolean,
): Promise<CachedMemorial | null> {
  return (await listCached()).find(matches) ?? null
}

export function recordOf(mediaId: string): Promise<CachedMemorial | null> {
  return findRecord(({ mediaIds }) => mediaIds.includes(mediaId))
}

export const cacheNameOf = (slug: string) => MEMORIAL_CACHE_PREFIX + slug

export function openedRecord(
  before: CachedMemorial | null,
  { url, ...now }: Pick<CachedMemorial, 'slug' | 'id' | 'name'> & { url: string },
): CachedMemorial {
  const { pathname } = new URL(url)
  const isById = pathname.startsWith('/api/memorials/')
  const path = isById && now.id ? `/memorial/${now.id}` : `/m/${now.slug}`
  const id = now.id ?? before?.id ?? null
  return { mediaIds: [], assets: [], sizes: {}, ...before, ...now, id, path, openedAt: Date.now() }
}

export function addMedia(record: CachedMemorial, text: string): void {
  record.mediaIds = [...new Set([...record.mediaIds, ...mediaIdsIn(text)])]
}

export async function put(record: CachedMemorial, url: string, answer: Response): Promise<void> {
  const key = keyOf(url)
  const body = await answer.blob()
  record.sizes[key] = body.size
  // Write the record first: deletion relies on it.
  await writeRecord(record)
  const cache = await caches.open(cacheNameOf(record.slug))
  await cache.put(key, new Response(body, { headers: cachedHeaders(answer) }))
  for (const slug of memorialsToDrop(await listCached())) await caches.delete(cacheNameOf(slug))
}

export function cachedHeaders(answer: Response): Headers {
  const headers = new Headers(answer.headers)
  for (const name of DROPPED_HEADERS) headers.delete(name)
  headers.set(FROM_CACHE_HEADER, '1')
  return headers
}

export async function writeRecord(record: CachedMemorial): Promise<void> {
  const cache = await caches.open(cacheNameOf(record.slug))
  await cache.put(RECORD, Response.json(record))
}

export async function deleteCachedMemorials(): Promise<void> {
  for (const name of await caches.keys())
    if (name.startsWith(MEMORIAL_CACHE_PREFIX)) await caches.delete(name)
}

import { OFFLINE_PICTURE_MAX_WIDTH, THUMBNAIL_WIDTH } from '#shared/limits.ts'
import { ADDED_PARAMETER } from '#shared/pages/added-parameter.ts'

/** How the service worker treats a request. */
export type Plan =
  /** A document. `slug`: of the public memorial at this address. */
  | { kind: 'page'; slug: string | null; id: string | null; isInvitation: boolean }
  /** A file with a hash in its name. */
  | { kind: 'asset' }
  /** A memorial, by its slug or its id. */
  | { kind: 'memorial'; slug: string | null; id: string | null }
  /** A page of a memorial's media or guestbook. */
  | { kind: 'list'; id: string }
  | { kind: 'picture'; mediaId: string }

type PlannedRequest = Pick<Request, 'method' | 'url' | 'mode'> & { headers: Pick<Headers, 'has'> }

const PAGE = /^\/(?:m\/([a-z0-9-]+)|memorial\/([\w-]+)|(invite)\/[^/]+)\/?$/u
const MEMORIAL = /^\/api\/(?:memorial\/([a-z0-9-]+)|memorials\/([\w-]+))$/u
const LIST = /^\/api\/memorials\/([\w-]+)\/(?:media|comments)$/u
const PICTURE = /^\/media\/stream\/([\w-]+)$/u
const ASSET = /^\/assets\/[^/]+\.(?:js|css|woff2|svg)$/u
const NOT_A_PAGE = /^\/(?:api|media|assets)\//u

/** True for what a page loads and for downloads: URLs that are not documents of the app. */
export function isCall(url: string): boolean {
  return NOT_A_PAGE.test(new URL(url).pathname)
}

/**
 * How to treat a request, or null to leave it to the network as if there were no service worker. Only what is listed
 * here is ever cached: no calls of accounts, payments or admins, no videos, recordings, originals or ranges.
 */
export function planOf({ method, url, mode, headers }: PlannedRequest, origin: string): Plan | null {
  const { origin: from, pathname, searchParams } = new URL(url)
  if (method !== 'GET' || from !== origin || headers.has('Range')) return null
  if (mode === 'navigate') {
    if (isCall(url)) return null
    const [, slug, id, invite] = PAGE.exec(pathname) ?? []
    return { kind: 'page', slug: slug ?? null, id: id ?? null, isInvitation: invite !== undefined }
  }
  if (ASSET.test(pathname)) return { kind: 'asset' }
  // The answer to a form: what is cached doesn't have it.
  if (searchParams.has(ADDED_PARAMETER)) return null
  const memorial = MEMORIAL.exec(pathname)
  if (memorial) return { kind: 'memorial', slug: memorial[1] ?? null, id: memorial[2] ?? null }
  const list = LIST.exec(pathname)
  if (list) return { kind: 'list', id: list[1] ?? '' }
  const picture = PICTURE.exec(pathname)
  if (picture && isSmall(searchParams)) return { kind: 'picture', mediaId: picture[1] ?? '' }
  return null
}

/** Requests for images name a size; without one it is the largest image, a video or a recording. */
function isSmall(query: URLSearchParams): boolean {
  if (query.has('original') || query.has('as')) return false
  const width = query.get('thumbnail') === '1' ? THUMBNAIL_WIDTH : Number(query.get('w') ?? Number.NaN)
  return width > 0
}

/** True for image sizes that are cached. Offline, they replace wider ones. */
export function isCachedWidth(url: string): boolean {
  const { searchParams } = new URL(url)
  return searchParams.get('thumbnail') === '1' || Number(searchParams.get('w')) <= OFFLINE_PICTURE_MAX_WIDTH
}

/** The cache key of a URL: without the invitation token, which grants access, and without the open photo. */
export function keyOf(url: string): string {
  const key = new URL(url)
  for (const name of ['invite', 'photo']) key.searchParams.delete(name)
  key.hash = ''
  return key.href
}

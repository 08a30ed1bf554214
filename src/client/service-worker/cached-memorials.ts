import { OFFLINE_PICTURE_MAX_BYTES, OFFLINE_PICTURES_MAX_BYTES } from '#shared/limits.ts'
import { SITE_NAME } from '#shared/site-name.ts'
import {
  ASSETS,
  FROM_CACHE_HEADER,
  MEMORIAL_CACHE_PREFIX,
  PAGE_DATA,
  REFUSED_PAGE,
  SHELL_CACHE,
} from '#client/lib/offline/cache-names.ts'
import { isCachedWidth, keyOf, type Plan } from './plan.ts'
import {
  assetsIn,
  assetsToDrop,
  bytesOf,
  mediaIdsIn,
  memorialsToDrop,
  type CachedMemorial,
} from './records.ts'

/** Cache keys of a memorial's own record, and of the app's document. */
const RECORD = '/record'
const DOCUMENT = '/document'
/** Headers that describe the moment of the answer. A cached answer must not say who is signed in. */
const DROPPED_HEADERS = ['Server-Timing', 'Set-Cookie', 'Vary']

const REFUSED = new Set([403, 404, 410])
/** An address with the app's document that no memorial has. */
const ANY_SCREEN = '/memorial/offline'
const EMPTY_ROOT = '<div id="root"></div>'

/** True if the server says that this client may not see it. */
export function isRefusal({ status }: Pick<Response, 'status'>): boolean {
  return REFUSED.has(status)
}

/** All cached memorials, the one opened last first. */
export async function listCached(): Promise<CachedMemorial[]> {
  const names = (await caches.keys()).filter((name) => name.startsWith(MEMORIAL_CACHE_PREFIX))
  const found = await Promise.all(names.map((name) => readRecord(name)))
  return found.filter((record) => record !== null).sort((a, b) => b.openedAt - a.openedAt)
}

async function readRecord(name: string): Promise<CachedMemorial | null> {
  const answer = await caches.match(RECORD, { cacheName: name })
  return answer ? ((await answer.json()) as CachedMemorial) : null
}

async function findRecord(matches: (record: CachedMemorial) => boolean): Promise<CachedMemorial | null> {
  return (await listCached()).find(matches) ?? null
}

function recordOf(mediaId: string): Promise<CachedMemorial | null> {
  return findRecord(({ mediaIds }) => mediaIds.includes(mediaId))
}

const cacheNameOf = (slug: string) => MEMORIAL_CACHE_PREFIX + slug

/** The cached answer to this request, or null. */
export async function findCached(plan: Plan, url: string): Promise<Response | null> {
  if (plan.kind === 'page') return findCachedPage(plan, url)
  return (await caches.match(keyOf(url))) ?? null
}

/** Another size of the same image, which is better than none. */
export async function findSimilar(plan: Plan, url: string): Promise<Response | null> {
  if (plan.kind !== 'picture') return null
  return (await caches.match(url, { ignoreSearch: true })) ?? null
}

/** The server-rendered page, else the app's document, which then loads the memorial's data from the cache. */
async function findCachedPage(plan: Plan & { kind: 'page' }, url: string): Promise<Response | null> {
  const { slug, id } = plan
  const record = await findRecord((one) => one.slug === slug || (id !== null && one.id === id))
  if (!record && !plan.isInvitation) return null
  if (record) {
    const written =
      (await caches.match(keyOf(url), { cacheName: cacheNameOf(record.slug) })) ??
      (await caches.match(url, { cacheName: cacheNameOf(record.slug), ignoreSearch: true }))
    // By its id, the app shows more, and what was added since.
    const shell = slug === null ? await findShell() : undefined
    if (shell ?? written) return shell ?? written ?? null
  }
  return (await findShell()) ?? null
}

/** Caches an answer if allowed, and deletes what a refusal withdraws. Consumes the answer's body. */
export async function cacheAnswer(plan: Plan, url: string, answer: Response): Promise<void> {
  if (isRefusal(answer)) return deleteRefused(plan, url, answer.status)
  if (answer.status !== 200 || answer.redirected) return
  if (plan.kind === 'asset') return cacheAsset(url, answer)
  if (plan.kind === 'page') return cachePage(plan, url, answer)
  if (plan.kind === 'memorial') return cacheMemorial(url, answer)
  if (plan.kind === 'list') return cacheList(plan.id, url, answer)
  return cacheImage(plan.mediaId, url, answer)
}

/** False for what is already cached, and for lists and images of memorials that are not. */
export async function isWanted(plan: Plan, url: string): Promise<boolean> {
  if (plan.kind === 'page') return true
  if (await findCached(plan, url)) return false
  if (plan.kind === 'list') return (await findRecord(({ id }) => id === plan.id)) !== null
  if (plan.kind !== 'picture') return true
  return isCachedWidth(url) && (await recordOf(plan.mediaId)) !== null
}

async function deleteRefused(plan: Plan, url: string, status: number): Promise<void> {
  if (plan.kind === 'picture') {
    const record = await recordOf(plan.mediaId)
    if (record && status === 403) await caches.delete(cacheNameOf(record.slug))
    else if (record) await removeImage(record, url)
  } else if (plan.kind !== 'asset') {
    const slug = 'slug' in plan ? plan.slug : null
    await deleteWhere((record) => record.slug === slug || (plan.id !== null && record.id === plan.id))
  }
}

async function deleteWhere(matches: (record: CachedMemorial) => boolean): Promise<void> {
  const record = await findRecord(matches)
  if (record) await caches.delete(cacheNameOf(record.slug))
}

/** Deletes all sizes of a photo that was removed from the memorial. */
async function removeImage(record: CachedMemorial, url: string): Promise<void> {
  const cache = await caches.open(cacheNameOf(record.slug))
  await cache.delete(url, { ignoreSearch: true })
  const { pathname } = new URL(url)
  for (const key of Object.keys(record.sizes))
    if (new URL(key).pathname === pathname) delete record.sizes[key]
  await writeRecord(record)
}

async function cacheAsset(url: string, answer: Response): Promise<void> {
  const cache = await caches.open(ASSETS)
  await cache.put(url, answer)
  const urls = (await cache.keys()).map((request) => request.url)
  const drop = assetsToDrop(urls, new Set())
  if (drop.length === 0) return
  const shell = await findShell()
  const named = new Set([
    ...assetsIn((await shell?.text()) ?? ''),
    ...(await listCached()).flatMap(({ assets }) => assets),
  ])
  for (const one of assetsToDrop(urls, named)) await cache.delete(one)
}

async function cachePage(
  { slug, id: shownId }: Plan & { kind: 'page' },
  url: string,
  answer: Response,
): Promise<void> {
  if (!answer.headers.get('Content-Type')?.startsWith('text/html')) return
  const html = await answer.clone().text()
  if (html.includes(EMPTY_ROOT)) return cacheShell(url, html, answer)
  const brought = BROUGHT.exec(html)?.[1]
  if (brought !== undefined) return cachePersonalPage(url, brought, html, answer)
  if (shownId !== null && html.includes(REFUSED_PAGE)) return deleteWhere(({ id }) => id === shownId)
  if (slug === null) return
  // Only public memorials have a canonical link. Any other page says that there is nothing to read.
  if (!new RegExp(`<link rel="canonical" href="[^"]*/m/${slug}"`, 'u').test(html)) {
    await caches.delete(cacheNameOf(slug))
    return
  }
  const id = /\bmem_\w+/u.exec(html)?.[0] ?? null
  const record = openedRecord(await readRecord(cacheNameOf(slug)), { slug, id, name: titleOf(html), url })
  record.assets = assetsIn(html)
  addMedia(record, html)
  await put(record, url, answer)
}

const BROUGHT = new RegExp(`<script type="application/json" id="${PAGE_DATA}">(.*?)</script>`, 'u')
type Brought = { link: string | null; view: MemorialAnswer; media: unknown; comments: unknown }

/** Caches what a page that was written for its viewer brought with it, as if the app had asked for it. */
export async function cacheBrought(json: string, origin: string): Promise<void> {
  const { view, media, comments } = JSON.parse(json) as Brought
  const id = view.memorial?.id ?? ''
  const path = `${origin}/api/memorials/${id}`
  await cacheMemorial(path, Response.json(view))
  await cacheList(id, `${path}/media`, Response.json(media))
  await cacheList(id, `${path}/comments`, Response.json(comments))
}

/** With its data; the page itself only if it doesn't hold the link, which grants access. */
async function cachePersonalPage(url: string, json: string, html: string, answer: Response): Promise<void> {
  await cacheBrought(json, new URL(url).origin)
  const { link, view } = JSON.parse(json) as Brought
  const record = await findRecord(({ id }) => id === view.memorial?.id)
  if (!record || link !== null || new URL(url).searchParams.has('invite')) return
  record.assets = assetsIn(html)
  await put(record, url, answer)
}

/**
 * Caches the app's document and the files that it needs to show a memorial, unless they are here. `assets`: what the page has loaded
 * of them, and its styles. The document comes last: without its files it would be an empty page.
 */
export async function cacheApp(assets: readonly string[], origin: string): Promise<void> {
  const shell = origin + ANY_SCREEN
  const isHere = await Promise.all([findShell(), ...assets.map((url) => caches.match(url))])
  if (isHere.every(Boolean)) return
  const answer = await fetch(shell)
  const html = await answer.clone().text()
  if (!html.includes(EMPTY_ROOT)) return
  for (const url of [...assets, ...assetsIn(html).map((file) => origin + file)]) {
    if (await caches.match(url)) continue
    const file = await fetch(url)
    if (file.status !== 200) return
    await cacheAsset(url, file)
  }
  await cacheShell(shell, html, answer)
}

function findShell(): Promise<Response | undefined> {
  return caches.match(DOCUMENT, { cacheName: SHELL_CACHE })
}

/** The name and the years, as in link previews. */
function titleOf(html: string): string {
  const escaped = /<meta property="og:title" content="([^"]*)"/u.exec(html)?.[1] ?? ''
  return escaped.replaceAll(/&(amp|lt|gt|quot|#39);/gu, (_, name: keyof typeof ENTITIES) => ENTITIES[name])
}
const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/**
 * Description, Open Graph and Twitter tags, and the canonical address: an invitation's may name a person, and the token. And
 * what the page says without script.
 */
const ABOUT_ONE_PAGE = /<(?:meta \w+="(?:desc|og|tw)|link rel="can)[^>]*>|<main[^]*main>/gu

/** One document opens every screen of the app, with the strictest referrer policy, and names nobody. */
async function cacheShell(url: string, html: string, answer: Response): Promise<void> {
  // Don't cache documents with the card form: they allow the payment provider's script.
  if (!answer.headers.get('Content-Security-Policy')?.includes('trusted-types')) return
  const shell = html.replaceAll(ABOUT_ONE_PAGE, '').replace(/<title>[^<]*/u, `<title>${SITE_NAME}`)
  const cached = new Response(shell, { headers: cachedHeaders(answer) })
  cached.headers.set('Referrer-Policy', 'no-referrer')
  const cache = await caches.open(SHELL_CACHE)
  await cache.put(new URL(DOCUMENT, url).href, cached)
}

type MemorialAnswer = {
  memorial?: { id: string; slug: string; honoureeFullName: string; privacy: string }
  viewer?: { role: string }
}

/** Caches only what everybody or invited people see, never an owner's or admin's view. */
async function cacheMemorial(url: string, answer: Response): Promise<void> {
  const text = await answer.clone().text()
  const { memorial, viewer } = JSON.parse(text) as MemorialAnswer
  if (!memorial || !viewer) return
  const { id, slug, honoureeFullName: name, privacy } = memorial
  const mayCache =
    (viewer.role === 'VISITOR' || viewer.role === 'CONTRIBUTOR') &&
    (privacy === 'LOCKED' || privacy === 'INVITE')
  if (!mayCache) {
    await caches.delete(cacheNameOf(slug))
    return
  }
  const record = openedRecord(await readRecord(cacheNameOf(slug)), { slug, id, name, url })
  addMedia(record, text)
  await put(record, url, answer)
}

async function cacheList(id: string, url: string, answer: Response): Promise<void> {
  const record = await findRecord((one) => one.id === id)
  if (!record) return
  addMedia(record, await answer.clone().text())
  await put(record, url, answer)
}

async function cacheImage(mediaId: string, url: string, answer: Response): Promise<void> {
  if (!answer.headers.get('Content-Type')?.startsWith('image/') || !isCachedWidth(url)) return
  const record = await recordOf(mediaId)
  if (!record || bytesOf(record) > OFFLINE_PICTURES_MAX_BYTES) return
  const { size } = await answer.clone().blob()
  if (size <= OFFLINE_PICTURE_MAX_BYTES) await put(record, url, answer)
}

function openedRecord(
  before: CachedMemorial | null,
  { url, ...now }: Pick<CachedMemorial, 'slug' | 'id' | 'name'> & { url: string },
): CachedMemorial {
  const { pathname } = new URL(url)
  const isById = pathname.startsWith('/api/memorials/')
  const path = isById && now.id ? `/memorial/${now.id}` : `/m/${now.slug}`
  const id = now.id ?? before?.id ?? null
  return { mediaIds: [], assets: [], sizes: {}, ...before, ...now, id, path, openedAt: Date.now() }
}

function addMedia(record: CachedMemorial, text: string): void {
  record.mediaIds = [...new Set([...record.mediaIds, ...mediaIdsIn(text)])]
}

async function put(record: CachedMemorial, url: string, answer: Response): Promise<void> {
  const key = keyOf(url)
  const body = await answer.blob()
  record.sizes[key] = body.size
  // Write the record first: deletion relies on it.
  await writeRecord(record)
  const cache = await caches.open(cacheNameOf(record.slug))
  await cache.put(key, new Response(body, { headers: cachedHeaders(answer) }))
  for (const slug of memorialsToDrop(await listCached())) await caches.delete(cacheNameOf(slug))
}

function cachedHeaders(answer: Response): Headers {
  const headers = new Headers(answer.headers)
  for (const name of DROPPED_HEADERS) headers.delete(name)
  headers.set(FROM_CACHE_HEADER, '1')
  return headers
}

async function writeRecord(record: CachedMemorial): Promise<void> {
  const cache = await caches.open(cacheNameOf(record.slug))
  await cache.put(RECORD, Response.json(record))
}

export async function deleteCachedMemorials(): Promise<void> {
  for (const name of await caches.keys())
    if (name.startsWith(MEMORIAL_CACHE_PREFIX)) await caches.delete(name)
}

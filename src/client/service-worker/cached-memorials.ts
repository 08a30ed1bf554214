import { OFFLINE_PICTURE_MAX_BYTES, OFFLINE_PICTURES_MAX_BYTES } from '#shared/limits.ts'
import { PAGE_DATA, REFUSED_PAGE } from '#client/lib/offline/cache-names.ts'
import { cacheAsset, cacheShell, EMPTY_ROOT, findShell } from './cached-app.ts'
import { isCachedWidth, keyOf, type Plan } from './plan.ts'
import {
  addMedia,
  cacheNameOf,
  findRecord,
  openedRecord,
  put,
  readRecord,
  recordOf,
  writeRecord,
} from './record-store.ts'
import { assetsIn, bytesOf, type CachedMemorial } from './records.ts'

const REFUSED = new Set([403, 404, 410])

/** True if the server says that this client may not see it. */
export function isRefusal({ status }: Pick<Response, 'status'>): boolean {
  return REFUSED.has(status)
}

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
    // At `/memorial/:id` prefer the app: its cached data may be newer than the cached page.
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

/** The name and the years, as in link previews. */
function titleOf(html: string): string {
  const escaped = /<meta property="og:title" content="([^"]*)"/u.exec(html)?.[1] ?? ''
  return escaped.replaceAll(/&(amp|lt|gt|quot|#39);/gu, (_, name: keyof typeof ENTITIES) => ENTITIES[name])
}
const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

type MemorialAnswer = {
  memorial?: { id: string; slug: string; honoureeFullName: string; privacy: string }
  viewer?: { role: string }
}

/** Caches only what everybody or invited people see, never the family's or an admin's view. */
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

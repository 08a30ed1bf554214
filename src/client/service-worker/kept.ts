import { OFFLINE_PICTURE_MAX_BYTES, OFFLINE_PICTURES_MAX_BYTES } from '#shared/limits.ts'
import { ASSETS, KEPT_HEADER, MEMORIAL_PREFIX, SHELL } from '#client/lib/offline/cache-names.ts'
import { isKeptWidth, keyOf, type Plan } from './plan.ts'
import { assetsIn, assetsToDrop, bytesOf, mediaIdsIn, memorialsToDrop, type KeptMemorial } from './records.ts'

/** Cache keys of a memorial's own record, and of the app's document. */
const RECORD = '/record'
const DOCUMENT = '/document'
/** Headers that describe the moment of the answer. A cached answer must not say who is signed in. */
const NOT_KEPT = ['Server-Timing', 'Set-Cookie', 'Vary']

const REFUSED = new Set([403, 404, 410])
const EMPTY_ROOT = '<div id="root"></div>'

/** True if the server says that this client may not see it. */
export function isRefusal({ status }: Pick<Response, 'status'>): boolean {
  return REFUSED.has(status)
}

/** All cached memorials, the one opened last first. */
export async function listKept(): Promise<KeptMemorial[]> {
  const names = (await caches.keys()).filter((name) => name.startsWith(MEMORIAL_PREFIX))
  const found = await Promise.all(names.map((name) => recordIn(name)))
  return found.filter((record) => record !== null).sort((a, b) => b.openedAt - a.openedAt)
}

async function recordIn(name: string): Promise<KeptMemorial | null> {
  const answer = await caches.match(RECORD, { cacheName: name })
  return answer ? ((await answer.json()) as KeptMemorial) : null
}

async function findRecord(isIt: (record: KeptMemorial) => boolean): Promise<KeptMemorial | null> {
  return (await listKept()).find(isIt) ?? null
}

function recordOf(mediaId: string): Promise<KeptMemorial | null> {
  return findRecord(({ mediaIds }) => mediaIds.includes(mediaId))
}

const nameOf = (slug: string) => MEMORIAL_PREFIX + slug

/** The cached answer to this request, or null. */
export async function findKept(plan: Plan, url: string): Promise<Response | null> {
  if (plan.kind === 'page') return findPage(plan, url)
  return (await caches.match(keyOf(url))) ?? null
}

/** Another size of the same image, which is better than none. */
export async function findSimilar(plan: Plan, url: string): Promise<Response | null> {
  if (plan.kind !== 'picture') return null
  return (await caches.match(url, { ignoreSearch: true })) ?? null
}

/** The server-rendered page, else the app's document, which then loads the memorial's data from the cache. */
async function findPage(plan: Plan & { kind: 'page' }, url: string): Promise<Response | null> {
  const { slug, id } = plan
  const record = await findRecord((one) => one.slug === slug || (id !== null && one.id === id))
  if (!record && !plan.isInvitation) return null
  if (record) {
    const written =
      (await caches.match(keyOf(url), { cacheName: nameOf(record.slug) })) ??
      (await caches.match(url, { cacheName: nameOf(record.slug), ignoreSearch: true }))
    if (written) return written
  }
  return (await caches.match(DOCUMENT, { cacheName: SHELL })) ?? null
}

/** Caches an answer if allowed, and deletes what a refusal withdraws. Consumes the answer's body. */
export async function keep(plan: Plan, url: string, answer: Response): Promise<void> {
  if (isRefusal(answer)) return forgetRefused(plan, url, answer.status)
  if (answer.status !== 200 || answer.redirected) return
  if (plan.kind === 'asset') return keepAsset(url, answer)
  if (plan.kind === 'page') return keepPage(plan, url, answer)
  if (plan.kind === 'memorial') return keepMemorial(url, answer)
  if (plan.kind === 'list') return keepList(plan.id, url, answer)
  return keepPicture(plan.mediaId, url, answer)
}

/** False for what is already cached, and for lists and images of memorials that are not. */
export async function isWanted(plan: Plan, url: string): Promise<boolean> {
  if (plan.kind === 'page') return true
  if (await findKept(plan, url)) return false
  if (plan.kind === 'list') return (await findRecord(({ id }) => id === plan.id)) !== null
  if (plan.kind !== 'picture') return true
  return isKeptWidth(url) && (await recordOf(plan.mediaId)) !== null
}

async function forgetRefused(plan: Plan, url: string, status: number): Promise<void> {
  if (plan.kind === 'picture') {
    const record = await recordOf(plan.mediaId)
    if (record && status === 403) await caches.delete(nameOf(record.slug))
    else if (record) await removePicture(record, url)
  } else if (plan.kind !== 'asset') {
    const slug = 'slug' in plan ? plan.slug : null
    await forgetWhere((record) => record.slug === slug || (plan.id !== null && record.id === plan.id))
  }
}

async function forgetWhere(isIt: (record: KeptMemorial) => boolean): Promise<void> {
  const record = await findRecord(isIt)
  if (record) await caches.delete(nameOf(record.slug))
}

/** Deletes all sizes of a photo that was removed from the memorial. */
async function removePicture(record: KeptMemorial, url: string): Promise<void> {
  const cache = await caches.open(nameOf(record.slug))
  await cache.delete(url, { ignoreSearch: true })
  const { pathname } = new URL(url)
  for (const key of Object.keys(record.sizes))
    if (new URL(key).pathname === pathname) delete record.sizes[key]
  await writeRecord(record)
}

async function keepAsset(url: string, answer: Response): Promise<void> {
  const cache = await caches.open(ASSETS)
  await cache.put(url, answer)
  const urls = (await cache.keys()).map((request) => request.url)
  const drop = assetsToDrop(urls, new Set())
  if (drop.length === 0) return
  const shell = await caches.match(DOCUMENT, { cacheName: SHELL })
  const named = new Set([
    ...assetsIn((await shell?.text()) ?? ''),
    ...(await listKept()).flatMap(({ assets }) => assets),
  ])
  for (const one of assetsToDrop(urls, named)) await cache.delete(one)
}

async function keepPage({ slug }: Plan & { kind: 'page' }, url: string, answer: Response): Promise<void> {
  if (!answer.headers.get('Content-Type')?.startsWith('text/html')) return
  const html = await answer.clone().text()
  if (html.includes(EMPTY_ROOT)) return keepShell(url, answer)
  if (slug === null) return
  // Only public memorials have a canonical link. Any other page says that there is nothing to read.
  if (!new RegExp(`<link rel="canonical" href="[^"]*/m/${slug}"`, 'u').test(html)) {
    await caches.delete(nameOf(slug))
    return
  }
  const id = /\bmem_\w+/u.exec(html)?.[0] ?? null
  const record = opened(await recordIn(nameOf(slug)), { slug, id, name: titleOf(html), url })
  record.assets = assetsIn(html)
  addMedia(record, html)
  await put(record, url, answer)
}

/** The name and the years, as in link previews. */
function titleOf(html: string): string {
  const escaped = /<meta property="og:title" content="([^"]*)"/u.exec(html)?.[1] ?? ''
  return escaped.replaceAll(/&(amp|lt|gt|quot|#39);/gu, (_, name: keyof typeof ENTITIES) => ENTITIES[name])
}
const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** One document opens every screen of the app, with the strictest referrer policy. */
async function keepShell(url: string, answer: Response): Promise<void> {
  // Don't cache documents with the card form: they allow the payment provider's script.
  if (!answer.headers.get('Content-Security-Policy')?.includes('trusted-types')) return
  const kept = new Response(answer.body, { headers: keptHeaders(answer) })
  kept.headers.set('Referrer-Policy', 'no-referrer')
  const cache = await caches.open(SHELL)
  await cache.put(new URL(DOCUMENT, url).href, kept)
}

type Answered = {
  memorial?: { id: string; slug: string; honoureeFullName: string; privacy: string }
  viewer?: { role: string }
}

/** Caches only what everybody or invited people see, never an owner's or admin's view. */
async function keepMemorial(url: string, answer: Response): Promise<void> {
  const text = await answer.clone().text()
  const { memorial, viewer } = JSON.parse(text) as Answered
  if (!memorial || !viewer) return
  const { id, slug, honoureeFullName: name, privacy } = memorial
  const isForKeeping =
    (viewer.role === 'VISITOR' || viewer.role === 'CONTRIBUTOR') &&
    (privacy === 'LOCKED' || privacy === 'INVITE')
  if (!isForKeeping) {
    await caches.delete(nameOf(slug))
    return
  }
  const record = opened(await recordIn(nameOf(slug)), { slug, id, name, url })
  addMedia(record, text)
  await put(record, url, answer)
}

async function keepList(id: string, url: string, answer: Response): Promise<void> {
  const record = await findRecord((one) => one.id === id)
  if (!record) return
  addMedia(record, await answer.clone().text())
  await put(record, url, answer)
}

async function keepPicture(mediaId: string, url: string, answer: Response): Promise<void> {
  if (!answer.headers.get('Content-Type')?.startsWith('image/') || !isKeptWidth(url)) return
  const record = await recordOf(mediaId)
  if (!record || bytesOf(record) > OFFLINE_PICTURES_MAX_BYTES) return
  const { size } = await answer.clone().blob()
  if (size <= OFFLINE_PICTURE_MAX_BYTES) await put(record, url, answer)
}

function opened(
  before: KeptMemorial | null,
  { url, ...now }: Pick<KeptMemorial, 'slug' | 'id' | 'name'> & { url: string },
): KeptMemorial {
  const { pathname } = new URL(url)
  const isById = pathname.startsWith('/api/memorials/')
  const path = isById && now.id ? `/memorial/${now.id}` : `/m/${now.slug}`
  const id = now.id ?? before?.id ?? null
  return { mediaIds: [], assets: [], sizes: {}, ...before, ...now, id, path, openedAt: Date.now() }
}

function addMedia(record: KeptMemorial, text: string): void {
  record.mediaIds = [...new Set([...record.mediaIds, ...mediaIdsIn(text)])]
}

async function put(record: KeptMemorial, url: string, answer: Response): Promise<void> {
  const key = keyOf(url)
  const body = await answer.blob()
  record.sizes[key] = body.size
  // Write the record first: deletion relies on it.
  await writeRecord(record)
  const cache = await caches.open(nameOf(record.slug))
  await cache.put(key, new Response(body, { headers: keptHeaders(answer) }))
  for (const slug of memorialsToDrop(await listKept())) await caches.delete(nameOf(slug))
}

function keptHeaders(answer: Response): Headers {
  const headers = new Headers(answer.headers)
  for (const name of NOT_KEPT) headers.delete(name)
  headers.set(KEPT_HEADER, '1')
  return headers
}

async function writeRecord(record: KeptMemorial): Promise<void> {
  const cache = await caches.open(nameOf(record.slug))
  await cache.put(RECORD, Response.json(record))
}

/** Deletes every cached memorial. */
export async function forgetMemorials(): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith(MEMORIAL_PREFIX)) await caches.delete(name)
}

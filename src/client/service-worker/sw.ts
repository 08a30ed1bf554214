import { OFFLINE_AFTER_MS } from '#shared/limits.ts'
import {
  CACHE_PREFIX,
  WAITING_MESSAGES,
  type FromWorker,
  type ToWorker,
} from '#client/lib/offline/cache-names.ts'
import { sendPending } from '#client/lib/offline/pending-messages.ts'
import { sendMessage } from '#client/lib/offline/send-message.ts'
import { cacheApp } from './cached-app.ts'
import {
  cacheBrought,
  findCached,
  findSimilar,
  isRefusal,
  isWanted,
  cacheAnswer,
} from './cached-memorials.ts'
import { deleteCachedMemorials, listCached } from './record-store.ts'
import { renderOfflinePage } from './offline-page.ts'
import { isCall, planOf, type Plan } from './plan.ts'

/**
 * Makes visited memorials readable offline. What may change is fetched from the network first; the cache answers only
 * if the network fails, and is deleted when the server refuses. See docs/decisions/0028.
 */
declare const self: ServiceWorkerGlobalScope

/** Counts sign-outs, so that an answer that was in flight during one is not cached. */
let signOuts = 0
/** Serialises all changes to the caches. */
let last: Promise<unknown> = Promise.resolve()

function inTurn(work: () => Promise<void>): Promise<void> {
  const next = last.then(work).catch((error: unknown) => {
    // The device has no space, or the answer is malformed: the memorial can be read online only.
    console.warn(error)
  })
  last = next
  return next
}

/** `signOutsBefore`: the value of {@link signOuts} when the request was sent. */
function cacheInTurn(signOutsBefore: number, plan: Plan, url: string, answer: Response): Promise<void> {
  return inTurn(async () => {
    if (signOutsBefore === signOuts) await cacheAnswer(plan, url, answer)
  })
}

self.addEventListener('install', () => void self.skipWaiting())

self.addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys()) if (!name.startsWith(CACHE_PREFIX)) await caches.delete(name)
      await self.registration.navigationPreload?.enable()
      await self.clients.claim()
    })(),
  )
})

self.addEventListener('fetch', (event) => {
  const plan = planOf(event.request, self.location.origin)
  if (!plan) return
  const isConstant = plan.kind === 'asset' || plan.kind === 'picture'
  event.respondWith(isConstant ? cacheFirst(plan, event) : networkFirst(plan, event))
})

/** Hashed files and photo variants never change, so the cache saves their bytes. */
async function cacheFirst(plan: Plan, event: FetchEvent): Promise<Response> {
  const { url } = event.request
  const signOutsBefore = signOuts
  const cached = await findCached(plan, url)
  if (cached) return cached
  try {
    const answer = await fetch(event.request)
    event.waitUntil(cacheInTurn(signOutsBefore, plan, url, answer.clone()))
    return answer
  } catch (error) {
    const similar = await findSimilar(plan, url)
    if (similar) return similar
    throw error
  }
}

async function networkFirst(plan: Plan, event: FetchEvent): Promise<Response> {
  const { url } = event.request
  const signOutsBefore = signOuts
  let isCachedShown = false
  const network = fetchFromNetwork(event)
  async function follow(): Promise<void> {
    const copy = await network.then(([, second]) => second).catch(() => null)
    if (copy === null) return
    await cacheInTurn(signOutsBefore, plan, url, copy)
    if (isCachedShown && isRefusal(copy)) await notify(event, { kind: 'gone' })
  }
  event.waitUntil(follow())
  try {
    const first = await Promise.race([network, offlineTimeout()])
    if (first !== null) return first[0]
    const cached = await findCached(plan, url)
    isCachedShown = cached !== null
    return cached ?? (await network)[0]
  } catch (error) {
    const cached = await findCached(plan, url)
    if (cached) return cached
    if (plan.kind === 'page') return renderOfflinePage(await listCached())
    throw error
  }
}

/** The answer, and a copy to cache: from navigation preload, else from the network. */
async function fetchFromNetwork(event: FetchEvent): Promise<[Response, Response]> {
  const preloaded = (await event.preloadResponse) as Response | undefined
  const answer = preloaded ?? (await fetch(event.request))
  return [answer, answer.clone()]
}

function offlineTimeout(): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), OFFLINE_AFTER_MS))
}

async function notify({ resultingClientId, clientId }: FetchEvent, message: FromWorker): Promise<void> {
  const client = await self.clients.get(resultingClientId || clientId)
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a client is of this site, and takes no origin
  client?.postMessage(message)
}

self.addEventListener('message', (event) => {
  const message = event.data as ToWorker
  if (message.kind === 'forget') {
    signOuts += 1
    // At once, and again after a write in progress.
    event.waitUntil(Promise.all([deleteCachedMemorials(), inTurn(deleteCachedMemorials)]))
  } else {
    const { origin } = self.location
    event.waitUntil(
      inTurn(() => {
        if (message.kind === 'brought') return cacheBrought(message.json, origin)
        return message.kind === 'app' ? cacheApp(message.assets, origin) : cacheSeen(message.urls)
      }),
    )
  }
})

/** Pages and lists come first, because they say which photos belong to a memorial. */
const ORDER = ['page', 'memorial', 'list', 'picture', 'asset'] as const
/** The browsers' own header for images, so that this request hits their HTTP cache. */
const PICTURE_ACCEPT = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8'

/**
 * Caches what a page loaded before the worker controlled it, on the first visit. Most of it comes from the HTTP
 * cache. Skips what is already cached and what no cached memorial names.
 */
async function cacheSeen(urls: readonly string[]): Promise<void> {
  const before = signOuts
  const seen = urls.flatMap((url) => {
    const mode = isCall(url) ? 'cors' : 'navigate'
    const plan = planOf({ method: 'GET', url, mode, headers: new Headers() }, self.location.origin)
    return plan ? [{ plan, url }] : []
  })
  seen.sort((a, b) => ORDER.indexOf(a.plan.kind) - ORDER.indexOf(b.plan.kind))
  for (const { plan, url } of seen) {
    if (before !== signOuts || !(await isWanted(plan, url))) continue
    const headers = plan.kind === 'picture' ? { Accept: PICTURE_ACCEPT } : {}
    const answer = await fetch(url, { cache: 'force-cache', headers })
    if (before === signOuts) await cacheAnswer(plan, url, answer)
  }
}

/** The browser is online again: https://wicg.github.io/background-sync/spec/ */
type SyncEvent = ExtendableEvent & { tag: string }

self.addEventListener('sync', (event) => {
  const { tag } = event as SyncEvent
  if (tag === WAITING_MESSAGES) (event as SyncEvent).waitUntil(sendAll())
})

/** Throws if a message is still pending, so that the browser retries the sync. */
async function sendAll(): Promise<void> {
  const result = await sendPending(sendMessage)
  if (result?.kind === 'later') throw new Error('The server could not be reached')
}

import { OFFLINE_AFTER_MS } from '#shared/limits.ts'
import { KEPT_PREFIX, type FromWorker, type ToWorker } from '#client/lib/offline/cache-names.ts'
import { sendMessage } from '#client/lib/offline/send-message.ts'
import { sendWaiting, WAITING } from '#client/lib/offline/pending-messages.ts'
import { findKept, findSimilar, forgetMemorials, isRefusal, isWanted, keep, listKept } from './kept.ts'
import { toOfflinePage } from './offline-page.ts'
import { isCall, planOf, type Plan } from './plan.ts'

/**
 * Lets a memorial that was opened be read again without a connection. The network comes first for whatever may change; what
 * is kept is shown only where the network fails, and goes when the server refuses. See docs/decisions/0028.
 */
declare const self: ServiceWorkerGlobalScope

/** Counts how often somebody signed out: an answer that was on its way then is not kept. */
let forgotten = 0
/** What is kept is changed by one thing after another. */
let last: Promise<unknown> = Promise.resolve()

function inTurn(work: () => Promise<void>): Promise<void> {
  const next = last.then(work).catch((error: unknown) => {
    // No room on this device, or an answer that is none of ours: it is read as long as there is a connection.
    console.warn(error)
  })
  last = next
  return next
}

/** `askedAt`: what {@link forgotten} was when the answer was asked for. */
function keepInTurn(askedAt: number, plan: Plan, url: string, answer: Response): Promise<void> {
  return inTurn(async () => {
    if (askedAt === forgotten) await keep(plan, url, answer)
  })
}

self.addEventListener('install', () => void self.skipWaiting())

self.addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys()) if (!name.startsWith(KEPT_PREFIX)) await caches.delete(name)
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

/** A file with a hash in its name, and a size of a photograph, never change: what is kept saves their bytes. */
async function cacheFirst(plan: Plan, event: FetchEvent): Promise<Response> {
  const { url } = event.request
  const askedAt = forgotten
  const kept = await findKept(plan, url)
  if (kept) return kept
  try {
    const answer = await fetch(event.request)
    event.waitUntil(keepInTurn(askedAt, plan, url, answer.clone()))
    return answer
  } catch (error) {
    const similar = await findSimilar(plan, url)
    if (similar) return similar
    throw error
  }
}

async function networkFirst(plan: Plan, event: FetchEvent): Promise<Response> {
  const { url } = event.request
  const askedAt = forgotten
  let isKeptShown = false
  const network = askNetwork(event)
  async function follow(): Promise<void> {
    const copy = await network.then(([, second]) => second).catch(() => null)
    if (copy === null) return
    await keepInTurn(askedAt, plan, url, copy)
    if (isKeptShown && isRefusal(copy)) await tell(event, { kind: 'gone' })
  }
  event.waitUntil(follow())
  try {
    const first = await Promise.race([network, afterAWhile()])
    if (first !== null) return first[0]
    const kept = await findKept(plan, url)
    isKeptShown = kept !== null
    return kept ?? (await network)[0]
  } catch (error) {
    const kept = await findKept(plan, url)
    if (kept) return kept
    if (plan.kind === 'page') return toOfflinePage(await listKept())
    throw error
  }
}

/** The answer, and a copy to keep: of a document that the browser asked for while this was starting, or asked for now. */
async function askNetwork(event: FetchEvent): Promise<[Response, Response]> {
  const preloaded = (await event.preloadResponse) as Response | undefined
  const answer = preloaded ?? (await fetch(event.request))
  return [answer, answer.clone()]
}

function afterAWhile(): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), OFFLINE_AFTER_MS))
}

async function tell({ resultingClientId, clientId }: FetchEvent, word: FromWorker): Promise<void> {
  const client = await self.clients.get(resultingClientId || clientId)
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a client is of this site, and takes no origin
  client?.postMessage(word)
}

self.addEventListener('message', (event) => {
  const word = event.data as ToWorker
  if (word.kind === 'forget') {
    forgotten += 1
    // At once, and again after what is being written.
    event.waitUntil(Promise.all([forgetMemorials(), inTurn(forgetMemorials)]))
  } else {
    event.waitUntil(inTurn(() => keepSeen(word.urls)))
  }
})

/** First what says which photographs belong to a memorial. */
const ORDER = ['page', 'memorial', 'list', 'picture', 'asset'] as const
/** As browsers ask for pictures: what they have just loaded is found in their own cache. */
const PICTURE_ACCEPT = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8'

/**
 * What a page loaded before this was there, on the first visit. Most of it comes out of the browser's own cache; what is
 * kept already, and what nothing kept names, is not asked for.
 */
async function keepSeen(urls: readonly string[]): Promise<void> {
  const before = forgotten
  const seen = urls.flatMap((url) => {
    const mode = isCall(url) ? 'cors' : 'navigate'
    const plan = planOf({ method: 'GET', url, mode, headers: new Headers() }, self.location.origin)
    return plan ? [{ plan, url }] : []
  })
  seen.sort((a, b) => ORDER.indexOf(a.plan.kind) - ORDER.indexOf(b.plan.kind))
  for (const { plan, url } of seen) {
    if (before !== forgotten || !(await isWanted(plan, url))) continue
    const headers = plan.kind === 'picture' ? { Accept: PICTURE_ACCEPT } : {}
    const answer = await fetch(url, { cache: 'force-cache', headers })
    if (before === forgotten) await keep(plan, url, answer)
  }
}

/** The browser has a line again: https://wicg.github.io/background-sync/spec/ */
type SyncEvent = ExtendableEvent & { tag: string }

self.addEventListener('sync', (event) => {
  const { tag } = event as SyncEvent
  if (tag === WAITING) (event as SyncEvent).waitUntil(sendAll())
})

/** Throws where something waits still: the browser tries again by itself. */
async function sendAll(): Promise<void> {
  const tried = await sendWaiting(sendMessage)
  if (tried?.kind === 'later') throw new Error('The server could not be reached')
}

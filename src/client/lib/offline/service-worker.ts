import { isSavingData } from '#client/lib/browser/browser.ts'
import { takePageData } from '#client/lib/browser/page-data.ts'
import { serviceWorkerUrl } from '#client/lib/browser/trusted-types.ts'
import {
  CACHE_PREFIX,
  LINK_DROPPED,
  MEMORIAL_CACHE_PREFIX,
  type FromWorker,
  type ToWorker,
} from './cache-names.ts'

/**
 * After the page has loaded, registers the service worker, so that visited pages can be read offline. In data saver
 * mode it removes an existing one instead. Works without React and does nothing in unsupported browsers.
 */
export function registerServiceWorker(): void {
  if (!('serviceWorker' in navigator)) return
  if (document.readyState === 'complete') void start()
  else window.addEventListener('load', () => void start(), { once: true })
}

async function start(): Promise<void> {
  const { serviceWorker } = navigator
  try {
    if (isSavingData()) return await stop()
    serviceWorker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      // The family closed this memorial after it was cached: reload, and the server will say so.
      if (data.kind === 'gone') window.location.reload()
    })
    const isFirst = serviceWorker.controller === null
    await serviceWorker.register(serviceWorkerUrl())
    if (isFirst) reportLoadedUrls((await serviceWorker.ready).active)
  } catch {
    // The browser has no storage for this site: pages work online only.
  }
}

/** Reports the URLs that this page loaded, and loads later, without the service worker. */
function reportLoadedUrls(worker: ServiceWorker | null): void {
  if (!worker) return
  const report = (entries: PerformanceEntryList) => {
    const urls = (entries as PerformanceResourceTiming[]).filter(hasBypassedWorker).map(({ name }) => name)
    if (urls.length > 0) tell(worker, { kind: 'seen', urls })
  }
  const json = takePageData()
  if (json === null) report(performance.getEntriesByType('navigation'))
  else {
    tell(worker, { kind: 'brought', json })
    // The page itself, once no link is in its address.
    const reportPage = () => tell(worker, { kind: 'seen', urls: [window.location.href] })
    if (new URLSearchParams(window.location.search).has('invite'))
      window.addEventListener(LINK_DROPPED, reportPage, { once: true })
    else reportPage()
  }
  new PerformanceObserver((list) => report(list.getEntries())).observe({ type: 'resource', buffered: true })
}

function tell(worker: ServiceWorker | null | undefined, message: ToWorker): void {
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a worker is of this site, and takes no origin
  worker?.postMessage(message)
}

/** The app has started on a page that the server had written: from now on it opens offline, too. */
export async function keepAppForOffline(): Promise<void> {
  if (!('serviceWorker' in navigator) || isSavingData()) return
  const { active } = await navigator.serviceWorker.ready
  const sheets = document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name)
  const assets = [
    ...Array.from(sheets, ({ href }) => href),
    ...loaded.filter((url) => url.startsWith(`${window.location.origin}/assets/`)),
  ]
  tell(active, { kind: 'app', assets })
}

/** True for requests that bypassed the worker, and for images: it may have seen them before it knew their memorial. */
function hasBypassedWorker({ name, workerStart }: PerformanceResourceTiming): boolean {
  return name.startsWith(window.location.origin) && (workerStart === 0 || name.includes('/media/'))
}

async function stop(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration()
  await registration?.unregister()
  await removeCaches(CACHE_PREFIX)
}

async function removeCaches(prefix: string): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith(prefix)) await caches.delete(name)
}

/** Deletes every cached memorial on this device, at sign-out and sign-in. */
export function forgetCachedMemorials(): void {
  void forget()
}

async function forget(): Promise<void> {
  try {
    const registration = await navigator.serviceWorker.getRegistration()
    tell(registration?.active, { kind: 'forget' })
    await removeCaches(MEMORIAL_CACHE_PREFIX)
  } catch {
    // The browser has no storage for this site.
  }
}

import { KEPT_PREFIX, MEMORIAL_PREFIX, type FromWorker, type ToWorker } from './cache-names.ts'
import { isSavingData } from '#client/lib/browser-data-saver.ts'

const SCRIPT = '/sw.js'
/** Of the policy that lets this one address through: the pages' own policy names it (W1). */
const POLICY = 'service-worker'

/** Not in every browser, and not yet among the types. */
type TrustedTypes = {
  createPolicy: (
    name: string,
    rules: { createScriptURL: () => string },
  ) => {
    createScriptURL: (url: string) => string
  }
}

/**
 * Once the page has loaded, lets what was opened be read again without a connection. Not where less data is wanted: there
 * it takes back what it did before. Works without React, and does nothing in a browser that knows no service workers.
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
      // The family has closed this memorial since it was kept: the page asks again, and the server says so.
      if (data.kind === 'gone') window.location.reload()
    })
    const isFirst = serviceWorker.controller === null
    await serviceWorker.register(scriptUrl())
    if (isFirst) handOver((await serviceWorker.ready).active)
  } catch {
    // A browser that keeps nothing for this site: it is read as long as there is a connection.
  }
}

function scriptUrl(): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
  return (
    trustedTypes?.createPolicy(POLICY, { createScriptURL: () => SCRIPT }).createScriptURL(SCRIPT) ?? SCRIPT
  )
}

/** Tells the service worker what this page, which was opened without it, has loaded and loads. */
function handOver(worker: ServiceWorker | null): void {
  if (!worker) return
  const tell = (entries: PerformanceEntryList) => {
    const urls = (entries as PerformanceResourceTiming[]).filter(isPast).map(({ name }) => name)
    // eslint-disable-next-line unicorn/require-post-message-target-origin -- a worker is of this site, and takes no origin
    if (urls.length > 0) worker.postMessage({ kind: 'seen', urls } satisfies ToWorker)
  }
  tell(performance.getEntriesByType('navigation'))
  new PerformanceObserver((list) => tell(list.getEntries())).observe({ type: 'resource', buffered: true })
}

/** What went past it. A picture that did not may have come before it was known whose it is. */
function isPast({ name, workerStart }: PerformanceResourceTiming): boolean {
  return name.startsWith(window.location.origin) && (workerStart === 0 || name.includes('/media/'))
}

async function stop(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration()
  await registration?.unregister()
  await removeCaches(KEPT_PREFIX)
}

async function removeCaches(prefix: string): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith(prefix)) await caches.delete(name)
}

/** Forgets every memorial that is kept on this device: somebody signs out, or in. */
export function forgetKept(): void {
  void forget()
}

async function forget(): Promise<void> {
  try {
    const registration = await navigator.serviceWorker.getRegistration()
    registration?.active?.postMessage({ kind: 'forget' } satisfies ToWorker)
    await removeCaches(MEMORIAL_PREFIX)
  } catch {
    // A browser that keeps nothing for this site.
  }
}

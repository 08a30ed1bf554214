import { HAS_SESSION, NO_SESSION, DATA_SAVER } from '#shared/pages/pages.ts'

/** Browsers may support neither: some need https for Server-Timing, Safari needs iOS 16.4. */
type DocumentTiming = Partial<Pick<PerformanceNavigationTiming, 'transferSize' | 'serverTiming'>>

/** True if the server noted on this document that there is no session; a cached document's note may be out of date. */
export function cameWithoutSession(
  [document]: DocumentTiming[] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[],
): boolean {
  return Boolean(document?.transferSize) && isMarked(document, NO_SESSION)
}

/** Reloads the page if Back restored it from memory and the user has signed in since it was loaded. */
export function reloadAfterSignIn(): void {
  window.addEventListener('pageshow', ({ persisted }) => {
    const [document] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
    // The app knows who is signed in; what it holds in memory would be lost.
    const isApp = window.document.documentElement.dataset['app'] === 'here'
    if (persisted && !isApp && !isMarked(document, HAS_SESSION)) void checkSession()
  })
}

/** Reloads the page if the user is signed in now. */
export async function checkSession(): Promise<void> {
  try {
    const answer = await fetch(window.location.pathname, { method: 'HEAD', cache: 'no-store' })
    const hasNoSession = answer.headers.get('Server-Timing')?.includes(NO_SESSION) ?? false
    if (answer.ok && !hasNoSession) window.location.reload()
  } catch {
    // Offline, the page stays as it is.
  }
}

function isMarked(document: DocumentTiming | undefined, mark: string): boolean {
  return document?.serverTiming?.some(({ name }) => name === mark) ?? false
}

/** True if the user or a script reloaded this document. */
export function isReloaded(): boolean {
  const [document] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return document?.type === 'reload'
}

type Connection = { saveData?: boolean; type?: string; effectiveType?: string }

/** True where the browser says that data are fast and not a phone's. Few say it; without it, save data. */
export function isDataCheap(): boolean {
  const { connection } = navigator as { connection?: Connection }
  return connection?.effectiveType === '4g' && connection.type !== 'cellular' && !isSavingData()
}

/** True where the browser says that the line is slow. */
export function isSlowLine(): boolean {
  const { connection } = navigator as { connection?: Connection }
  return (connection?.effectiveType ?? '4g') !== '4g'
}

/** True in data saver mode, decided as on the server: the switch in the footer, else the browser's setting. */
export function isSavingData(): boolean {
  const { connection } = navigator as { connection?: Connection }
  const chosen = new RegExp(`(?:^|;\\s*)${DATA_SAVER}=([01])`, 'u').exec(document.cookie)?.[1]
  return chosen === undefined ? connection?.saveData === true : chosen === '1'
}

/** Runs `work` when the browser is idle; Safari lacks the API and runs it after a short delay. */
export function requestIdle(work: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(work)
  else setTimeout(work, 200)
}

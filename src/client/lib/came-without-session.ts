import { NO_SESSION } from '#shared/pages.ts'

/** Browsers may support neither: some need https for Server-Timing, Safari needs iOS 16.4. */
type DocumentTiming = Partial<Pick<PerformanceNavigationTiming, 'transferSize' | 'serverTiming'>>

/**
 * True if the server sent this document with the note that the browser has no session. A cached document is ignored,
 * because its note may be out of date.
 */
export function cameWithoutSession(
  [document]: DocumentTiming[] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[],
): boolean {
  if (!document?.transferSize) return false
  return document.serverTiming?.some(({ name }) => name === NO_SESSION) ?? false
}

/** True if the user or a script reloaded this document. */
export function isReloaded(): boolean {
  const [document] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return document?.type === 'reload'
}

import { NO_SESSION } from '#shared/pages.ts'

/** A browser may know neither of these: Server-Timing needs https in some, and iOS 16.4. */
type DocumentTiming = Partial<Pick<PerformanceNavigationTiming, 'transferSize' | 'serverTiming'>>

/**
 * True when the server said with this very document that the browser carries no session. A document out of a cache says what
 * was true once: it counts for nothing.
 */
export function cameWithoutSession(
  [document]: DocumentTiming[] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[],
): boolean {
  if (!document?.transferSize) return false
  return document.serverTiming?.some(({ name }) => name === NO_SESSION) ?? false
}

/** True for a document that was asked for anew, by a script or by hand. */
export function isReloaded(): boolean {
  const [document] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return document?.type === 'reload'
}

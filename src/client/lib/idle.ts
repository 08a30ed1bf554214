/** Runs `work` when the browser is idle; Safari lacks the API and runs it after a short delay. */
export function requestIdle(work: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(work)
  else setTimeout(work, 200)
}

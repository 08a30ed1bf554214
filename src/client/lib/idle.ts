/** Does `work` once the browser has nothing better to do. Safari, which cannot tell, does it a little later. */
export function requestIdle(work: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(work)
  else setTimeout(work, 200)
}

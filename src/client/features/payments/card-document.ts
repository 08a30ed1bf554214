import { hasCardForm } from '#shared/pages.ts'

/** Path for which the server sent the current document; the router may have navigated since. */
function pathOfDocument(): string {
  const [navigation] = performance.getEntriesByType('navigation')
  return navigation ? new URL(navigation.name).pathname : window.location.pathname
}

/**
 * Reloads the page if the current document was sent for another path (after signing in, for example), because that
 * document's CSP blocks the payment script. In that case the promise never settles.
 */
export async function requireCardDocument(): Promise<void> {
  if (hasCardForm(pathOfDocument()) || !hasCardForm(window.location.pathname)) return
  window.location.reload()
  await new Promise<never>(() => {})
}

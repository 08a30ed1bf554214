import { hasCardForm } from '#shared/pages.ts'

/** The path that the server answered with the document of this moment; the router may have moved on since. */
function pathOfDocument(): string {
  const [navigation] = performance.getEntriesByType('navigation')
  return navigation ? new URL(navigation.name).pathname : window.location.pathname
}

/**
 * Loads this screen as a document of its own when it was reached inside another's (after signing in, say), whose policy
 * keeps the payment script out. Then it never settles: the new document is on its way.
 */
export async function requireCardDocument(): Promise<void> {
  if (hasCardForm(pathOfDocument()) || !hasCardForm(window.location.pathname)) return
  window.location.reload()
  await new Promise<never>(() => {})
}

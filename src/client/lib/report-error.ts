import { api } from '#shared/api.ts'
import { stripQuotes, type ClientError } from '#shared/health.ts'
import { CLIENT_ERROR_MAX, CLIENT_ERRORS_PER_PAGE_LOAD } from '#shared/limits.ts'
import { paths, screenAt } from '#shared/pages.ts'
import { ApiError, NetworkError } from './call.ts'
import { isSavingData } from './browser-data-saver.ts'

/** What this page has reported. */
const reported = new Set<string>()

/**
 * Tells the server of an error that no screen expected: its name, its words without what they may quote, the kind of screen,
 * and which failed call it came from. A page reports a few at the most, each once; with less data none. Never throws.
 */
export function reportError(error: unknown): void {
  if (!isWorthReporting(error)) return
  const report = describe(error)
  const text = JSON.stringify(report)
  if (reported.has(text) || reported.size >= CLIENT_ERRORS_PER_PAGE_LOAD) return
  reported.add(text)
  void send(text)
}

/** Nobody's session is of use here, and the report arrives although the page goes. */
async function send(body: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json' }
  try {
    await fetch(api.clientErrors.path, {
      method: 'POST',
      credentials: 'omit',
      keepalive: true,
      headers,
      body,
    })
  } catch {
    // The next one may arrive.
  }
}

/** Reports what nothing on the page has caught. */
export function watchErrors(): void {
  window.addEventListener('error', ({ error }) => reportError(error))
  window.addEventListener('unhandledrejection', ({ reason }) => reportError(reason))
}

/** Not what a bad line does, what the server has refused with good reason, or what is not ours (an extension, a cast-off load). */
function isWorthReporting(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof NetworkError || error.name === 'AbortError') return false
  if (error instanceof ApiError && error.status < 500) return false
  return navigator.onLine && !isSavingData()
}

function describe(error: Error): ClientError {
  const isRefusal = error instanceof ApiError
  const { pathname } = window.location
  // A public memorial's page is the one whose document has its own address.
  const screen = pathname.startsWith('/m/') ? paths.publicMemorial : screenAt(pathname)
  return {
    name: stripQuotes(error.name).slice(0, CLIENT_ERROR_MAX.name),
    message: isRefusal ? `${error.status} ${error.code ?? ''}` : stripQuotes(error.message),
    screen: Object.values(paths).find((path) => path === screen) ?? 'other',
    release: (import.meta.url.split('/').at(-1) ?? '').slice(0, CLIENT_ERROR_MAX.release),
    requestId: isRefusal ? error.requestId : null,
  }
}

import { api } from '#shared/api.ts'
import type { ClientError } from '#shared/admin/health.ts'
import { stripQuotes } from '#shared/strip-quotes.ts'
import { CLIENT_ERROR_MAX, CLIENT_ERRORS_PER_PAGE_LOAD } from '#shared/limits.ts'
import { paths, screenAt } from '#shared/pages/pages.ts'
import { isSavingData } from './browser/browser.ts'
import { ApiError, NetworkError } from './call.ts'

/** Reports that this page has sent. */
const reported = new Set<string>()

/**
 * Sends an unexpected error to the server: its name, its message without quoted text, the screen, and the failed
 * call's request id. A page sends each error once and only a few in all; in data saver mode none. Never throws.
 */
export function reportError(error: unknown): void {
  if (!isWorthReporting(error)) return
  const report = describe(error)
  const text = JSON.stringify(report)
  if (reported.has(text) || reported.size >= CLIENT_ERRORS_PER_PAGE_LOAD) return
  reported.add(text)
  void send(text)
}

/** No cookies are needed, and `keepalive` delivers the report even if the page closes. */
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
    // A lost report doesn't matter.
  }
}

/** Reports all uncaught errors of the page. */
export function watchErrors(): void {
  window.addEventListener('error', ({ error }) => reportError(error))
  window.addEventListener('unhandledrejection', ({ reason }) => reportError(reason))
}

/** Excludes network failures, refusals by the server, and errors that aren't ours (extensions, aborted loads). */
function isWorthReporting(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof NetworkError || error.name === 'AbortError') return false
  if (error instanceof ApiError && error.status < 500) return false
  return navigator.onLine && !isSavingData()
}

function describe(error: Error): ClientError {
  const isRefusal = error instanceof ApiError
  const { pathname } = window.location
  // Only a public memorial has its own document.
  const screen = pathname.startsWith('/m/') ? paths.publicMemorial : screenAt(pathname)
  return {
    name: stripQuotes(error.name).slice(0, CLIENT_ERROR_MAX.name),
    message: isRefusal ? `${error.status} ${error.code ?? ''}` : stripQuotes(error.message),
    screen: Object.values(paths).find((path) => path === screen) ?? 'other',
    release: (import.meta.url.split('/').at(-1) ?? '').slice(0, CLIENT_ERROR_MAX.release),
    requestId: isRefusal ? error.requestId : null,
  }
}

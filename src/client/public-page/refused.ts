/** The small script of a page that says why somebody may not see a memorial: what the app does besides saying so. */
import { WAITING_MESSAGES } from '#client/lib/offline/cache-names.ts'
import type { FailedInvite } from '#client/lib/failed-invite.ts'
import { paths } from '#shared/pages/pages.ts'
import {
  CONTRIBUTOR_SESSION_PREFIX,
  FORMER_CONTRIBUTOR_PREFIX,
  readText,
} from '#client/lib/browser/stored-text.ts'
import { enhanceText } from './in-place.ts'
import type { RefusedData } from './render-refused.tsx'

enhanceText()
void finish()

async function finish(): Promise<void> {
  const root = document.getElementById('root')
  const { title, failed } = JSON.parse(root?.dataset['refused'] ?? '') as RefusedData
  document.title = title
  if (root && (hasContributed() || (await mayHaveUnsent()))) {
    // The app ends the stored session, tries its invitation again, and sends or shows unsent messages.
    const { openApp } = await import('#client/open-app.tsx')
    document.documentElement.dataset['app'] = 'here'
    openApp(root)
    return
  }
  if (failed) showAtStart(failed)
  else dropInvitation()
  nameSource()
}

/** True if this device has, or had, a session of the memorial at this address. */
function hasContributed(): boolean {
  const [, , id = ''] = window.location.pathname.split('/')
  return [CONTRIBUTOR_SESSION_PREFIX, FORMER_CONTRIBUTOR_PREFIX].some(
    (prefix) => readText(prefix + id) !== null,
  )
}

/** False if no message was ever written on this device. */
async function mayHaveUnsent(): Promise<boolean> {
  try {
    const known = await indexedDB.databases()
    return known.some(({ name }) => name === WAITING_MESSAGES)
  } catch {
    // An older browser doesn't say; one without storage has nothing.
    return 'indexedDB' in window
  }
}

/** As in the app: the invitation leaves the address, a reload asks again, and the focus is on the reason. */
function showAtStart(shown: Omit<FailedInvite, 'failedInvite'>): void {
  const [, , failedInvite = ''] = window.location.pathname.split('/')
  window.history.replaceState({ usr: { ...shown, failedInvite } satisfies FailedInvite }, '', paths.home)
  // The start page opens in the same entry, and would ask for the invitation again.
  const forget = () => window.history.replaceState(null, '', paths.home)
  for (const link of document.querySelectorAll(`a[href="${paths.home}"]`))
    link.addEventListener('click', forget)
  if (document.activeElement === document.body)
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
}

/** As in the app: it could be copied from the address. */
function dropInvitation(): void {
  const address = new URL(window.location.href)
  address.searchParams.delete('invite')
  window.history.replaceState(window.history.state, '', address)
}

/** Now that no invitation is in the address, links may say that they are of this site: the next page then focuses its heading. */
function nameSource(): void {
  const policy = document.createElement('meta')
  policy.name = 'referrer'
  policy.content = 'origin'
  document.head.append(policy)
}

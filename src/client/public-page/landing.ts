/** The small script of the landing page, which never loads the app: every link opens a document of its own. */
import { cameWithoutSession, checkSession, isReloaded, reloadAfterSignIn } from '#client/lib/browser.ts'
import { failedInviteOf } from '#client/lib/failed-invite.ts'
import { links } from '#client/lib/links.ts'
import { registerServiceWorker } from '#client/lib/offline/service-worker.ts'
import { answerCookieNotice, toggleInPlace } from './in-place.ts'

// The page about a failed invitation was reloaded: ask again, instead of showing the prices.
const failed = failedInviteOf((window.history.state as { usr?: unknown } | null)?.usr)
if (failed) window.location.replace(links.invite(failed.failedInvite))
answerCookieNotice()
toggleInPlace()
openTarget()
reloadAfterSignIn()
// A document from the cache, which may be older than the session. Not after a reload, so that this can't loop.
if (!cameWithoutSession() && !isReloaded()) void checkSession()
registerServiceWorker()

/** Opens a `<details>` element that the address points at (`#privacy`): browsers only scroll to it. */
function openTarget(): void {
  const open = () => {
    const target = document.getElementById(window.location.hash.slice(1))
    if (target instanceof HTMLDetailsElement) target.open = true
  }
  window.addEventListener('hashchange', open)
  open()
}

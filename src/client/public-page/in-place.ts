import { offlineMessages } from '#shared/pages/offline-messages.ts'
import {
  cameWithoutSession,
  checkSession,
  isReloaded,
  isSlowLine,
  reloadAfterSignIn,
} from '#client/lib/browser/browser.ts'
import { registerServiceWorker } from '#client/lib/offline/service-worker.ts'
import { COOKIE_CONSENT, readText, SIGNED_OUT, writeText } from '#client/lib/browser/stored-text.ts'

/** All that a page of text needs: menu, cookie notice, the question in the address, the session, reading offline. */
export function enhanceText(): void {
  watchErrorsBeforeApp()
  focusOnArrival()
  answerCookieNotice()
  toggleInPlace()
  openTarget()
  reloadAfterSignIn()
  // A document from the cache, which may be older than the session. Not after a reload, so that this can't loop.
  // Nor of an answer to a form: the browser would send that again.
  const isAnswer = document.querySelector('[data-posted]') !== null
  if (document.querySelector('[data-user]')) reloadAfterSignOut()
  else if (!cameWithoutSession() && !isReloaded() && !isAnswer) void checkSession()
  registerServiceWorker()
}

/** As the app does: after a sign-out in another tab, or one before Back restored this page from memory. */
export function reloadAfterSignOut(): void {
  const before = readText(SIGNED_OUT)
  const check = () => {
    if (isHydrated() || readText(SIGNED_OUT) === before) return
    document.documentElement.hidden = true
    window.location.reload()
  }
  window.addEventListener('storage', check)
  window.addEventListener('pageshow', check)
}

/** Reports unexpected errors as the app does, whose code for it loads with the first. */
export function watchErrorsBeforeApp(): void {
  window.addEventListener('error', ({ error }) => {
    void import('#client/lib/report-error.ts').then(({ reportError }) => reportError(error))
  })
}

/** As after a navigation inside the app: whoever comes by a link of this site starts at the heading. */
function focusOnArrival(): void {
  const { referrer, activeElement, body } = document
  const isFromHere = referrer.startsWith(`${window.location.origin}/`) && !isReloaded()
  if (!isFromHere || window.location.hash !== '' || activeElement !== body) return
  document.querySelector<HTMLElement>('h1[tabindex]')?.focus({ preventScroll: true })
}

/** Opens a `<details>` element that the address points at (`#privacy`): browsers only scroll to it. */
function openTarget(): void {
  const open = () => {
    const target = document.getElementById(window.location.hash.slice(1))
    if (target instanceof HTMLDetailsElement) target.open = true
  }
  window.addEventListener('hashchange', open)
  open()
}

/** Shows the cookie notice if it wasn't answered yet, and stores the answer. */
export function answerCookieNotice(): void {
  const notice = document.querySelector<HTMLElement>('[data-cookies]')
  if (!notice || readText(COOKIE_CONSENT) !== null) return
  notice.hidden = false
  for (const button of notice.querySelectorAll<HTMLElement>('[data-consent]')) {
    button.addEventListener('click', () => {
      writeText(COOKIE_CONSENT, button.dataset['consent'] ?? '')
      notice.hidden = true
    })
  }
}

/** Buttons that open and close the element in their `aria-controls`: the menu, and the rest of a long story. */
export function toggleInPlace(): void {
  for (const button of document.querySelectorAll<HTMLElement>('[data-toggle]')) {
    const controlled = document.getElementById(button.getAttribute('aria-controls') ?? '')
    if (!controlled) continue
    const show = (isOpen: boolean) => {
      button.setAttribute('aria-expanded', String(isOpen))
      controlled.hidden = !isOpen
    }
    button.addEventListener('click', () => {
      if (isHydrated()) return
      const isOpen = button.getAttribute('aria-expanded') === 'true'
      show(!isOpen)
      // Closing removes text above the button, which would move it out of view.
      if (isOpen) button.scrollIntoView({ block: 'nearest' })
    })
    if (controlled.localName !== 'nav') continue
    document.addEventListener('keydown', ({ key }) => {
      if (key !== 'Escape' || isHydrated() || controlled.hidden) return
      show(false)
      button.focus()
    })
  }
}

/** True once the app is hydrated; it then handles all events. */
export function isHydrated(): boolean {
  return document.documentElement.dataset['app'] === 'here'
}

/** How long a press waits for the app, in ms, before the browser sends the form itself: on a slow line that is quicker. */
const WAIT_MS = 6000
const WAIT_ON_SLOW_LINE_MS = 1500

/** What this resolves to, or false if a form must not wait for it any longer. */
export function soonEnough(started: Promise<boolean>): Promise<boolean> {
  const wait = isSlowLine() ? WAIT_ON_SLOW_LINE_MS : WAIT_MS
  return Promise.race([started, new Promise<boolean>((resolve) => setTimeout(() => resolve(false), wait))])
}

/** Says at the end of this part of the page that a press did nothing, and why. */
export function sayUnsent(place: Element): void {
  removeNotes()
  const note = document.createElement('p')
  note.dataset['unsent'] = ''
  note.className = 'error-text'
  note.setAttribute('role', 'alert')
  note.textContent = navigator.onLine ? offlineMessages.notLoaded : offlineMessages.unsentForm
  // At the end, where React leaves what it doesn't know. Nobody sees the inside of a closed list.
  place.closest(':not(details)')?.append(note)
}

/** Removes what {@link sayUnsent} said. React may not find it among its elements. */
export function removeNotes(): void {
  for (const note of document.querySelectorAll('[data-unsent]')) note.remove()
}

/** The small script of the written screens. Texts need no more; forms load the app when somebody is about to use them. */
import { forgetCachedMemorials } from '#client/lib/offline/service-worker.ts'
import {
  CONTRIBUTOR_SESSION_PREFIX,
  LEFT_WORDS,
  readText,
  removeText,
  writeText,
} from '#client/lib/browser/stored-text.ts'
import { paths } from '#shared/pages/pages.ts'
import { enhanceText, isHydrated, sayUnsent, soonEnough } from './in-place.ts'
import { sendForm } from './send-form.ts'

/** What doesn't work, or works more plainly, without the app. The browser itself sends what is marked as plain. */
const NEEDS_APP = 'main form:not([data-plain]), button:not([data-toggle], [data-consent], [data-plain] *)'

let starting: Promise<boolean> | null = null
let isSending = false

enhanceText()
const root = document.getElementById('root')
if (root && document.querySelector(NEEDS_APP)) startWhenNeeded()
// The login stands at the address of a screen that needs a session.
const address = root?.dataset['address']
if (address !== undefined && !window.location.pathname.startsWith(paths.login))
  window.history.replaceState(window.history.state, '', address)
// What the app kept in the history is shown by the app, and the link of a mail is opened by it.
if (root?.dataset['start'] === 'now' || (window.history.state as { usr?: unknown } | null)?.usr) void start()

// While there are any, the memorial's page starts the app, which shows them to whoever left them, whatever became of them.
const { wordsOf, hasWords } = document.querySelector<HTMLElement>('[data-words-of]')?.dataset ?? {}
if (wordsOf !== undefined) {
  const key = CONTRIBUTOR_SESSION_PREFIX + wordsOf
  const stored = readText(key)
  if (hasWords !== undefined && stored === null) writeText(key, LEFT_WORDS)
  else if (hasWords === undefined && stored === LEFT_WORDS) removeText(key)
}

// Many messages came at once: this browser shows that it isn't a script that sends thousands.
const unproven = document.querySelector<HTMLElement>('[data-unproven]')?.dataset
if (unproven?.['slug'])
  void import('#client/features/comments/prove-messages.ts')
    .then(({ proveMessages }) =>
      proveMessages(unproven['slug'] ?? '', unproven['unproven']?.split(' ') ?? []),
    )
    .then((isAnyShown) => isAnyShown && window.location.reload())

/** Loads the app and hydrates the page, which looks the same; false if the browser must send forms itself. */
function start(): Promise<boolean> {
  starting ??= import('./hydrate-screen.tsx')
    .then(async ({ hydrateScreen }) => {
      if (root) await hydrateScreen(root)
      document.documentElement.dataset['app'] = 'here'
      return true
    })
    .catch(() => {
      starting = null
      return false
    })
  return starting
}

function startWhenNeeded(): void {
  // Somebody was quicker than this script.
  if (document.activeElement?.closest(NEEDS_APP)) void start()
  for (const type of ['pointerdown', 'pointerover', 'focusin', 'input'] as const) {
    document.addEventListener(type, ({ target }) => {
      if (!isHydrated() && target instanceof Element && target.closest(NEEDS_APP)) void start()
    })
  }
  document.addEventListener('click', repeatWhenStarted, true)
  document.addEventListener('submit', sendWhenStarted, true)
}

/** A button beside the form's own, such as "Show": the app answers the press. */
function repeatWhenStarted(event: MouseEvent): void {
  const button = event.target instanceof Element ? event.target.closest('button') : null
  if (!button?.matches(NEEDS_APP) || isHydrated() || button.type === 'submit') return
  event.preventDefault()
  event.stopPropagation()
  void start().then((isStarted) => (isStarted ? button.click() : sayUnsent(button.parentElement ?? button)))
}

function sendWhenStarted(event: SubmitEvent): void {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || !form.closest('main') || form.matches('[data-plain]')) return
  if (isHydrated() && !isSending) return
  event.preventDefault()
  event.stopPropagation()
  if (!isSending) void send(form, event.submitter as HTMLButtonElement | null)
}

/** Leaves the form to the app, or to the browser if the app doesn't come. */
async function send(form: HTMLFormElement, button: HTMLButtonElement | null): Promise<void> {
  const markSending = (isBusy: boolean) => {
    isSending = isBusy
    if (button) button.ariaBusy = isBusy ? 'true' : null
  }
  markSending(true)
  const isStarted = await soonEnough(start())
  markSending(false)
  if (isStarted) {
    form.requestSubmit(button)
    return
  }
  if (!navigator.onLine) {
    // The browser would leave the page, and what was typed with it.
    sayUnsent(form)
    return
  }
  // As the app does: what somebody else opened on this device.
  if (window.location.pathname === paths.login) forgetCachedMemorials()
  sendForm(form, button)
}

import { GUEST_NAME } from '#shared/ids.ts'
import { cameWithoutSession, isReloaded, requestIdle } from '#client/lib/browser.ts'
import { reserveGridHeight } from '#client/lib/grid-height.ts'
import { isOffline } from '#client/lib/offline/connectivity.ts'
import { CONTRIBUTOR_SESSION_PREFIX, readText } from '#client/lib/stored-text.ts'
import { isHydrated, removeNotes, sayUnsent, soonEnough } from './in-place.ts'

/** How a page that was written for its viewer differs from a public one. */
type OwnPage = {
  /** Selects the elements that don't work without the app. */
  needsApp: string
  hydrate: (root: HTMLElement) => Promise<void>
  /** False if the app has to start at once. */
  isComplete: () => Promise<boolean>
}

let own: OwnPage | null = null

/** Call this before the page has painted. */
export function setOwnPage(page: OwnPage): void {
  own = page
}

/** Elements of a public page that don't work without the app. */
const NEEDS_APP = '[data-photo], form:not([data-play], [method="post"])'

function needsApp(element: Element): boolean {
  return element.closest(own?.needsApp ?? NEEDS_APP) !== null
}

/** Statuses that say that this visitor, or nobody, may see the memorial. */
const GONE: ReadonlySet<number> = new Set([403, 404, 410])

let starting: Promise<boolean> | null = null

/** Loads the app and hydrates the page, which looks the same; false if plain links and forms must do. */
export function startApp(): Promise<boolean> {
  starting ??= loadAndHydrate().catch(() => {
    starting = null
    return false
  })
  return starting
}

async function loadAndHydrate(): Promise<boolean> {
  const root = document.getElementById('root')
  if (root && own) {
    removeNotes()
    await own.hydrate(root)
    document.documentElement.dataset['app'] = 'here'
    return true
  }
  const { view: address, config } = root?.dataset ?? {}
  if (!root || address === undefined || config === undefined) return false
  const [{ hydrateApp }, answer] = await Promise.all([loadApp(), fetch(address)])
  if (!answer.ok) {
    // Made private or deleted since: a reload shows that. Reload only once, because an edge cache may still be
    // stale.
    if (GONE.has(answer.status) && !isReloaded()) window.location.reload()
    throw new Error(`the memorial could not be loaded: ${answer.status}`)
  }
  await hydrateApp(root, await answer.json(), JSON.parse(config))
  document.documentElement.dataset['app'] = 'here'
  return true
}

function loadApp() {
  return import('./hydrate-app.tsx')
}

/** Loads the app when the user is about to need it, and repeats their click once it has loaded. */
export function startAppWhenNeeded(): void {
  for (const type of ['pointerdown', 'focusin', 'pointerover'] as const) {
    document.addEventListener(type, (event) => {
      if (!(event.target instanceof Element) || !needsApp(event.target)) return
      const isTouch = 'pointerType' in event && event.pointerType === 'touch'
      if (!isTouch) void startApp()
      // On a touch screen this may be a scroll. Load the app's script for buttons, and decide at the click.
      else if (event.target.closest('button') && !own) loadApp().catch(() => null)
    })
  }
  // Capture clicks before React sees them: during hydration, a click would make it finish in one task.
  document.addEventListener(
    'click',
    (event) => {
      const control = controlNeedingApp(event)
      if (!control || isHydrated() || opensElsewhere(event)) return
      event.preventDefault()
      event.stopPropagation()
      if (control.ariaBusy !== 'true') void startAppAndClick(control)
    },
    true,
  )
  if (own) {
    void own.isComplete().then((isComplete) => isComplete || requestIdle(() => void startApp()))
    return
  }
  // With a session, or with one photo open, the page is not complete without the app.
  const isIncomplete =
    !cameWithoutSession() || hasContributed() || new URLSearchParams(location.search).has('photo')
  // Offline, the cached page counts as complete.
  if (isIncomplete && !isOffline()) requestIdle(() => void startApp())
}

/** True if this device has contributed to the memorial: its user may remove their own. Guests have nothing here. */
function hasContributed(): boolean {
  const { memorial = '' } = document.getElementById('root')?.dataset ?? {}
  const session = readText(CONTRIBUTOR_SESSION_PREFIX + memorial)
  return session !== null && !session.includes(`"${GUEST_NAME}"`)
}

async function startAppAndClick(control: HTMLElement): Promise<void> {
  control.ariaBusy = 'true'
  const form = control.closest('form')
  const list = form?.previousElementSibling
  if (form?.dataset['room'] && list instanceof HTMLElement)
    reserveGridHeight(list, Number(form.dataset['room']))
  const mayBeSent = form?.method === 'post' && (control as HTMLButtonElement).type === 'submit'
  const isStarted = await (mayBeSent ? soonEnough(startApp()) : startApp())
  control.ariaBusy = null
  if (isStarted) control.click()
  else if (control instanceof HTMLAnchorElement) location.assign(control.href)
  // Offline, the browser would leave the page.
  else if (own && !(mayBeSent && navigator.onLine)) sayUnsent(form ?? control.parentElement ?? control)
  else form?.submit()
}

/** The clicked link or button, if it needs the app. */
function controlNeedingApp({ target }: Event): HTMLElement | null {
  if (!(target instanceof Element) || !needsApp(target)) return null
  return target.closest<HTMLElement>('a, button, summary')
}

/** True for clicks that open another tab or save the link. */
function opensElsewhere(event: MouseEvent): boolean {
  return event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
}

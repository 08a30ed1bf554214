import { GUEST_NAME } from '#shared/ids.ts'
import { cameWithoutSession, isReloaded, requestIdle } from '#client/lib/browser/browser.ts'
import { reserveGridHeight } from '#client/lib/grid-height.ts'
import { isOffline } from '#client/lib/offline/connectivity.ts'
import { CONTRIBUTOR_SESSION_PREFIX, readText } from '#client/lib/browser/stored-text.ts'
import { isHydrated, removeNotes, sayUnsent, soonEnough } from './in-place.ts'

/** What the small script has to know about a memorial's page. */
type MemorialPage = {
  /** Selects the elements that don't work without the app. */
  needsApp: string
  hydrate: (root: HTMLElement) => Promise<void>
  /** Loads the app's script at the first touch of a button. */
  preload?: () => Promise<unknown>
  /** False if the page needs the app before anybody touches it. */
  isComplete: () => boolean | Promise<boolean>
  /** A mouse that moves over the page doesn't start the app. */
  ignoresHover?: boolean
  /** Lets the browser send a form for which the app doesn't come. Without this, it just sends all forms. */
  sendForm?: (form: HTMLFormElement, button: HTMLButtonElement) => void
}

/** Statuses that say that this visitor, or nobody, may see the memorial. */
const GONE: ReadonlySet<number> = new Set([403, 404, 410])

const PUBLIC_PAGE: MemorialPage = {
  needsApp: '[data-open], form:not([data-play], [method="post"])',
  async hydrate(root) {
    const { view = '', config = '' } = root.dataset
    const [{ hydrateApp }, answer] = await Promise.all([loadApp(), fetch(view), enhanced])
    if (!answer.ok) {
      // Made private or deleted since: a reload shows that. Reload only once, because an edge cache may still be
      // stale.
      if (GONE.has(answer.status) && !isReloaded()) window.location.reload()
      throw new Error(answer.statusText)
    }
    await hydrateApp(root, await answer.json(), JSON.parse(config))
  },
  preload: loadApp,
  // With a session, or with one photo open, the page is not complete without the app. Offline, the cached page is.
  isComplete: () => isOffline() || (cameWithoutSession() && !hasContributed() && !showsOnePhoto()),
}

let page = PUBLIC_PAGE
let enhanced: Promise<void>

/** For a page that isn't public. Call it before the page has painted. */
export function setPage(other: MemorialPage): void {
  page = other
}

function loadApp() {
  return import('./hydrate-app.tsx')
}

export function showsOnePhoto(): boolean {
  return new URLSearchParams(location.search).has('photo')
}

/** True if this device has contributed to the memorial: its user may remove their own. Guests have nothing here. */
function hasContributed(): boolean {
  const { memorial = '' } = document.getElementById('root')?.dataset ?? {}
  const session = readText(CONTRIBUTOR_SESSION_PREFIX + memorial)
  return session !== null && !session.includes(`"${GUEST_NAME}"`)
}

/** True if the page's app handles events of this element, which would do nothing or too little without it. */
export function needsApp(target: EventTarget | null): target is Element {
  return target instanceof Element && target.closest(page.needsApp) !== null
}

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
  if (!root) return false
  removeNotes()
  await page.hydrate(root)
  document.documentElement.dataset['app'] = 'here'
  return true
}

async function startIfIncomplete(): Promise<void> {
  if (!(await page.isComplete())) requestIdle(() => void startApp())
}

/** Loads the app when the user is about to need it, and repeats their click once it has loaded. It takes over the page after `whenEnhanced`. */
export function startAppWhenNeeded(whenEnhanced: Promise<void>): void {
  enhanced = whenEnhanced
  for (const type of ['pointerdown', 'focusin', 'pointerover'] as const) {
    document.addEventListener(type, (event) => {
      if (!needsApp(event.target) || (page.ignoresHover && type === 'pointerover')) return
      const isTouch = (event as Partial<PointerEvent>).pointerType === 'touch'
      if (!isTouch) void startApp()
      // On a touch screen this may be a scroll. Load the app's script for buttons, and decide at the click.
      else if (event.target.closest('button')) page.preload?.().catch(() => null)
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
  void enhanced.then(startIfIncomplete)
}

async function startAppAndClick(control: HTMLElement): Promise<void> {
  control.ariaBusy = 'true'
  const form = control.closest('form')
  const list = form?.previousElementSibling
  if (form?.dataset['room'] && list instanceof HTMLElement)
    reserveGridHeight(list, Number(form.dataset['room']))
  // A form that the browser sends takes the place of the page, and of the files chosen in it, at the press or since.
  const maySend = () =>
    form?.method === 'post' &&
    (control as HTMLButtonElement).type === 'submit' &&
    inputsWithFiles().length === 0
  const isStarted = (maySend() && (await soonEnough(startApp()))) || (!maySend() && (await startApp()))
  control.ariaBusy = null
  if (isStarted) control.click()
  else if (control instanceof HTMLAnchorElement) location.assign(control.href)
  else if (!page.sendForm) form?.submit()
  // Offline, the browser would leave the page.
  else if (form && maySend() && navigator.onLine) page.sendForm(form, control as HTMLButtonElement)
  else sayUnsent(form ?? control.parentElement ?? control)
}

/** Where files are chosen that wait for the app, which sends them. */
export function inputsWithFiles(): HTMLInputElement[] {
  const inputs = document.querySelectorAll<HTMLInputElement>('input[type="file"]')
  return [...inputs].filter(({ files }) => files?.length)
}

/** The clicked link or button, if it needs the app. */
function controlNeedingApp({ target }: Event): HTMLElement | null {
  return needsApp(target) ? target.closest<HTMLElement>('a, button, summary') : null
}

/** True for clicks that open another tab or save the link. */
function opensElsewhere(event: MouseEvent): boolean {
  return event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
}

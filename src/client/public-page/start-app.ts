import { requestIdle } from '#client/lib/browser.ts'
import { reserveGridHeight } from '#client/lib/grid-height.ts'
import { isHydrated, removeNotes, sayUnsent, soonEnough } from './in-place.ts'

/** What the small script of a memorial's page has to know about it. */
export type MemorialScript = {
  /** Selects the elements that don't work without the app. */
  needsApp: string
  /** Loads the app and hydrates the page, which looks the same. */
  hydrate: (root: HTMLElement) => Promise<void>
  /** Loads the app's script at the first touch of a button. */
  preload?: () => Promise<unknown>
  /** False if the page needs the app before anybody touches it. */
  isComplete: () => boolean | Promise<boolean>
  /** True if the browser can always send the forms in the app's place. */
  formsWorkWithoutApp: boolean
}

/** Loads the app; false if plain links and forms must do. */
export type StartApp = () => Promise<boolean>

/** Returns a function that starts the app of this page once, or again after a failure. */
export function appStarter({ hydrate }: MemorialScript): StartApp {
  let starting: Promise<boolean> | null = null
  const loadAndHydrate = async () => {
    const root = document.getElementById('root')
    if (!root) return false
    removeNotes()
    await hydrate(root)
    document.documentElement.dataset['app'] = 'here'
    return true
  }
  return () => {
    starting ??= loadAndHydrate().catch(() => {
      starting = null
      return false
    })
    return starting
  }
}

/** Loads the app when the user is about to need it, and repeats their click once it has loaded. */
export function startAppWhenNeeded(page: MemorialScript, startApp: StartApp): void {
  const needsApp = (element: Element) => element.closest(page.needsApp) !== null
  for (const type of ['pointerdown', 'focusin', 'pointerover'] as const) {
    document.addEventListener(type, (event) => {
      if (!(event.target instanceof Element) || !needsApp(event.target)) return
      const isTouch = 'pointerType' in event && event.pointerType === 'touch'
      if (!isTouch) void startApp()
      // On a touch screen this may be a scroll. Load the app's script for buttons, and decide at the click.
      else if (event.target.closest('button')) page.preload?.().catch(() => null)
    })
  }
  // Capture clicks before React sees them: during hydration, a click would make it finish in one task.
  document.addEventListener(
    'click',
    (event) => {
      const { target } = event
      if (!(target instanceof Element) || !needsApp(target)) return
      const control = target.closest<HTMLElement>('a, button, summary')
      if (!control || isHydrated() || opensElsewhere(event)) return
      event.preventDefault()
      event.stopPropagation()
      if (control.ariaBusy !== 'true') void startAppAndClick(control, page, startApp)
    },
    true,
  )
  void startIfIncomplete(page, startApp)
}

async function startIfIncomplete(page: MemorialScript, startApp: StartApp): Promise<void> {
  if (!(await page.isComplete())) requestIdle(() => void startApp())
}

async function startAppAndClick(
  control: HTMLElement,
  { formsWorkWithoutApp }: MemorialScript,
  startApp: StartApp,
): Promise<void> {
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
  else if (formsWorkWithoutApp || (mayBeSent && navigator.onLine)) form?.submit()
  else sayUnsent(form ?? control.parentElement ?? control)
}

/** True for clicks that open another tab or save the link. */
function opensElsewhere(event: MouseEvent): boolean {
  return event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
}

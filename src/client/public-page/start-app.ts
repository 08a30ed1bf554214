import { cameWithoutSession, isReloaded } from '#client/lib/came-without-session.ts'
import { keepRoom } from '#client/lib/grid-height.ts'
import { isOffline } from '#client/lib/offline/connectivity.ts'
import { requestIdle } from '#client/lib/idle.ts'
import { isAppHere } from './toggle-in-place.ts'

/** What cannot be done without the app. */
const NEEDS_APP = '[data-photo], [data-like], form:not([data-play], [method="post"])'

/** What the server says of a memorial that this person may not see, or nobody. */
const GONE: ReadonlySet<number> = new Set([403, 404, 410])

let coming: Promise<boolean> | null = null

/**
 * Calls the app into this page; true once it is here. What it looks like stays as it is. False where it does not come: the
 * browser then does what a page without a script does.
 */
export function startApp(): Promise<boolean> {
  coming ??= bringApp().catch(() => {
    coming = null
    return false
  })
  return coming
}

async function bringApp(): Promise<boolean> {
  const root = document.getElementById('root')
  const { view: address, config } = root?.dataset ?? {}
  if (!root || address === undefined || config === undefined) return false
  const [{ hydrateApp }, answer] = await Promise.all([loadApp(), fetch(address)])
  if (!answer.ok) {
    // Made private or deleted since: the page says so itself. Once, for an edge may not have heard of it yet.
    if (GONE.has(answer.status) && !isReloaded()) window.location.reload()
    throw new Error(`the memorial did not come: ${answer.status}`)
  }
  await hydrateApp(root, await answer.json(), JSON.parse(config))
  document.documentElement.dataset['app'] = 'here'
  return true
}

function loadApp() {
  return import('./hydrate-app.tsx')
}

/** Calls the app when somebody is about to need it, and repeats what they did once it is here. */
export function startAppWhenNeeded(): void {
  for (const sign of ['pointerdown', 'focusin', 'pointerover'] as const) {
    document.addEventListener(sign, (event) => {
      if (!(event.target instanceof Element) || !event.target.closest(NEEDS_APP)) return
      const isTouch = 'pointerType' in event && event.pointerType === 'touch'
      if (!isTouch) void startApp()
      // A finger on a photo mostly scrolls, and one on a button presses: what it means shows when it has been lifted.
      else if (event.target.closest('button')) loadApp().catch(() => null)
    })
  }
  // Before the app hears of it: while it is on its way, a press would have it do all that is left in one go.
  document.addEventListener(
    'click',
    (event) => {
      const needing = needingApp(event)
      if (!needing || isAppHere() || isForElsewhere(event)) return
      event.preventDefault()
      event.stopPropagation()
      if (needing.ariaBusy !== 'true') void repeat(needing)
    },
    true,
  )
  // Somebody is signed in, or looks at one photo: the page is not complete without the app.
  const isIncomplete = !cameWithoutSession() || new URLSearchParams(location.search).has('photo')
  // Without a connection it is complete as it was kept.
  if (isIncomplete && !isOffline()) requestIdle(() => void startApp())
}

async function repeat(needing: HTMLElement): Promise<void> {
  needing.ariaBusy = 'true'
  const form = needing.closest('form')
  const list = form?.previousElementSibling
  if (form?.dataset['room'] && list instanceof HTMLElement) keepRoom(list, Number(form.dataset['room']))
  const isHere = await startApp()
  needing.ariaBusy = null
  if (isHere) needing.click()
  else if (needing instanceof HTMLAnchorElement) location.assign(needing.href)
  else if (needing instanceof HTMLButtonElement) needing.form?.submit()
}

/** The link or button that was pressed, if it needs the app. */
function needingApp({ target }: Event): HTMLElement | null {
  if (!(target instanceof Element) || !target.closest(NEEDS_APP)) return null
  return target.closest<HTMLElement>('a, button')
}

/** Opened in another tab, or saved. */
function isForElsewhere(event: MouseEvent): boolean {
  return event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
}

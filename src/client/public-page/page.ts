/** The small script of a public memorial. It handles simple actions itself and loads the app for the rest. */
import { reloadAfterSignIn, requestIdle } from '#client/lib/browser/browser.ts'
import { formatDate, formatRelative, timeWhereYouAre } from '#client/lib/dates.ts'
import { isOffline, watchConnectivity } from '#client/lib/offline/connectivity.ts'
import { registerServiceWorker } from '#client/lib/offline/service-worker.ts'
import { loadLazyImages } from '#client/lib/browser/print-images.ts'
import { sharePage } from '#client/lib/browser/share-page.ts'
import { watchSections } from '#client/lib/browser/watch-sections.ts'
import { delayImagesBelow } from './images-below.ts'
import { answerCookieNotice, isHydrated, toggleInPlace, watchErrorsBeforeApp } from './in-place.ts'
import { startApp, startAppWhenNeeded } from './start-app.ts'

watchErrorsBeforeApp()
window.addEventListener('beforeprint', loadLazyImages)
document.getElementById('photo-still')?.remove()
delayImagesBelow()
delayUntilPortrait()
// Let the page paint first: without scripts it is already readable, and its links and forms work.
startAppWhenNeeded(
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(() => resolve(enhancePage())))
  }),
)

function enhancePage(): void {
  showLocalTimes()
  followTurn()
  answerCookieNotice()
  toggleInPlace()
  removePlaceholders()
  markCurrentSection()
  playInPlace()
  shareInPlace()
  reloadAfterSignIn()
  showOfflineNotice()
  registerServiceWorker()
}

/** Delays the content below until the portrait has loaded: it gets all bandwidth, and layout is split into tasks. */
function delayUntilPortrait(): void {
  const { dataset } = document.documentElement
  const release = () => {
    dataset['portrait'] = 'here'
    requestIdle(() => delete dataset['portrait'])
  }
  const portrait = document.querySelector<HTMLImageElement>('img[fetchpriority="high"]')
  if (!portrait || portrait.complete) {
    release()
    return
  }
  portrait.addEventListener('load', release, { once: true })
  portrait.addEventListener('error', release, { once: true })
}

/** Fills in what depends on the reader's clock and time zone: the age of comments and the local time of services. */
function showLocalTimes(): void {
  const now = Date.now()
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-ago]')) {
    time.title = formatDate(time.dateTime)
    time.textContent = formatRelative(time.dateTime, Math.max(now, Date.parse(time.dateTime)))
  }
  for (const place of document.querySelectorAll<HTMLElement>('[data-here]')) {
    const { here = '', zone = '' } = place.dataset
    place.textContent = timeWhereYouAre({ dateTime: here, timeZone: zone }) ?? ''
  }
}

/** In ms; a timer can't wait longer than 24 days. Not from `limits.ts`, which would come with every page. */
const FOLLOWED_MS = 86_400_000

/** When time has made the page say something else, now if it is an old copy, the app says it; without it, words that are always right. */
function followTurn(): void {
  const wait = Number(document.getElementById('root')?.dataset['turn']) - Date.now()
  if (wait < FOLLOWED_MS) setTimeout(() => void startApp().then((isStarted) => isStarted || sayDates()), wait)
}

function sayDates(): void {
  for (const time of document.querySelectorAll<HTMLElement>('[data-clock]'))
    time.textContent = time.dataset['clock'] ?? ''
}

/** Removes placeholders of loaded images, which would shine through. Hides optional images that fail to load. */
function removePlaceholders(): void {
  const removePlaceholder = (target: EventTarget | null) => {
    if (!(target instanceof HTMLImageElement)) return
    const placeholders = Array.from(target.classList).filter((name) => name.startsWith('soft-'))
    target.classList.remove(...placeholders)
  }
  const hideOptional = (target: EventTarget | null) => {
    if (target instanceof HTMLImageElement && 'optional' in target.dataset) target.hidden = true
  }
  document.addEventListener('load', ({ target }) => removePlaceholder(target), true)
  document.addEventListener('error', ({ target }) => hideOptional(target), true)
  for (const image of document.images) {
    if (!image.complete) continue
    if (image.naturalWidth > 0) removePlaceholder(image)
    // A lazy image that is still far from the viewport has no source yet.
    else if (image.currentSrc !== '') hideOptional(image)
  }
}

/** Marks the section in view in the section bar. */
function markCurrentSection(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('[data-jump]')]
  const idOf = (link: HTMLAnchorElement) => link.hash.slice(1)
  const end = watchSections(links.map(idOf), (first) => {
    if (isHydrated()) {
      end()
      return
    }
    for (const link of links) {
      if (idOf(link) === first) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    }
  })
}

/** Plays a video in place without loading the app. If it doesn't play, the app explains why. */
function playInPlace(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-play]')) {
    const video = form.parentElement?.querySelector('video')
    if (!video) continue
    video.controls = false
    form.addEventListener('submit', (event) => {
      if (isHydrated()) return
      event.preventDefault()
      video.controls = true
      form.hidden = true
      video.play().catch(() => explain(form))
      video.focus()
    })
    video.addEventListener('playing', () => {
      const poster = form.parentElement?.querySelector<HTMLElement>('img')
      if (poster && !isHydrated()) poster.hidden = true
    })
  }
}

function shareInPlace(): void {
  const link = document.querySelector<HTMLAnchorElement>('[data-share]')
  link?.addEventListener('click', (event) => {
    if (isHydrated()) return
    event.preventDefault()
    void sharePage(link)
  })
}

/** Loads the app, which tries again and shows the error. */
async function explain(form: HTMLFormElement): Promise<void> {
  form.hidden = false
  if (await startApp()) form.requestSubmit()
}

function showOfflineNotice(): void {
  const notice = document.querySelector<HTMLElement>('[data-offline-line]')
  if (!notice) return
  const update = () => {
    notice.hidden = !isOffline()
  }
  watchConnectivity(update)
  update()
}

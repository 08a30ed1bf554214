/** The small script of a public memorial. It handles simple actions itself and loads the app for the rest. */
import { registerServiceWorker } from '#client/lib/offline/service-worker.ts'
import { markCurrentSection } from './follow-section.ts'
import { answerCookieNotice } from './cookie-notice.ts'
import { startAppWhenNeeded } from './start-app.ts'
import { showLocalTimes } from './own-times.ts'
import { delayUntilPortrait } from './portrait-first.ts'
import { playInPlace } from './play-in-place.ts'
import { toggleInPlace } from './toggle-in-place.ts'
import { removePlaceholders } from './sharpen-pictures.ts'
import { showOfflineNotice } from './tell-offline.ts'

window.addEventListener('error', ({ error }) => {
  void import('#client/lib/report-error.ts').then(({ reportError }) => reportError(error))
})
document.getElementById('photo-still')?.remove()
delayUntilPortrait()
// Let the page paint first: without scripts it is already readable, and its links and forms work.
requestAnimationFrame(() => setTimeout(enhancePage))

function enhancePage(): void {
  showLocalTimes()
  answerCookieNotice()
  toggleInPlace()
  removePlaceholders()
  markCurrentSection()
  playInPlace()
  startAppWhenNeeded()
  showOfflineNotice()
  registerServiceWorker()
}

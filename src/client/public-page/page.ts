/** The small script of a public memorial. */
import { GUEST_NAME } from '#shared/ids.ts'
import { cameWithoutSession, isReloaded } from '#client/lib/browser.ts'
import { isOffline } from '#client/lib/offline/connectivity.ts'
import { CONTRIBUTOR_SESSION_PREFIX, readText } from '#client/lib/stored-text.ts'
import { enhanceMemorial } from './enhance-memorial.ts'

/** Statuses that say that this visitor, or nobody, may see the memorial. */
const GONE: ReadonlySet<number> = new Set([403, 404, 410])

enhanceMemorial({
  needsApp: '[data-photo], form:not([data-play], [method="post"])',
  hydrate,
  preload: loadApp,
  // With a session, or with one photo open, the page is not complete without the app. Offline, the cached page counts as complete.
  isComplete: () => isOffline() || (cameWithoutSession() && !hasContributed() && !showsOnePhoto()),
  formsWorkWithoutApp: true,
})

function loadApp() {
  return import('./hydrate-app.tsx')
}

async function hydrate(root: HTMLElement): Promise<void> {
  const { view = '', config = '' } = root.dataset
  const [{ hydrateApp }, answer] = await Promise.all([loadApp(), fetch(view)])
  if (!answer.ok) {
    // Made private or deleted since: a reload shows that. Reload only once, because an edge cache may still be
    // stale.
    if (GONE.has(answer.status) && !isReloaded()) window.location.reload()
    throw new Error(`the memorial could not be loaded: ${answer.status}`)
  }
  await hydrateApp(root, await answer.json(), JSON.parse(config))
}

function showsOnePhoto(): boolean {
  return new URLSearchParams(location.search).has('photo')
}

/** True if this device has contributed to the memorial: its user may remove their own. Guests have nothing here. */
function hasContributed(): boolean {
  const { memorial = '' } = document.getElementById('root')?.dataset ?? {}
  const session = readText(CONTRIBUTOR_SESSION_PREFIX + memorial)
  return session !== null && !session.includes(`"${GUEST_NAME}"`)
}

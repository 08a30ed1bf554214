import { Link, useLocation } from 'react-router-dom'
import { messages } from '#shared/messages.ts'
import { DATA_SAVER_PATH, paths } from '#shared/pages/pages.ts'
import { NetworkError } from '#client/lib/call.ts'
import { links, networkLinks } from '#client/lib/links.ts'
import { useHydrated, useDataSaver, useOwnOrigin } from '#client/lib/server-rendering.ts'
import { showFailure, showToast } from '#client/lib/toast-store.ts'
import { isAnyPending } from '#client/lib/upload/upload-list.ts'
import { Button } from '#client/ui/button.tsx'
import styles from './site-footer.module.css'

/** Pages of a memorial don't show the links for sharing this site. */
const MEMORIAL_PATH = /^\/(?:m|memorial|invite|create-memorial)(?:\/|$)/u

/** A memorial, which offers to use less data. */
const ONE_MEMORIAL = /^\/(?:m|memorial)\/[^/]+$/u

const HELP_LINKS = [
  { to: links.faq, label: 'FAQ' },
  { to: links.privacy, label: 'Privacy' },
  { to: links.terms, label: 'Terms' },
  { to: links.contact, label: 'Contact' },
]

/** Help and legal links, in the same place on every screen (WCAG 3.2.6). */
export function SiteFooter() {
  const { pathname } = useLocation()
  const isDataSaver = useDataSaver()
  // On the landing page the hydrated app has all its scripts already, and can show the user's own memorials.
  const isLanding = !useHydrated() && pathname === paths.home
  const choice = `${DATA_SAVER_PATH}?less=${isDataSaver ? 0 : 1}&to=${encodeURIComponent(pathname)}`
  return (
    <footer className={styles.footer}>
      <div className={styles.inner}>
        <p className={styles.motto}>Keeping Legacies Alive</p>
        <nav aria-label="Footer">
          <ul className={`row tall-links ${styles.list}`}>
            {HELP_LINKS.map(({ to, label }) => (
              <li key={to}>
                <Link to={to}>{label}</Link>
              </li>
            ))}
          </ul>
          {(isLanding || ONE_MEMORIAL.test(pathname)) && (
            <form
              className={styles.choice}
              method="post"
              action={choice}
              onSubmit={(event) => {
                event.preventDefault()
                void store(choice)
              }}
            >
              <Button type="submit" variant="quiet" className={styles.less}>
                {isDataSaver ? 'Show everything' : 'Use less data'}
              </Button>
            </form>
          )}
          {!MEMORIAL_PATH.test(pathname) && <SharingLinks />}
        </nav>
      </div>
    </footer>
  )
}

/**
 * Stores the choice and loads the page anew. The form alone would not do: a document that was opened with an invitation
 * sends its forms without an origin, because it sends no referrer, and the server refuses them.
 */
async function store(choice: string): Promise<void> {
  try {
    const answer = await fetch(choice, { method: 'POST', redirect: 'manual' })
    if (answer.type !== 'opaqueredirect') throw new Error(`The choice was refused: ${answer.status}`)
    // A reload would stop the files on their way.
    if (isAnyPending()) showToast({ title: messages.system.choiceLater })
    else window.location.reload()
  } catch (error) {
    showFailure(messages.system.choiceFailedTitle, new NetworkError(error))
  }
}

const TEXT = 'Keeping Legacies Alive: a lasting page for somebody who died.'

/** Links for sharing this site. Plain links: nothing loads from these networks here. */
function SharingLinks() {
  const home = useOwnOrigin() + links.home
  return (
    <ul className={`row tall-links ${styles.list}`} aria-label="Tell others about us">
      {networkLinks(`${TEXT} ${home}`, home).map(({ name, href }) => (
        <li key={href}>
          <a href={href} target="_blank" rel="noopener">
            {`Share on ${name}`}
            <span className="visually-hidden"> (opens in a new tab)</span>
          </a>
        </li>
      ))}
    </ul>
  )
}

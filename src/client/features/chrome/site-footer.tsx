import { Link, useLocation } from 'react-router-dom'
import { links } from '#client/lib/links.ts'
import { shareSiteLinks } from './share-site.ts'
import styles from './site-footer.module.css'

/** Nobody is asked to recommend us beside the memorial of somebody who died. */
const OF_A_MEMORIAL = /^\/(?:m|memorial|invite|create-memorial)(?:\/|$)/u

/** Help and the small print, in the same place on every screen (WCAG 3.2.6). */
export function SiteFooter() {
  const { pathname } = useLocation()
  return (
    <footer className={styles['footer']}>
      <div className={styles['inner']}>
        <p className={styles['motto']}>Keeping Legacies Alive</p>
        <nav aria-label="Footer">
          <ul className={styles['list']}>
            <li>
              <Link to={links.faq}>FAQ</Link>
            </li>
            <li>
              <Link to={links.privacy}>Privacy</Link>
            </li>
            <li>
              <Link to={links.terms}>Terms</Link>
            </li>
            <li>
              <Link to={links.contact}>Contact</Link>
            </li>
          </ul>
          {!OF_A_MEMORIAL.test(pathname) && (
            <ul className={styles['list']} aria-label="Tell others about us">
              {shareSiteLinks(window.location.origin).map(({ name, href }) => (
                <li key={href}>
                  <a href={href} target="_blank" rel="noopener">
                    {name}
                    <span className="visually-hidden"> (opens in a new tab)</span>
                  </a>
                </li>
              ))}
            </ul>
          )}
        </nav>
      </div>
    </footer>
  )
}

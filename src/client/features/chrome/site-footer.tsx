import { Link } from 'react-router-dom'
import { links } from '#client/lib/links.ts'
import styles from './site-footer.module.css'

/** Help and the small print, in the same place on every screen (WCAG 3.2.6). */
export function SiteFooter() {
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
        </nav>
      </div>
    </footer>
  )
}

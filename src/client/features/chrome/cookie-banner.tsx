import { useState } from 'react'
import { Link } from 'react-router-dom'
import { links } from '#client/lib/links.ts'
import { useHydrated } from '#client/lib/server-rendering.ts'
import { COOKIE_CONSENT, readText, writeText } from '#client/lib/browser/stored-text.ts'
import { Button } from '#client/ui/button.tsx'
import styles from './cookie-banner.module.css'

/** The notice about our cookies, which the privacy policy lists. The answer is stored as `accepted` or `dismissed`. */
export function CookieBanner() {
  const [answer, setAnswer] = useState(() => readText(COOKIE_CONSENT))
  const isHydrated = useHydrated()
  if (isHydrated && answer !== null) return null
  const storeAnswer = (value: 'accepted' | 'dismissed') => {
    writeText(COOKIE_CONSENT, value)
    setAnswer(value)
  }
  return (
    <section className={`row ${styles.banner}`} aria-label="Cookies" data-cookies hidden={!isHydrated}>
      <p>
        We use cookies only for what you do here, such as signing in or opening your invitation. No tracking.{' '}
        <Link to={links.privacy}>Privacy policy</Link>
      </p>
      <div className={styles.actions}>
        <Button variant="primary" data-consent="accepted" onClick={() => storeAnswer('accepted')}>
          Accept
        </Button>
        <Button data-consent="dismissed" onClick={() => storeAnswer('dismissed')}>
          Dismiss
        </Button>
      </div>
    </section>
  )
}

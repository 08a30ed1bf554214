import { useState } from 'react'
import { Link } from 'react-router-dom'
import { links } from '#client/lib/links.ts'
import { readText, writeText } from '#client/lib/stored-text.ts'
import { Button } from '#client/ui/button.tsx'
import styles from './cookie-banner.module.css'

const KEY = 'cookie-consent'

/** Tells the truth about our one cookie. The answer is kept as `accepted` or `dismissed` (product spec 3). */
export function CookieBanner() {
  const [answer, setAnswer] = useState(() => readText(KEY))
  if (answer !== null) return null
  const keep = (value: 'accepted' | 'dismissed') => {
    writeText(KEY, value)
    setAnswer(value)
  }
  return (
    <section className={styles['banner']} aria-label="Cookies">
      <p>
        We use one cookie to keep you signed in. No tracking. <Link to={links.privacy}>Privacy policy</Link>
      </p>
      <div className={styles['actions']}>
        <Button look="primary" onClick={() => keep('accepted')}>
          Accept
        </Button>
        <Button onClick={() => keep('dismissed')}>Dismiss</Button>
      </div>
    </section>
  )
}

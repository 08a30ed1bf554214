import type { Privacy } from '#shared/memorials.ts'
import { PRIVACY_ICONS } from '#client/lib/privacy-icons.ts'
import styles from './privacy-pill.module.css'

/** Product spec 4 says "Locked" of two settings; the second line tells them apart. */
const WORDS: Record<Privacy, { word: string; line: string }> = {
  PRIVATE: { word: 'Locked', line: 'Only you can see it' },
  INVITE: { word: 'Unlocked', line: 'People with your link can see it and add to it' },
  LOCKED: { word: 'Locked', line: 'Anyone with the link can see it' },
}

/** Who can see this memorial: an icon, the word, and what it means. */
export function PrivacyPill({ privacy }: { privacy: Privacy }) {
  const { word, line } = WORDS[privacy]
  return (
    <p className={styles['pill']}>
      <span className={`${styles['word']} ${privacy === 'INVITE' ? styles['open'] : ''}`}>
        <svg viewBox="0 0 24 24" width="18" height="18" fill="currentColor" aria-hidden="true">
          <path d={PRIVACY_ICONS[privacy]} />
        </svg>
        {word}
      </span>
      <span className={styles['line']}>{line}</span>
    </p>
  )
}

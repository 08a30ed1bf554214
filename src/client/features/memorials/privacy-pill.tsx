import type { Privacy } from '#shared/memorials.ts'
import styles from './privacy-pill.module.css'

/** Product spec 4 says "Locked" of two settings; the second line tells them apart. */
const WORDS: Record<Privacy, { word: string; line: string }> = {
  PRIVATE: { word: 'Locked', line: 'Only you can see it' },
  INVITE: { word: 'Unlocked', line: 'People with your link can see it and add to it' },
  LOCKED: { word: 'Locked', line: 'Anyone with the link can see it' },
}

const ICONS: Record<Privacy, string> = {
  PRIVATE: 'M7 10V7a5 5 0 0 1 10 0v3h1a1 1 0 0 1 1 1v9H5v-9a1 1 0 0 1 1-1h1Zm2 0h6V7a3 3 0 0 0-6 0v3Z',
  INVITE:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm7 0a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2 20v-2c0-3 3-5 7-5s7 2 7 5v2H2Zm16 0v-2c0-1.7-.6-3.1-1.7-4.2 3.2.2 5.7 1.7 5.7 4.2v2h-4Z',
  LOCKED:
    'M12 5c5 0 8.5 4 10 7-1.5 3-5 7-10 7S3.5 15 2 12c1.5-3 5-7 10-7Zm0 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm0-2a2 2 0 1 1 0-4 2 2 0 0 1 0 4Z',
}

/** Who can see this memorial: an icon, the word, and what it means. */
export function PrivacyPill({ privacy }: { privacy: Privacy }) {
  const { word, line } = WORDS[privacy]
  return (
    <p className={styles['pill']}>
      <span className={`${styles['word']} ${privacy === 'INVITE' ? styles['open'] : ''}`}>
        <svg viewBox="0 0 24 24" width="18" height="18" fill="currentColor" aria-hidden="true">
          <path d={ICONS[privacy]} />
        </svg>
        {word}
      </span>
      <span className={styles['line']}>{line}</span>
    </p>
  )
}

import type { Privacy } from '#shared/memorials/memorials.ts'
import { PRIVACY_ICONS } from '#client/lib/privacy.ts'
import styles from './privacy-pill.module.css'

/** Two settings have the word "Locked"; the second line distinguishes them. */
const LABELS: Record<Privacy, { word: string; line: string; variant?: string | undefined }> = {
  PRIVATE: { word: 'Locked', line: 'Only you can see it', variant: styles.closed },
  INVITE: { word: 'Unlocked', line: 'People with your link can see it and add to it', variant: styles.open },
  LOCKED: { word: 'Locked', line: 'Anyone with the link can see it' },
}
/** For a setting that this version doesn't know, from a newer server. */
const UNKNOWN = { word: 'Unknown', line: 'Reload this page to see who can see it', variant: styles.closed }

/** Who can see this memorial: icon, word and explanation. */
export function PrivacyPill({ privacy }: { privacy: Privacy }) {
  const isKnown = Object.hasOwn(LABELS, privacy)
  const { word, line, variant = '' } = isKnown ? LABELS[privacy] : UNKNOWN
  const icon = PRIVACY_ICONS[isKnown ? privacy : 'PRIVATE']
  return (
    <p className={styles.pill}>
      <span className={`${styles.word} ${variant}`}>
        <svg viewBox="0 0 24 24" width="18" height="18" fill="currentColor" aria-hidden="true">
          <path d={icon} />
        </svg>
        {word}
      </span>
      <span className={styles.line}>{line}</span>
    </p>
  )
}

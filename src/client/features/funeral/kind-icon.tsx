import type { GatheringKind } from '#shared/funeral/gatherings.ts'
import styles from './gathering.module.css'

const GRAVE = 'M6 20V10a6 6 0 0 1 12 0v10M3 20h18'
const PEOPLE = 'M9 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM3 20a6 6 0 0 1 12 0M16 4a3 3 0 0 1 0 6M17 14a6 6 0 0 1 4 6'

/** Lines in a square of 24. */
const PATHS: Record<GatheringKind, string> = {
  VIEWING: 'M2 12s4-6 10-6 10 6 10 6-4 6-10 6S2 12 2 12ZM12 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z',
  WAKE: 'M20 14A8 8 0 1 1 10 4a7 7 0 0 0 10 10Z',
  CHURCH: 'M12 2v6M9.5 4h5M5 20v-8l7-4 7 4v8ZM10 20v-4h4v4',
  BURIAL: `${GRAVE}M12 8v6M9.5 10h5`,
  CREMATION: 'M12 3c1 4 6 6 6 11a6 6 0 0 1-12 0c0-3 2-4 3-6 1 1 1 2 1 3 2-2 2-5 2-8Z',
  OTHER: PEOPLE,
  MEMORIAL_SERVICE: 'M12 6c-2-2-5-2-9-2v14c4 0 7 0 9 2 2-2 5-2 9-2V4c-4 0-7 0-9 2ZM12 6v14',
  NYARADZO: PEOPLE,
  UNVEILING: `${GRAVE}M9 11h6M9 14h6`,
  CELEBRATION:
    'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2',
  ANNIVERSARY: 'M4 5h16v15H4ZM4 10h16M8 3v4M16 3v4',
  OTHER_LATER: PEOPLE,
}

export function KindIcon({ kind }: { kind: GatheringKind }) {
  return (
    <svg className={styles.icon} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[kind]} />
    </svg>
  )
}

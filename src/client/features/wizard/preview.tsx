import { mediaPath } from '#client/lib/links.ts'
import { formatLifeDates } from '#shared/dates.ts'
import { initialsOf } from '#shared/initials.ts'
import { isCalendarDate } from '#shared/memorials.ts'
import type { Basics } from './basics.ts'
import { dateOf, type DateParts } from './life-dates.ts'
import styles from './wizard.module.css'

/** The head of the memorial page as it will look, from what is typed now. */
export function Preview({ basics, profileMediaId }: { basics: Basics; profileMediaId: string | null }) {
  const dates = formatLifeDates(realDate(basics.born), realDate(basics.died))
  const name = basics.honoureeFullName.trim()
  return (
    <div className={styles.preview}>
      <div className={styles.mat}>
        {profileMediaId ? (
          <img className={styles.portrait} src={mediaPath(profileMediaId, 640)} alt="" width={4} height={5} />
        ) : (
          <div className={`${styles.portrait} ${styles.initials}`} aria-hidden="true">
            {initialsOf(name)}
          </div>
        )}
      </div>
      <p className={styles.previewName}>{name || 'Their name'}</p>
      {dates && <p className={styles.hint}>{dates}</p>}
      {basics.title.trim() && <p className={styles.epitaph}>“{basics.title.trim()}”</p>}
      <hr className={styles.rule} />
    </div>
  )
}

function realDate(parts: DateParts): string | null {
  const date = dateOf(parts)
  return date !== null && isCalendarDate(date) ? date : null
}

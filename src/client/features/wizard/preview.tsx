import { mediaPath } from '#client/lib/links.ts'
import { formatLifeDates } from '#shared/dates.ts'
import { initialsOf } from '#shared/page-titles.ts'
import { isCalendarDate } from '#shared/memorials.ts'
import type { Basics } from './basics.ts'
import { dateOf, type DateParts } from './life-dates.ts'
import shared from './wizard.module.css'
import styles from './preview.module.css'

/** Preview of the memorial page's header, from the current form values. */
export function Preview({ basics, profileMediaId }: { basics: Basics; profileMediaId: string | null }) {
  const dates = formatLifeDates(realDate(basics.born), realDate(basics.died))
  const name = basics.honoureeFullName.trim()
  return (
    <div className={styles.preview}>
      <div className={`${shared.mat} ${styles.frame}`}>
        {profileMediaId ? (
          <img className={shared.portrait} src={mediaPath(profileMediaId, 640)} alt="" width={4} height={5} />
        ) : (
          <div className={`${shared.portrait} ${styles.initials}`} aria-hidden="true">
            {initialsOf(name)}
          </div>
        )}
      </div>
      <p className={styles.name}>{name || 'Their name'}</p>
      {dates && <p className={shared.hint}>{dates}</p>}
      {basics.title.trim() && <p className={styles.epitaph}>“{basics.title.trim()}”</p>}
      <hr className={styles.rule} />
    </div>
  )
}

function realDate(parts: DateParts): string | null {
  const date = dateOf(parts)
  return date !== null && isCalendarDate(date) ? date : null
}

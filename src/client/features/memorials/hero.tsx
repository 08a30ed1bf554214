import type { ReactNode } from 'react'
import type { Memorial } from '#shared/memorials.ts'
import { memorialTitle } from '#shared/page-titles.ts'
import { codePoints } from '#shared/text.ts'
import { formatLifeDates } from '#shared/dates.ts'
import { useDocumentTitle, useFocusOnArrival } from '#client/ui/page.tsx'
import { Portrait } from './portrait.tsx'
import styles from './hero.module.css'

/** Longer names use a smaller font so that they fit on two lines on a phone. */
const LONG_NAME = 26

/** Header of a memorial: portrait, name, dates, one sentence, and `children` below (the owner's tools). */
export function Hero({
  memorial,
  placeholder,
  invite,
  children,
}: {
  memorial: Memorial
  /** Placeholder of the portrait until it has loaded. */
  placeholder: string | null
  invite?: string | undefined
  children?: ReactNode
}) {
  const { honoureeFullName: name, dateOfBirth, dateOfDeath, title } = memorial
  const ref = useFocusOnArrival()
  const dates = formatLifeDates(dateOfBirth, dateOfDeath)
  useDocumentTitle(memorialTitle(memorial))
  return (
    <div className={styles.hero} data-print="cover">
      <Portrait memorial={memorial} placeholder={placeholder} invite={invite} />
      <div>
        <h1
          ref={ref}
          tabIndex={-1}
          className={`${styles.name} ${codePoints(name) > LONG_NAME ? styles.long : ''}`}
        >
          {name}
        </h1>
        {dates && (
          <p className={styles.dates}>
            {dates.split(' – ').map((date, index) => (
              <span key={date}>
                {index > 0 && ' – '}
                <span className={styles.date}>{date}</span>
              </span>
            ))}
          </p>
        )}
        {title && <p className={styles.sentence}>“{title}”</p>}
        <hr className={styles.rule} />
        {children}
      </div>
    </div>
  )
}

import type { ReactNode } from 'react'
import { formatLifeDates } from '#shared/memorials/life-dates.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { initialsOf, memorialTitle } from '#shared/pages/page-titles.ts'
import { codePoints } from '#shared/code-points.ts'
import { mediaPath, mediaSrcSet, PORTRAIT_WIDTHS } from '#client/lib/links.ts'
import { useDataSaver } from '#client/lib/server-rendering.ts'
import { useDocumentTitle, useFocusOnArrival } from '#client/ui/page.tsx'
import { PlaceholderImage } from '#client/ui/placeholder-image.tsx'
import styles from './hero.module.css'

type PortraitProps = {
  memorial: Memorial
  /** Shown until the portrait has loaded. */
  placeholder: string | null
  invite: string | undefined
}

/** Longer names use a smaller font so that they fit on two lines on a phone. */
const LONG_NAME = 26

/** Header of a memorial: portrait, name, dates, one sentence, and `children` below (the owner's tools). */
export function Hero({ children, ...portrait }: PortraitProps & { children: ReactNode }) {
  const { memorial } = portrait
  const { honoureeFullName: name, title } = memorial
  const ref = useFocusOnArrival()
  const dates = formatLifeDates(memorial)
  useDocumentTitle(memorialTitle(memorial))
  return (
    <div className={styles.hero} data-print="cover">
      <Portrait {...portrait} />
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

/** The honouree's portrait in its frame, or the initials if there is none. */
function Portrait({ memorial, placeholder, invite }: PortraitProps) {
  const isDataSaver = useDataSaver()
  const mediaId = memorial.profileMediaId ?? memorial.coverMediaId
  if (!mediaId) {
    return (
      <div className={`${styles.frame} ${styles.initials}`} aria-hidden="true">
        {initialsOf(memorial.honoureeFullName)}
      </div>
    )
  }
  return (
    <PlaceholderImage
      className={styles.frame}
      placeholder={placeholder}
      src={mediaPath(mediaId, isDataSaver ? 320 : 640, invite)}
      {...(!isDataSaver && { srcSet: mediaSrcSet(mediaId, PORTRAIT_WIDTHS, invite) })}
      // Three quarters of the true width on phones: nobody can see the difference, and the next larger variant is half as
      // much again at two device pixels per point, and three times as much at three.
      sizes="(min-width: 60rem) and (max-resolution: 1.4dppx) 352px, (min-width: 60rem) 320px, (min-width: 48rem) 240px, min(58vw, 210px)"
      width={640}
      height={800}
      alt={`Portrait of ${memorial.honoureeFullName}`}
      fetchPriority="high"
    />
  )
}

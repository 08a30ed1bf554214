import type { Memorial } from '#shared/memorials.ts'
import { initialsOf } from '#shared/page-titles.ts'
import { useDataSaver } from '#client/lib/data-saver.ts'
import { mediaPath, mediaSrcSet, SMALLER_WIDTHS } from '#client/lib/links.ts'
import { SoftImage } from '#client/ui/soft-image.tsx'
import styles from './portrait.module.css'

/** The honouree's portrait in its frame, or the initials if there is none. */
export function Portrait({
  memorial,
  placeholder,
  invite,
}: {
  memorial: Memorial
  placeholder: string | null
  invite?: string | undefined
}) {
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
    <SoftImage
      className={styles.frame}
      placeholder={placeholder}
      src={mediaPath(mediaId, isDataSaver ? 320 : 640, invite)}
      {...(!isDataSaver && { srcSet: mediaSrcSet(mediaId, SMALLER_WIDTHS, invite) })}
      // Slightly below the true width, so that high-density screens load the 640 px variant instead of 1,280 px.
      sizes="(min-width: 60rem) and (max-resolution: 1.4dppx) 352px, (min-width: 60rem) 320px, min(58vw, 210px)"
      width={640}
      height={800}
      alt={`Portrait of ${memorial.honoureeFullName}`}
      fetchPriority="high"
    />
  )
}

import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { formatLifeDates } from '#shared/memorials/life-dates.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { memorialTitle } from '#shared/pages/page-titles.ts'
import { codePath, links } from '#client/lib/links.ts'
import { useOwnOrigin } from '#client/lib/server-rendering.ts'
import { useOpenedAt } from '#client/lib/use-now.ts'
import { useDocumentTitle, useFocusOnArrival } from '#client/ui/page.tsx'
import { sheetOf } from './sheet-text.ts'
import styles from './gatherings-sheet.module.css'

/** All gatherings on one sheet of A5, for people without a phone. `back`: the address of the memorial. */
export function GatheringsSheet({
  memorial,
  events,
  back,
}: {
  memorial: Memorial
  events: FuneralEvent[]
  back: string
}) {
  const { size, items, isCut } = sheetOf(events, useOpenedAt())
  const address = useOwnOrigin() + links.publicMemorial(memorial.slug)
  const isPublic = memorial.privacy === 'LOCKED'
  const ref = useFocusOnArrival()
  useDocumentTitle(memorialTitle(memorial))
  return (
    <div className={styles.page}>
      <p data-print="no">
        Print this page from your browser’s menu. It fits on one sheet of A5.{' '}
        <a href={back}>Back to the memorial</a>
      </p>
      <div data-print="sheet" data-size={size}>
        <div className={styles.head}>
          <div>
            <h1 ref={ref} tabIndex={-1}>
              {memorial.honoureeFullName}
            </h1>
            <p>{formatLifeDates(memorial)}</p>
          </div>
          {isPublic && <img src={codePath(memorial.slug)} width={84} height={84} alt="" />}
        </div>
        <ul className={styles.list}>
          {items.map(({ id, name, when, place, lines }) => (
            <li key={id}>
              <h2>{name}</h2>
              <p>
                <b>{when}</b>
                {place && `, ${place}`}
              </p>
              {lines.length > 0 && (
                <p>
                  {lines.map(({ label, text }) => (
                    <span key={label}>
                      {label && <b>{label}</b>}
                      {text}{' '}
                    </span>
                  ))}
                </p>
              )}
            </li>
          ))}
        </ul>
        {(isCut || isPublic) && (
          <p className={styles.foot}>
            {isCut && 'There’s more on the memorial page. '}
            {isPublic && address}
          </p>
        )}
      </div>
    </div>
  )
}

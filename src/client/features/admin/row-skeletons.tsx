import { Skeleton } from '#client/ui/page.tsx'
import styles from './row-skeletons.module.css'

/** Five still rows in the place of a list that is loading (product spec 9). */
export function RowSkeletons({ label, height }: { label: string; height: string }) {
  return (
    <div className={styles.rows} aria-busy="true">
      <span className="visually-hidden" role="status">
        {label}
      </span>
      {Array.from({ length: 5 }, (_, row) => (
        <Skeleton key={row} height={height} />
      ))}
    </div>
  )
}

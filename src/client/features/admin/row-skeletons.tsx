import { Skeleton } from '#client/ui/page.tsx'
import styles from './row-skeletons.module.css'

/** Five placeholder rows, without animation, for a list that is loading. */
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

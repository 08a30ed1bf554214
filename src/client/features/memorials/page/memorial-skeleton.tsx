import { Loading, Skeleton } from '#client/ui/page.tsx'
import heroStyles from './hero.module.css'
import styles from './memorial-skeleton.module.css'

export function MemorialSkeleton() {
  return (
    <Loading label="Loading the memorial" className={styles.place}>
      <div className={heroStyles.hero}>
        <div className={styles.portrait}>
          <Skeleton height="100%" />
        </div>
        <div className={styles.lines}>
          <Skeleton height="2.5rem" width="16rem" />
          <Skeleton height="1.25rem" width="13rem" />
          <Skeleton height="1.5rem" width="18rem" />
        </div>
      </div>
    </Loading>
  )
}

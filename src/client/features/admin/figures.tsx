import { Skeleton } from '#client/ui/page.tsx'
import styles from './console.module.css'

/** Labelled counts; a count that is still loading reserves its space. */
export function Figures({ figures }: { figures: readonly [name: string, count: number | undefined][] }) {
  return (
    <dl className={styles.figures} aria-busy={figures.some(([, count]) => count === undefined)}>
      {figures.map(([name, count]) => (
        <div key={name} className={`surface ${styles.figure}`}>
          <dt className="small-muted">{name}</dt>
          <dd>{count?.toLocaleString('en') ?? <Skeleton height="1em" width="3ch" />}</dd>
        </div>
      ))}
    </dl>
  )
}

/** `$60.00`; `amount` is in the smallest unit of the currency. */
export function formatMoney(amount: number, currency: string): string {
  return (amount / 100).toLocaleString('en-US', { style: 'currency', currency })
}

import { PRICE_TEXT } from '#shared/limits.ts'
import styles from './payments.module.css'

export function Price() {
  return (
    <p className={styles.price}>
      <span className={styles.amount}>{PRICE_TEXT}</span>
      <span>
        <strong>Introductory Offer</strong>
        <br />
        <span className={styles.muted}>One-time payment. No recurring fees.</span>
      </span>
    </p>
  )
}

export function Inclusions({ items }: { items: readonly string[] }) {
  return (
    <ul className={styles.inclusions}>
      {items.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  )
}

import { useHashTarget } from '#client/lib/scroll.ts'
import type { Question } from './questions.tsx'
import styles from './question-list.module.css'

/** Questions that unfold, one open at a time; one that the address points at stands open. */
export function QuestionList({ items }: { items: readonly Question[] }) {
  const target = useHashTarget()
  return (
    <div className={styles['list']}>
      {items.map(({ id, question, answer }) => (
        <details key={id} id={id} name="faq" className={styles['item']} open={target === id}>
          <summary className={styles['question']}>{question}</summary>
          <div className={styles['answer']}>{answer}</div>
        </details>
      ))}
    </div>
  )
}

import { useHashTarget } from '#client/lib/scroll.ts'
import { Disclosure, Disclosures } from '#client/ui/disclosure.tsx'
import type { Question } from './questions.tsx'

/** Questions that unfold, one open at a time; one that the address points at stands open. */
export function QuestionList({ items }: { items: readonly Question[] }) {
  const target = useHashTarget()
  return (
    <Disclosures>
      {items.map(({ id, question, answer }) => (
        <Disclosure key={id} id={id} name="faq" open={target === id} title={question}>
          {answer}
        </Disclosure>
      ))}
    </Disclosures>
  )
}

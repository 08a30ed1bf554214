import { useHashTarget } from '#client/lib/scroll.ts'
import { Disclosure, Disclosures } from '#client/ui/disclosure.tsx'
import type { Question } from './questions.tsx'

/** An accordion of questions, one open at a time; the question in the URL's fragment starts open. */
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

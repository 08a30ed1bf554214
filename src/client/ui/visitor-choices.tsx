import { useId } from 'react'
import type { VisitorMessages } from '#shared/memorials.ts'
import { messages } from '#shared/messages.ts'
import field from './field.module.css'

const CHOICES: Record<VisitorMessages, { name: string; explanation: string }> = messages.visitors.choices
const VISITOR_MESSAGES = Object.keys(CHOICES) as VisitorMessages[]

/** Whether visitors of the public page may leave messages, as radio buttons. */
export function VisitorChoices({
  value,
  onChoose,
}: {
  value: VisitorMessages
  onChoose: (value: VisitorMessages) => void
}) {
  const name = useId()
  return (
    <fieldset className={field.choices}>
      <legend>{messages.visitors.question}</legend>
      {VISITOR_MESSAGES.map((choice) => (
        <label key={choice} className={field.checkbox}>
          <input type="radio" name={name} checked={value === choice} onChange={() => onChoose(choice)} />
          <span>
            {CHOICES[choice].name}
            <span className={`small-muted ${field.note}`}>{CHOICES[choice].explanation}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

import { useId } from 'react'
import { VISITOR_MESSAGES, type VisitorMessages } from '#shared/memorials.ts'
import field from './field.module.css'
import styles from './visitor-choices.module.css'

const CHOICES: Record<VisitorMessages, { name: string; explanation: string }> = {
  NOBODY: { name: 'Nobody', explanation: 'Visitors can only look.' },
  APPROVED: {
    name: 'Yes, after I approve them',
    explanation: 'Each message waits until you’ve read it and chosen to show it.',
  },
  AT_ONCE: {
    name: 'Yes, at once',
    explanation: 'Everyone sees a message as soon as it’s sent. You can remove it.',
  },
}

/** Whether visitors of the public page may leave messages, as radio buttons. */
export function VisitorChoices({
  value,
  isBusy,
  onChoose,
}: {
  value: VisitorMessages
  isBusy?: boolean
  onChoose: (value: VisitorMessages) => void
}) {
  const name = useId()
  return (
    <fieldset className={styles.choices} aria-busy={isBusy}>
      <legend className={styles.legend}>May visitors leave messages?</legend>
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

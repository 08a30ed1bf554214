import { useId } from 'react'
import field from './field.module.css'

/** A question whose answers are radio buttons, each with an explanation or without. */
export function RadioChoices<Value extends string>({
  question,
  choices,
  value,
  onChoose,
}: {
  question: string
  choices: Record<Value, { name: string; explanation?: string }>
  value: Value
  onChoose: (value: Value) => void
}) {
  const name = useId()
  return (
    <fieldset className={field.choices}>
      <legend>{question}</legend>
      {(Object.keys(choices) as Value[]).map((choice) => (
        <label key={choice} className={field.checkbox}>
          <input type="radio" name={name} checked={value === choice} onChange={() => onChoose(choice)} />
          <span>
            {choices[choice].name}
            {choices[choice].explanation !== undefined && (
              <span className={`small-muted ${field.note}`}>{choices[choice].explanation}</span>
            )}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

import type { ReactNode } from 'react'
import type { Privacy } from '#shared/memorials/memorials.ts'
import { PRIVACY_CHOICES } from '#client/lib/privacy.ts'
import field from './field.module.css'
import styles from './privacy-choices.module.css'

const PRIVACIES = Object.keys(PRIVACY_CHOICES) as Privacy[]

/** The three privacy settings as radio buttons; put them into a `fieldset`. `current`: marks the one that is saved. */
export function PrivacyChoices({
  value,
  current,
  idOf,
  onChoose,
}: {
  value: Privacy
  current?: Privacy
  idOf?: (privacy: Privacy) => string
  /** `isPressed`: with the pointer, not with the keyboard. */
  onChoose: (privacy: Privacy, isPressed: boolean) => void
}): ReactNode {
  return PRIVACIES.map((privacy) => (
    <label key={privacy} className={`${field.checkbox} ${styles.choice}`}>
      <input
        id={idOf?.(privacy)}
        type="radio"
        name="privacy"
        checked={value === privacy}
        // A click event from the keyboard has detail 0.
        onChange={({ nativeEvent }) => onChoose(privacy, clicksOf(nativeEvent) > 0)}
      />
      <span>
        {PRIVACY_CHOICES[privacy].name}
        {privacy === current && ' (now)'}
        <span className={`small-muted ${field.note}`}>{PRIVACY_CHOICES[privacy].explanation}</span>
      </span>
    </label>
  ))
}

function clicksOf(event: Event): number {
  return event instanceof MouseEvent ? event.detail : 0
}

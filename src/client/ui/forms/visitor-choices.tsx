import type { VisitorMessages } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { RadioChoices } from './radio-choices.tsx'

const { question, choices } = messages.visitors

/** Whether visitors of the public page may leave messages, as radio buttons. */
export function VisitorChoices(props: {
  value: VisitorMessages
  onChoose: (value: VisitorMessages) => void
}) {
  return <RadioChoices question={question} choices={choices} {...props} />
}

import { useQueryClient } from '@tanstack/react-query'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { useMemorialField } from '#client/lib/memorial-field.ts'
import { refreshMemorial } from '#client/lib/refresh.ts'
import { LateDisclosure } from '#client/ui/late-disclosure.tsx'
import { RadioChoices } from '#client/ui/forms/radio-choices.tsx'
import { VisitorChoices } from '#client/ui/forms/visitor-choices.tsx'

/** For editors: whether visitors of the public page may leave messages, and how they hear of it. Saved as soon as it changes. */
export function VisitorSettings({ memorial }: { memorial: Memorial }) {
  const { id, visitorMessages } = memorial
  const client = useQueryClient()
  const field = useMemorialField(id, 'visitorMessages', visitorMessages, () => refreshMemorial(client, id))
  return (
    <LateDisclosure title="Messages from visitors">
      <VisitorChoices value={field.value} onChoose={field.save} />
      <p className="small-muted">
        {memorial.privacy === 'LOCKED'
          ? 'Visitors are people without your invitation who open the public page.'
          : 'This only matters while the memorial is public. It isn’t public now.'}
      </p>
      <TellOwner memorial={memorial} />
    </LateDisclosure>
  )
}

/** How often we mail the owner that something waits. Saved as soon as it changes. */
function TellOwner({ memorial: { id, tellOwner = 'AT_ONCE' } }: { memorial: Memorial }) {
  const client = useQueryClient()
  const field = useMemorialField(id, 'tellOwner', tellOwner, () => refreshMemorial(client, id))
  const { question, choices } = messages.telling
  return (
    <RadioChoices
      question={question}
      choices={choices}
      value={field.value ?? tellOwner}
      onChoose={field.save}
    />
  )
}

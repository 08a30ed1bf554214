import { useQueryClient } from '@tanstack/react-query'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { letInFamilyMessages } from '#shared/invites/let-in-family-messages.ts'
import { useMemorialField } from '#client/lib/memorial-field.ts'
import { refreshMemorial } from '#client/lib/refresh.ts'
import { LateDisclosure } from '#client/ui/late-disclosure.tsx'
import { RadioChoices } from '#client/ui/forms/radio-choices.tsx'

/** For the owner and keepers: who may ask to be let in. Saved as soon as it changes. */
export function LetInSettings({ memorial: { id, mayAsk = 'INVITE_ONLY' } }: { memorial: Memorial }) {
  const client = useQueryClient()
  const field = useMemorialField(id, 'mayAsk', mayAsk, () => refreshMemorial(client, id))
  const { settingTitle, question, choices } = letInFamilyMessages
  return (
    <LateDisclosure title={settingTitle}>
      <RadioChoices
        question={question}
        choices={choices}
        value={field.value ?? mayAsk}
        onChoose={field.save}
      />
    </LateDisclosure>
  )
}

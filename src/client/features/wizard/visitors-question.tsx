import type { Memorial, VisitorMessages } from '#shared/memorials.ts'
import { useMemorialField } from '#client/lib/memorial-field.ts'
import { VisitorChoices } from '#client/ui/visitor-choices.tsx'
import type { Wizard } from './use-wizard.ts'

/** Whether visitors may leave messages: of a public memorial saved as soon as it changes, else chosen to be saved together with Public. */
export function VisitorsQuestion({
  wizard,
  memorial,
  chosen,
  onChoose,
}: {
  wizard: Wizard
  memorial: Memorial
  chosen: VisitorMessages | null
  onChoose: (value: VisitorMessages) => void
}) {
  const field = useMemorialField(memorial.id, 'visitorMessages', memorial.visitorMessages, (changed) => {
    if (changed) wizard.changed((view) => ({ ...view, memorial: changed }))
  })
  const isPublic = memorial.privacy === 'LOCKED'
  return (
    <VisitorChoices
      value={isPublic ? field.value : (chosen ?? memorial.visitorMessages)}
      isBusy={field.isBusy}
      onChoose={isPublic ? field.save : onChoose}
    />
  )
}

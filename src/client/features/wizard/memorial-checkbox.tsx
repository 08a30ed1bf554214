import { useMemorialField } from '#client/lib/memorial-field.ts'
import { Checkbox } from '#client/ui/forms/field.tsx'
import { keepSaved, type Wizard } from './use-wizard.ts'

/** A boolean field of the memorial that is saved as soon as the checkbox changes. */
export function MemorialCheckbox({
  wizard,
  name,
  label,
  hint,
}: {
  wizard: Wizard
  name: 'showLocation' | 'allowSearchEngines' | 'showInvitePreview'
  label: string
  hint: string
}) {
  const saved = wizard.view?.memorial[name] ?? false
  const field = useMemorialField(wizard.memorialId, name, saved, (memorial) => keepSaved(wizard, memorial))
  return (
    <Checkbox
      label={label}
      hint={hint}
      isChecked={field.value}
      isBusy={field.isBusy}
      onChange={(value) => {
        if (wizard.requireMemorial()) field.save(value)
      }}
    />
  )
}

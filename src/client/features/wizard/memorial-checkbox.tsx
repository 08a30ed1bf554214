import { useState } from 'react'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { showToast, showFailure } from '#client/lib/toast-store.ts'
import { Checkbox } from '#client/ui/field.tsx'
import type { Wizard } from './use-wizard.ts'

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
  /** The new value while the request is running, otherwise null. */
  const [sending, setSending] = useState<boolean | null>(null)
  const isChecked = sending ?? wizard.view?.memorial[name] ?? false

  async function save(value: boolean) {
    const id = wizard.requireMemorial()
    if (!id || sending !== null) return
    setSending(value)
    try {
      const memorial = await call(api.updateMemorial, { params: { id }, body: { [name]: value } })
      wizard.changed((view) => ({ ...view, memorial }))
      showToast({ title: messages.memorial.updatedTitle })
    } catch (error) {
      showFailure(messages.memorial.updateFailedTitle, error, messages.memorial.updateFailedText)
    } finally {
      setSending(null)
    }
  }

  return (
    <Checkbox
      label={label}
      hint={hint}
      isChecked={isChecked}
      isBusy={sending !== null}
      onChange={(value) => void save(value)}
    />
  )
}

import { api } from '#shared/api.ts'
import type { Memorial, Privacy, VisitorMessages } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { call } from './call.ts'
import { showErrorToast } from './toast-store.ts'

/**
 * Changes who can see a memorial, and with Public whether visitors may leave messages there (null: as before). `onChanged` shows the
 * result; a choice about messages that could not be saved is said after it.
 */
export async function changePrivacy(
  id: string,
  { privacy, visitorMessages }: { privacy: Privacy; visitorMessages: VisitorMessages | null },
  onChanged: (changed: Memorial) => unknown,
): Promise<void> {
  const params = { id }
  let isChosen = true
  // First, so that the page never takes messages before the family has chosen so. Without it, they still get their public page.
  if (privacy === 'LOCKED' && visitorMessages !== null)
    isChosen = await call(api.updateMemorial, { params, body: { visitorMessages } }).then(
      () => true,
      () => false,
    )
  const changed = await call(api.updatePrivacy, { params, body: { privacy } })
  await onChanged(changed)
  if (!isChosen) showErrorToast(messages.visitors.choiceNotSavedTitle, messages.visitors.choiceNotSavedText)
}

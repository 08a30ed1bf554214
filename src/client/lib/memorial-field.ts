import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { call } from './call.ts'
import { showFailure, showToast } from './toast-store.ts'

type Field =
  | 'holdNew'
  | 'visitorMessages'
  | 'tellOwner'
  | 'mayAsk'
  | 'showLocation'
  | 'allowSearchEngines'
  | 'showInvitePreview'

/**
 * A setting of a memorial that is saved as soon as it changes. After a try, `refresh` updates `saved`, with the new memorial if the server
 * answered; until it has, `value` is what the user chose.
 */
export function useMemorialField<Name extends Field>(
  memorialId: string | null,
  name: Name,
  saved: Memorial[Name],
  refresh: (changed: Memorial | undefined) => unknown,
): { value: Memorial[Name]; isBusy: boolean; save: (value: Memorial[Name]) => void } {
  /** Until the mutation says that it is pending, a moment later: without it, a radio button would jump back for that moment. */
  const [chosen, setChosen] = useState<Memorial[Name]>()
  const change = useMutation({
    mutationFn: (value: Memorial[Name]) =>
      call(api.updateMemorial, { params: { id: memorialId ?? '' }, body: { [name]: value } }),
    // Arrow keys choose faster than a phone sends. One after the other, so that the last one stays.
    scope: { id: `${memorialId} ${name}` },
    onSuccess: () => showToast({ title: messages.memorial.updatedTitle }),
    onError: (error) =>
      showFailure(messages.memorial.updateFailedTitle, error, messages.memorial.updateFailedText),
    onSettled: (changed) => {
      setChosen(undefined)
      return refresh(changed)
    },
  })
  return {
    value: chosen ?? (change.isPending ? change.variables : saved),
    isBusy: change.isPending,
    save(value) {
      setChosen(value)
      change.mutate(value)
    },
  }
}

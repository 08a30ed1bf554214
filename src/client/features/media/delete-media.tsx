import { useMutation } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import { MEDIA_NOUN, type Media } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import { call, errorText } from '#client/lib/call.ts'
import type { Contributor } from '#client/lib/contributor.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'
import { ConfirmDialog } from '#client/ui/dialog.tsx'

/** Asks for confirmation before a media item is permanently deleted. */
export function DeleteMedia({
  item,
  contributor,
  onDeleted,
  onClose,
}: {
  item: Media
  contributor: Contributor
  onDeleted: (item: Media) => void
  onClose: () => void
}) {
  const remove = useMutation({
    mutationFn: () => call(api.deleteMedia, { params: { id: item.id } }),
    onSuccess: () => onDeleted(item),
    onError(error) {
      showErrorToast(messages.media.deleteFailedTitle, errorText(error, messages.system.internal))
      contributor.onRefused(error)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={messages.media.confirmDelete}
      confirmLabel={`Delete ${MEDIA_NOUN[item.type]}`}
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  )
}

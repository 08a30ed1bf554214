import { useMutation } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { MediaUploaded } from '#shared/media.ts'
import type { Memorial } from '#shared/memorials.ts'
import { messages } from '#shared/messages.ts'
import { errorText, pathOf } from '#client/lib/call.ts'
import { accept, profileImageProblem } from '#client/lib/file-rules.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { uploadFile } from '#client/lib/upload.ts'
import { FileButton } from '#client/ui/file-button.tsx'

/** Lets the owner give the memorial its portrait, or another one, where it stands. */
export function PortraitButton({ memorial, onChanged }: { memorial: Memorial; onChanged: () => void }) {
  const upload = useMutation({
    mutationFn: (file: File) =>
      uploadFile<MediaUploaded>({
        path: pathOf(api.uploadProfileImage, { params: { id: memorial.id } }),
        file,
      }),
    onSuccess() {
      showToast({ title: messages.media.uploadSuccessTitle })
      onChanged()
    },
    onError: (error) =>
      showErrorToast(messages.media.uploadFailedTitle, errorText(error, messages.media.interrupted)),
  })
  function choose([file]: File[]) {
    if (!file || upload.isPending) return
    const problem = profileImageProblem(file)
    if (problem) showErrorToast(problem.title, problem.text)
    else upload.mutate(file)
  }
  const label = memorial.profileMediaId ? 'Change portrait' : 'Add a portrait'
  return (
    <>
      <FileButton label={upload.isPending ? 'Sending…' : label} accept={accept.IMAGE} onFiles={choose} />
      <span className="visually-hidden" role="status">
        {upload.isPending && 'Sending the portrait'}
      </span>
    </>
  )
}

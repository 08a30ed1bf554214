import { useMutation } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { MediaUploaded } from '#shared/media.ts'
import type { Memorial } from '#shared/memorials.ts'
import { messages } from '#shared/messages.ts'
import { errorText, pathOf } from '#client/lib/call.ts'
import { checkMedia, fileToSend, quickProblem } from '#client/lib/upload/check-media.ts'
import { accept, portraitRule, problemText, type FileProblem } from '#client/lib/upload/file-rules.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { uploadFile } from '#client/lib/upload/single-request.ts'
import { FileButton } from '#client/ui/file-button.tsx'

/** Lets the owner add or replace the portrait in place. */
export function PortraitButton({ memorial, onChanged }: { memorial: Memorial; onChanged: () => void }) {
  const upload = useMutation({
    async mutationFn(file: File) {
      const checked = await checkMedia(file, portraitRule)
      if (checked.problem) return checked.problem
      await uploadFile<MediaUploaded>({
        path: pathOf(api.uploadProfileImage, { params: { id: memorial.id } }),
        file: fileToSend(checked),
      })
      return null
    },
    onSuccess(problem) {
      if (problem) {
        refuse(problem)
        return
      }
      showToast({ title: messages.media.uploadSuccessTitle })
      onChanged()
    },
    onError: (error) =>
      showErrorToast(messages.media.uploadFailedTitle, errorText(error, messages.media.interrupted)),
  })
  function choose([file]: File[]) {
    if (!file || upload.isPending) return
    const problem = quickProblem(file, portraitRule)
    if (problem) refuse(problem)
    else upload.mutate(file)
  }
  function refuse(problem: FileProblem) {
    showErrorToast(problem.title, problemText(problem))
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

import { useMutation } from '@tanstack/react-query'
import { useId } from 'react'
import { api } from '#shared/api.ts'
import type { MediaUploaded } from '#shared/media/media.ts'
import type { Memorial, Privacy } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { firstNameOf } from '#shared/pages/page-titles.ts'
import { pathOf } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { showErrorToast, showToast, showFailure } from '#client/lib/toast-store.ts'
import { checkMedia, fileToSend, quickProblem } from '#client/lib/upload/check-media.ts'
import { accept, portraitRule, problemText, type FileProblem } from '#client/lib/upload/file-rules.ts'
import { uploadFile } from '#client/lib/upload/single-request.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { FileButton } from '#client/ui/forms/file-button.tsx'
import { PrivacyPill } from './privacy-pill.tsx'
import { useVisibility } from './use-visibility.tsx'
import styles from './owner-bar.module.css'

/** What the toggle does for each privacy setting. */
const TOGGLE: Record<Privacy, { to: Privacy; label: string; explanation: string }> = {
  LOCKED: {
    to: 'INVITE',
    label: 'Unlock to Invite',
    explanation:
      '“Unlock to Invite” closes the page to the public. People with your invitation can see it and add to it.',
  },
  INVITE: {
    to: 'LOCKED',
    label: 'Lock',
    explanation: '“Lock” makes it public. Anyone with the public link can see it, and nobody can add to it.',
  },
  PRIVATE: {
    to: 'INVITE',
    label: 'Unlock',
    explanation: '“Unlock” opens it to people with your invitation. They can see it and add to it.',
  },
}

/** An editor's tools: edit the memorial, see and change its privacy. */
export function OwnerBar({
  memorial,
  mayAdd,
  onChanged,
}: {
  memorial: Memorial
  /** The viewer may add media: the privacy is not LOCKED. */
  mayAdd: boolean
  onChanged: () => void
}) {
  const toggle = TOGGLE[memorial.privacy]
  const toggleId = useId()
  const visibility = useVisibility(memorial)
  return (
    <div className={styles.bar}>
      <PrivacyPill privacy={memorial.privacy} />
      <div className={`row ${styles.actions}`}>
        <ButtonLink to={links.editMemorial(memorial.id)} reloadDocument>
          Edit Memorial
        </ButtonLink>
        <Button
          aria-describedby={toggleId}
          aria-busy={visibility.isBusy}
          isBusy={visibility.isBusy}
          onClick={() => visibility.choose(toggle.to)}
        >
          {toggle.label}
        </Button>
        {visibility.button}
        {mayAdd && <PortraitButton memorial={memorial} onChanged={onChanged} />}
      </div>
      <p id={toggleId} className={`small-muted ${styles.explanation}`}>
        {toggle.explanation}
      </p>
      {visibility.notice}
    </div>
  )
}

/** Lets the owner add or replace the portrait in place. */
function PortraitButton({ memorial, onChanged }: { memorial: Memorial; onChanged: () => void }) {
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
    onError: (error) => showFailure(messages.media.uploadFailedTitle, error, messages.media.interrupted),
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

/** Shown to those who can write while there is no life story: a question to start with. */
export function StoryPrompt({ memorial }: { memorial: Memorial }) {
  return (
    <>
      <p className={styles.prompt}>
        Nothing is written yet. You could start with this: where was {firstNameOf(memorial.honoureeFullName)}{' '}
        born, and who were their parents?
      </p>
      <ButtonLink to={`${links.editMemorial(memorial.id)}?step=4`} reloadDocument>
        Write the life story
      </ButtonLink>
    </>
  )
}

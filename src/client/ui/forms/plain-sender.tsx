import { useContext } from 'react'
import { DISPLAY_NAME_MAX } from '#shared/limits.ts'
import { messages, thanksFor, type Added } from '#shared/messages.ts'
import type { ContributionForm } from '#shared/pages/plain-forms.ts'
import type { Contributor } from '#client/lib/contributor.ts'
import { PlainFormsContext } from '#client/lib/plain-forms.ts'
import { usePostedForm } from '#client/lib/server-rendering.ts'
import { TextField } from './field.tsx'
import { NameHint } from './name-hint.tsx'

type SenderProps = { form: ContributionForm; contributor: Contributor; required?: boolean }

/** In a form that is sent without script: the name that the app asks for in a dialog, and what names the page. */
export function PlainSender({ form, contributor, required = false }: SenderProps) {
  const plain = useContext(PlainFormsContext)
  const posted = usePostedForm(form)
  const needsName = contributor.sender === 'contributor' && contributor.displayName === null
  return (
    <>
      <input type="hidden" name="page" value={plain?.key} />
      {needsName && (
        <TextField
          label="Your name"
          name="name"
          id={`${form}-name`}
          hint={<NameHint />}
          error={posted?.problem.fields['name']}
          defaultValue={posted?.values['name']}
          maxLength={DISPLAY_NAME_MAX * 2}
          autoComplete="name"
          required={required}
        />
      )}
    </>
  )
}

/** Says that the family has got what a form without script has just added. */
export function PlainThanks({ of, sender }: { of: (kind: Added) => boolean; sender: Contributor['sender'] }) {
  const added = useContext(PlainFormsContext)?.added.filter(of) ?? []
  if (added.length === 0) return null
  const done = added.includes('message') ? messages.comment.postedTitle : messages.media.uploadedTitle
  return <p role="status">{sender === 'contributor' ? thanksFor(added) : done}</p>
}

import { useContext } from 'react'
import type { MediaType } from '#shared/media/media-types.ts'
import { messages } from '#shared/messages.ts'
import { FILES_FORM } from '#shared/pages/plain-forms.ts'
import { PlainSender, PlainThanks } from '#client/ui/forms/plain-sender.tsx'
import type { Contributor } from '#client/lib/contributor.ts'
import { PlainFormsContext } from '#client/lib/plain-forms.ts'
import { usePostedForm } from '#client/lib/server-rendering.ts'
import { accept } from '#client/lib/upload/file-rules.ts'
import { Button } from '#client/ui/button.tsx'
import { Field } from '#client/ui/forms/field.tsx'
import { limitsText } from './contributor-limits.ts'
import styles from './add-media.module.css'

/** The form for files that works without script, on a page that the server has written. */
export function PlainUpload({
  kinds,
  isUsedUp,
  contributor,
}: {
  kinds: readonly { type: MediaType; label: string; multiple: boolean }[]
  isUsedUp: (type: MediaType) => boolean
  contributor: Contributor
}) {
  const plain = useContext(PlainFormsContext)
  const posted = usePostedForm(FILES_FORM)
  const open = kinds.filter(({ type }) => !isUsedUp(type))
  return (
    // With script, the browser makes no elements of this.
    <noscript>
      {plain && (
        <form
          id={FILES_FORM}
          method="post"
          action={`#${FILES_FORM}`}
          encType="multipart/form-data"
          className={styles.plain}
        >
          <PlainThanks of={(kind) => kind !== 'message'} sender={contributor.sender} />
          {posted && !posted.problem.fields['name'] && (
            <p className={`error-text ${styles.problems}`} role="alert">
              {posted.problem.text}
            </p>
          )}
          {open.length > 0 && <PlainSender form={FILES_FORM} contributor={contributor} required />}
          {open.map(({ type, label, multiple }) => (
            <Field key={type} label={label}>
              {(control) => (
                <input {...control} type="file" name={type} accept={accept[type]} multiple={multiple} />
              )}
            </Field>
          ))}
          {kinds
            .filter(({ type }) => isUsedUp(type))
            .map(({ type }) => (
              <p key={type}>{messages.media.allAdded[type]}</p>
            ))}
          <p className="small-muted">
            {contributor.quotas && `${limitsText(contributor.quotas)} `}At most 100 MB can be sent at once.
            Photos are sent just as the camera made them; others see them without what the camera noted, such
            as the place.
          </p>
          {open.length > 0 && (
            <Button type="submit" variant="primary">
              Send these files
            </Button>
          )}
        </form>
      )}
    </noscript>
  )
}

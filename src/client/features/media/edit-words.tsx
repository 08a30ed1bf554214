import { useState } from 'react'
import { api } from '#shared/api.ts'
import { ALT_MAX, CAPTION_MAX } from '#shared/limits.ts'
import { updateMediaInput, type Media } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { inputErrors } from '#client/lib/form-errors.ts'
import { useForm } from '#client/lib/use-form.ts'
import { Button } from '#client/ui/button.tsx'
import { Dialog, DialogActions } from '#client/ui/dialog.tsx'
import { TextField } from '#client/ui/field.tsx'
import { Form } from '#client/ui/form.tsx'
import { captionAction } from './media.queries.ts'

const CAPTION_HINT = {
  IMAGE: 'Who, where, when: it stands under the photo.',
  VIDEO: 'Who, where, when: it stands under the video.',
  AUDIO: 'Who speaks, and what about: it stands above the recording.',
} as const

/** Edits the caption and other texts of a media item. */
export function EditMediaText({
  item,
  onSaved,
  onRefused,
  onClose,
}: {
  item: Media
  onSaved: (item: Media) => void
  /** Called when a write fails, because a contributor session may have ended. */
  onRefused: (error: unknown) => void
  onClose: () => void
}) {
  const [text, setText] = useState({ caption: item.caption ?? '', alt: item.alt ?? '' })
  const body = item.type === 'AUDIO' ? { caption: text.caption } : text
  const form = useForm({
    check() {
      const fields = inputErrors(updateMediaInput, body)
      return Object.keys(fields).length === 0 ? null : { text: messages.form.checkFields, fields }
    },
    async send() {
      try {
        onSaved(await call(api.updateMedia, { params: { id: item.id }, body }))
      } catch (error) {
        onRefused(error)
        throw error
      }
    },
    fallback: messages.system.network,
  })
  const errors = form.problem?.fields
  return (
    <Dialog title={captionAction(item)} onClose={onClose}>
      <Form name="words" title="Not saved" form={form} submit="Save" submitting="Saving…">
        <TextField
          id="words-caption"
          label="Caption"
          hint={CAPTION_HINT[item.type]}
          maxLength={CAPTION_MAX}
          error={errors?.['caption']}
          value={text.caption}
          onChange={(event) => setText({ ...text, caption: event.target.value })}
        />
        {item.type !== 'AUDIO' && (
          <TextField
            id="words-alt"
            label={item.type === 'VIDEO' ? 'What does this video show?' : 'What does this photo show?'}
            hint="For family who cannot see it."
            maxLength={ALT_MAX}
            error={errors?.['alt']}
            value={text.alt}
            onChange={(event) => setText({ ...text, alt: event.target.value })}
          />
        )}
      </Form>
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
      </DialogActions>
    </Dialog>
  )
}

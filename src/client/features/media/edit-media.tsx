import { api } from '#shared/api.ts'
import { CAPTION_FIELDS } from '#shared/fields.ts'
import { ALT_MAX, CAPTION_MAX } from '#shared/limits.ts'
import type { Media } from '#shared/media/media.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { checkFields, useForm } from '#client/lib/use-form.ts'
import { Button } from '#client/ui/button.tsx'
import { Dialog, DialogActions } from '#client/ui/dialog.tsx'
import { TextField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { captionAction } from './media.queries.ts'

const CAPTION_HINT = {
  IMAGE: 'Who, where, when. It appears under the photo.',
  VIDEO: 'Who, where, when. It appears under the video.',
  AUDIO: 'Who is speaking, and what about. It appears above the recording.',
} as const

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
  const hasAlt = item.type !== 'AUDIO'
  const toBody = (values: { caption: string; alt: string }) => (hasAlt ? values : { caption: values.caption })
  const { form, field } = useForm({
    name: 'words',
    initial: { caption: item.caption ?? '', alt: item.alt ?? '' },
    check: (values) => checkFields(CAPTION_FIELDS, values, messages.form.checkFields),
    async send(values) {
      try {
        onSaved(await call(api.updateMedia, { params: { id: item.id }, body: toBody(values) }))
      } catch (error) {
        onRefused(error)
        throw error
      }
    },
    fallback: messages.system.network,
  })
  return (
    <Dialog title={captionAction(item)} onClose={onClose}>
      <Form title="Not saved" form={form} submit="Save" submitting="Saving…">
        <TextField
          {...field('caption')}
          label="Caption"
          hint={CAPTION_HINT[item.type]}
          maxLength={CAPTION_MAX}
        />
        {hasAlt && (
          <TextField
            {...field('alt')}
            label={item.type === 'VIDEO' ? 'What does this video show?' : 'What does this photo show?'}
            hint="For family who cannot see it."
            maxLength={ALT_MAX}
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

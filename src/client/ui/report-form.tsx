import { reportMessages } from '#shared/removal/report-messages.ts'
import { api } from '#shared/api.ts'
import { REPORT_WORDS_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { REPORT_REASONS, reportErrors, type ReportReason } from '#shared/removal/report-reasons.ts'
import { call } from '#client/lib/call.ts'
import { useForm, type Problem } from '#client/lib/use-form.ts'
import { TextAreaField } from './forms/field.tsx'
import { Form } from './forms/form.tsx'
import styles from './forms/field.module.css'

function check({ reason }: { reason: string }): Problem | null {
  const text = reportErrors.reasonRequired
  return reason === '' ? { text, fields: { reason: text } } : null
}

/** Asks why somebody reports the message or media item with this id, and sends it. Without script the browser does. */
export function ReportForm({ id, onSent }: { id: string; onSent: () => void }) {
  const isMessage = id.startsWith('com_')
  const { form, field } = useForm<{ reason: ReportReason | ''; words: string }>({
    name: 'report',
    initial: { reason: '', words: '' },
    check,
    async send({ reason, words }) {
      if (reason === '') return
      const endpoint = isMessage ? api.reportComment : api.reportMedia
      await call(endpoint, { params: { id }, body: { reason, words } })
      onSent()
    },
    fallback: messages.system.network,
  })
  const { id: reasonId, value: chosen, onChange, error } = field('reason')
  return (
    <>
      <p className="small-muted">The family sees your reason. They don’t see who you are.</p>
      <Form title={reportMessages.failedTitle} form={form} submit="Send report" submitting="Sending…">
        <input type="hidden" name="form" value={isMessage ? 'report-message' : 'report-media'} />
        <input type="hidden" name="item" value={id} />
        <fieldset
          // Somebody may have chosen before the app came.
          ref={(fieldset) => {
            const early = fieldset?.querySelector<HTMLInputElement>(':checked')
            if (early && early.value !== chosen) onChange({ target: early })
          }}
          id={reasonId}
          tabIndex={-1}
          className={styles.choices}
          aria-invalid={error ? true : undefined}
        >
          <legend>What’s wrong with it?</legend>
          {REPORT_REASONS.map((reason) => (
            <label key={reason} className={styles.checkbox}>
              <input
                type="radio"
                name="reason"
                value={reason}
                checked={chosen === reason}
                onChange={onChange}
              />
              <span>{reportMessages.reasons[reason]}</span>
            </label>
          ))}
        </fieldset>
        <TextAreaField
          {...field('words')}
          label="Anything to add?"
          optional
          rows={3}
          max={REPORT_WORDS_MAX}
        />
      </Form>
    </>
  )
}

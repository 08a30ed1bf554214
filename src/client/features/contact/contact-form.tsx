import { useState } from 'react'
import { api } from '#shared/api.ts'
import { contactInput } from '#shared/accounts.ts'
import { CONTACT_MESSAGE_MAX, CONTACT_SUBJECT_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { call, errorText } from '#client/lib/call.ts'
import { inputErrors } from '#client/lib/form-errors.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'
import { useForm } from '#client/lib/use-form.ts'
import { Counter, EmailField, Field, TextAreaField } from '#client/ui/field.tsx'
import { Form } from '#client/ui/form.tsx'

/** Contact form: email, subject and message. The text stays if sending fails. `onSent` is called once it is stored. */
export function ContactForm({ initialEmail, onSent }: { initialEmail: string; onSent: () => void }) {
  const [values, setValues] = useState({ email: initialEmail, subject: '', message: '' })
  const form = useForm({
    check() {
      const fields = inputErrors(contactInput, values)
      return Object.keys(fields).length === 0 ? null : { text: messages.form.checkFields, fields }
    },
    async send() {
      try {
        await call(api.contact, { body: values })
      } catch (error) {
        showErrorToast(messages.contact.failedTitle, errorText(error, messages.contact.failedFallback))
        throw error
      }
      onSent()
    },
    fallback: messages.contact.failedFallback,
  })
  const field = (name: keyof typeof values) => ({
    id: `contact-${name}`,
    value: values[name],
    error: form.problem?.fields[name],
    onChange: (event: { target: { value: string } }) => setValues({ ...values, [name]: event.target.value }),
  })
  const { id: subjectId, error: subjectError, ...subject } = field('subject')
  return (
    <Form
      name="contact"
      title={messages.contact.failedTitle}
      form={form}
      submit="Send message"
      submitting="Sending …"
    >
      <EmailField {...field('email')} hint="We answer to this address." />
      <Field id={subjectId} label="Subject" error={subjectError}>
        {(control) => (
          <>
            <input type="text" {...subject} {...control} />
            <Counter text={values.subject} max={CONTACT_SUBJECT_MAX} />
          </>
        )}
      </Field>
      <TextAreaField {...field('message')} label="Message" rows={8} max={CONTACT_MESSAGE_MAX} />
    </Form>
  )
}

import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { REMOVAL_REASONS, toContactMessage } from '#shared/removal/removal-requests.ts'
import { api } from '#shared/api.ts'
import {
  DELETION_REQUEST_DAYS,
  REMOVAL_REQUEST_MEMORIAL_MAX,
  REMOVAL_REQUEST_WHAT_MAX,
} from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { checkRemoval } from '#client/features/accounts/form-checks.ts'
import { links } from '#client/lib/links.ts'
import { useOwnOrigin } from '#client/lib/server-rendering.ts'
import { useForm } from '#client/lib/use-form.ts'
import { EmailField, SelectField, TextAreaField, TextField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'

/** For people who can't remove it themselves: they aren't the owner, and their invitation is lost or never was. */
export default function RequestRemovalPage() {
  const [search] = useSearchParams()
  const [isSent, setSent] = useState(search.has('sent'))
  if (isSent) {
    return (
      <Page width="form">
        <PageTitle key="sent" takesFocus>
          {messages.contact.removalSentTitle}
        </PageTitle>
        <Notice kind="success">
          <p>{messages.contact.removalSentText}</p>
        </Notice>
      </Page>
    )
  }
  return (
    <Page width="form">
      <PageTitle key="form">{messages.contact.removalTitle}</PageTitle>
      <p>
        If you added something to a memorial, if it shows you, or if it’s wrong or hurts, you can ask us to
        remove it. If your invitation still works, you can remove what you added on the memorial itself.
      </p>
      <p>
        We may ask how we can tell it’s yours, and we’ll talk to the family who looks after the memorial. We
        answer within {DELETION_REQUEST_DAYS} days.
      </p>
      <RequestForm onSent={() => setSent(true)} />
    </Page>
  )
}

function RequestForm({ onSent }: { onSent: () => void }) {
  const [search] = useSearchParams()
  const [slug] = useState(() => search.get('memorial') ?? '')
  const { host } = new URL(useOwnOrigin())
  const { form, field } = useForm({
    name: 'request-removal',
    initial: {
      memorial: slug === '' ? '' : host + links.publicMemorial(slug),
      reason: '',
      what: '',
      email: '',
    },
    check: checkRemoval,
    async send(body) {
      await call(api.contact, { body: toContactMessage(body) })
      onSent()
    },
    fallback: messages.contact.failedFallback,
  })
  return (
    <Form title={messages.contact.removalFailedTitle} form={form} submit="Send request" submitting="Sending…">
      <TextField
        {...field('memorial')}
        label="Which memorial?"
        hint="Its address, or the name of the person who died."
        maxLength={REMOVAL_REQUEST_MEMORIAL_MAX}
      />
      <SelectField {...field('reason')} label="Why?" optional>
        <option value="">Choose a reason</option>
        {REMOVAL_REASONS.map((reason) => (
          <option key={reason}>{reason}</option>
        ))}
      </SelectField>
      <TextAreaField
        {...field('what')}
        label="What should be removed?"
        hint="For example, the photo at the church, or a message and the name under it. If something is wrong, say what’s right."
        rows={6}
        max={REMOVAL_REQUEST_WHAT_MAX}
      />
      <EmailField {...field('email')} hint="We’ll reply to this address. The family doesn’t see it." />
    </Form>
  )
}

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useSearchParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import type { ContactInput } from '#shared/accounts/accounts.ts'
import { CONTACT_MESSAGE_MAX, CONTACT_SUBJECT_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { SERVICE_TITLES } from '#shared/pages/page-titles.ts'
import { paths } from '#shared/pages/pages.ts'
import { call } from '#client/lib/call.ts'
import { checkContact } from '#client/features/accounts/form-checks.ts'
import { links, type ContactDraft } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { useSession } from '#client/lib/session.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { useForm } from '#client/lib/use-form.ts'
import { Button } from '#client/ui/button.tsx'
import { Counter, EmailField, Field, TextAreaField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Page, PageTitle, Skeleton } from '#client/ui/page.tsx'
import styles from './contact.module.css'

export default function ContactPage() {
  const draft = useLocation().state as ContactDraft | null
  const { user, isLoading } = useSession()
  const { data: config } = useQuery(endpointQuery(api.config, {}))
  const [search] = useSearchParams()
  const [view, setView] = useState<'form' | 'sent' | 'again'>(search.has('sent') ? 'sent' : 'form')
  if (view === 'sent') {
    return (
      <Page width="form">
        <PageTitle key="sent" takesFocus>
          {messages.contact.sentTitle}
        </PageTitle>
        <Notice kind="success">
          <p>{messages.contact.sentText}</p>
        </Notice>
        <form
          action={links.contact}
          onSubmit={(event) => {
            event.preventDefault()
            setView('again')
          }}
        >
          <Button type="submit">Send Another Message</Button>
        </form>
      </Page>
    )
  }
  return (
    <Page width="form">
      <PageTitle key="form" takesFocus={view === 'again'}>
        {SERVICE_TITLES[paths.contact]}
      </PageTitle>
      <p>
        Write to us about anything: a memorial, a payment, a plaque, or something that does not work. The{' '}
        <Link to={links.faq}>questions people ask most</Link> may already have the answer.
      </p>
      <p>
        Should something be removed from a memorial?{' '}
        <Link to={links.requestRemoval}>Ask us to remove it</Link>.
      </p>
      {isLoading ? (
        <Skeleton height="32rem" />
      ) : (
        <ContactForm
          initial={{ subject: '', message: '', ...(view === 'form' && draft), email: user?.email ?? '' }}
          onSent={() => {
            setView('sent')
            showToast({ title: messages.contact.sentTitle, text: messages.contact.sentText })
          }}
        />
      )}
      {config && (
        <p className={styles.also}>
          You can also write to <a href={`mailto:${config.supportEmail}`}>{config.supportEmail}</a>.
        </p>
      )}
    </Page>
  )
}

/** Contact form: email, subject and message. The text stays if sending fails. `onSent` is called once it is stored. */
function ContactForm({ initial, onSent }: { initial: ContactInput; onSent: () => void }) {
  const { form, values, field } = useForm({
    name: 'contact',
    initial,
    check: checkContact,
    async send(body) {
      await call(api.contact, { body })
      onSent()
    },
    fallback: messages.contact.failedFallback,
  })
  const { id: subjectId, error: subjectError, ...subject } = field('subject')
  return (
    <Form title={messages.contact.failedTitle} form={form} submit="Send message" submitting="Sending …">
      <EmailField {...field('email')} hint="We’ll reply to this address." />
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

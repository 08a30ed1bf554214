import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { SERVICE_TITLES } from '#shared/page-titles.ts'
import { paths } from '#shared/pages.ts'
import { ContactForm } from '#client/features/contact/contact-form.tsx'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { useSession } from '#client/lib/session.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Page, PageTitle, Skeleton } from '#client/ui/page.tsx'
import styles from './contact.module.css'

export default function ContactPage() {
  const { user, isLoading } = useSession()
  const { data: config } = useQuery(endpointQuery(api.config, {}))
  const [view, setView] = useState<'form' | 'sent' | 'again'>('form')
  if (view === 'sent') {
    return (
      <Page width="form">
        <PageTitle key="sent" takesFocus>
          {messages.contact.sentTitle}
        </PageTitle>
        <Notice kind="success">
          <p>{messages.contact.sentText}</p>
        </Notice>
        <Button onClick={() => setView('again')}>Send Another Message</Button>
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
      {isLoading ? (
        <Skeleton height="32rem" />
      ) : (
        <ContactForm
          initialEmail={user?.email ?? ''}
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

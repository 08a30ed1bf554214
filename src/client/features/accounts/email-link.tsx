import { useState, type ReactNode } from 'react'
import { ApiError, errorText } from '#client/lib/call.ts'
import { isLinkOver, usePostedForm } from '#client/lib/server-rendering.ts'
import { useForm } from '#client/lib/use-form.ts'
import { messages } from '#shared/messages.ts'
import { emailLinkMessages } from '#shared/accounts/email-link-messages.ts'
import { links } from '#client/lib/links.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Page, PageActions, PageTitle } from '#client/ui/page.tsx'

/** A link of a mail about another address: one button, because programs that check mails open links. */
export function EmailLink({
  name,
  title,
  text,
  button,
  send,
}: {
  name: string
  title: string
  text: string
  button: string
  send: () => Promise<void>
}) {
  const posted = usePostedForm(name)
  const [deadReason, setDeadReason] = useState(posted && isLinkOver(posted) ? posted.problem.text : null)
  const { form } = useForm({
    name,
    initial: {},
    check: () => null,
    async send() {
      try {
        await send()
      } catch (error) {
        if (error instanceof ApiError && error.status === 410)
          setDeadReason(errorText(error, messages.system.internal))
        throw error
      }
    },
    fallback: messages.system.internal,
  })
  if (deadReason !== null) return <EmailLinkSaid title={emailLinkMessages.deadTitle} text={deadReason} />
  return (
    <Page width="narrow">
      <PageTitle key="form">{title}</PageTitle>
      <Form
        title={messages.account.notChangedTitle}
        form={form}
        submit={button}
        submitting="One moment …"
        beside={<p>{text}</p>}
      >
        {null}
      </Form>
    </Page>
  )
}

/** What has become of the link. */
export function EmailLinkSaid({
  title,
  text,
  isGood = false,
  children,
}: {
  title: string
  text: string
  isGood?: boolean
  children?: ReactNode
}) {
  return (
    <Page width="narrow">
      <PageTitle key="said" takesFocus>
        {title}
      </PageTitle>
      <Notice kind={isGood ? 'success' : 'error'}>
        <p>{text}</p>
      </Notice>
      <PageActions>{children ?? <ButtonLink to={links.contact}>Contact support</ButtonLink>}</PageActions>
    </Page>
  )
}

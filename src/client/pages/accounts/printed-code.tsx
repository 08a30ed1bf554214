import { useState } from 'react'
import { Link } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { checkPrintedCode } from '#client/features/accounts/form-checks.ts'
import { call } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { forgetCachedMemorials } from '#client/lib/offline/service-worker.ts'
import { useRefreshSession } from '#client/lib/session.ts'
import { useForm } from '#client/lib/use-form.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { EmailField, PasswordField, TextField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'
import styles from '../../features/accounts/accounts.module.css'

/** `/printed-code`: signs in with one of the ten codes on paper, and sets a new password. */
export default function PrintedCodePage() {
  const [isIn, setIn] = useState(false)
  if (isIn) {
    return (
      <Page width="narrow">
        <PageTitle key="done" takesFocus>
          You’re signed in
        </PageTitle>
        <Notice kind="success">
          <p>
            Your new password is saved, and every other device is signed out. The code can’t be used again.
          </p>
        </Notice>
        <p>
          If you can’t open your old mailbox, please change your email address next. You’ll find it on your
          dashboard, under “Your account”. Have another code at hand: it stands for the old mailbox.
        </p>
        <div className={styles.actions}>
          <ButtonLink variant="primary" to={links.dashboard}>
            Go to my memorials
          </ButtonLink>
        </div>
      </Page>
    )
  }
  return (
    <Page width="narrow">
      <PageTitle key="form">Use a printed code</PageTitle>
      <p>
        For when you can open neither your account nor your mailbox. Each of the codes you printed works once.
      </p>
      <PrintedCodeForm onDone={() => setIn(true)} />
      <ul className={`tall-links ${styles.links}`}>
        <li>
          <Link to={links.forgotPassword}>I can open my mailbox</Link>
        </li>
        <li>
          <Link to={links.login}>Back to Login</Link>
        </li>
      </ul>
    </Page>
  )
}

function PrintedCodeForm({ onDone }: { onDone: () => void }) {
  const refreshSession = useRefreshSession()
  const { form, field } = useForm({
    name: 'printed-code',
    initial: { email: '', code: '', password: '' },
    check: checkPrintedCode,
    async send(body) {
      await call(api.signInByPrintedCode, { body })
      // What somebody else opened on this device.
      forgetCachedMemorials()
      onDone()
      await refreshSession()
    },
    fallback: messages.login.fallback,
  })
  return (
    <Form title={messages.login.failedTitle} form={form} submit="Sign in" submitting="Signing in …">
      <EmailField {...field('email')} />
      <TextField
        {...field('code')}
        label="Printed code"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        hint="16 letters and digits, such as ABCD-EFGH-JKMN-PQRS."
      />
      <PasswordField
        {...field('password')}
        label="New password"
        autoComplete="new-password"
        hint="At least 8 characters."
      />
    </Form>
  )
}

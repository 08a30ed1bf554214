import { useEffect, useState } from 'react'
import { Link, Navigate, useLocation, useNavigate, useSearchParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import type { ErrorCode } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import { LocalMailbox } from '#client/features/accounts/local-mailbox.tsx'
import { nextPath } from '#client/features/accounts/next-path.ts'
import { forgetRegisteredEmail } from '#client/features/accounts/registered-email.ts'
import { ApiError, call, errorText } from '#client/lib/call.ts'
import { formatDate } from '#client/lib/dates.ts'
import { deleteUserData } from '#client/lib/browser/device.ts'
import { checkLogin } from '#client/features/accounts/form-checks.ts'
import { links } from '#client/lib/links.ts'
import { forgetCachedMemorials } from '#client/lib/offline/service-worker.ts'
import { usePostedForm, useWithoutScript } from '#client/lib/server-rendering.ts'
import { useClearSession, useRefreshSession, useSession } from '#client/lib/session.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { useForm } from '#client/lib/use-form.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { EmailField, PasswordField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'
import styles from '../../features/accounts/accounts.module.css'

/** Navigation state from the previous screen: the user has just registered, confirmed the address, or deleted their account. */
export type LoginArrival = { email: string; registered?: true } | { deletedUntil: string }

export default function LoginPage() {
  const navigate = useNavigate()
  const { search, state } = useLocation()
  const [arrival] = useState(state as LoginArrival | null)
  const deletedUntil = arrival && 'deletedUntil' in arrival ? arrival.deletedUntil : null
  const forgetSession = useClearSession()
  useEffect(() => {
    if (deletedUntil === null) return
    deleteUserData()
    forgetSession()
    // Show the message once: after going back or reloading this is an ordinary login.
    void navigate(links.login, { replace: true, state: null })
  }, [deletedUntil, forgetSession, navigate])
  const refreshSession = useRefreshSession()
  const { user } = useSession()
  const onDone = async (message: string) => {
    // Clear data that the previous user of this device loaded.
    forgetCachedMemorials()
    forgetRegisteredEmail()
    await refreshSession()
    showToast({ title: message })
    if (deletedUntil !== null) void navigate(links.dashboard)
  }
  // Signed in just now, or before: skip the form.
  if (user && deletedUntil === null) return <Navigate to={nextPath(search)} replace />
  return (
    <Page width="narrow">
      <PageTitle>Login</PageTitle>
      {((arrival && 'registered' in arrival) || new URLSearchParams(search).has('registered')) && (
        <Notice kind="success">
          <p>{messages.register.success}</p>
          <LocalMailbox />
        </Notice>
      )}
      {deletedUntil !== null && (
        <Notice title={messages.account.deleted}>
          <p>
            We have sent you a mail about it. If you change your mind, sign in here before{' '}
            {formatDate(deletedUntil)}: everything then comes back as it was. After that it is gone for good.
          </p>
        </Notice>
      )}
      <LoginForm initialEmail={arrival && 'email' in arrival ? arrival.email : ''} onDone={onDone} />
      <ByPasskey onDone={onDone} />
      <p className={`tall-links ${styles.links}`}>
        <Link to={links.forgotPassword}>Forgot your password?</Link>
        <Link to={links.printedCode}>Use a printed code</Link>
      </p>
      <div className={styles.newcomer}>
        <p>Here for the first time?</p>
        <ButtonLink wide to={{ pathname: links.register, search }}>
          Create an account
        </ButtonLink>
      </div>
      <p className={`tall-links ${styles.links}`}>
        <Link to={links.home}>Back to Home</Link>
      </p>
    </Page>
  )
}

/** Signs in with a passkey, without an address. */
function ByPasskey({ onDone }: { onDone: (message: string) => Promise<void> }) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const isWithoutScript = useWithoutScript()
  async function signIn() {
    setProblem(null)
    setBusy(true)
    try {
      const { signInByPasskey } = await import('#client/features/accounts/passkey-sign-in.ts')
      const answer = await signInByPasskey()
      if ('message' in answer) await onDone(answer.message)
      else setProblem(answer.problem)
    } catch (error) {
      setProblem(errorText(error, messages.login.fallback))
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className={styles.passkey}>
      {problem !== null && (
        <Notice kind="error" title={messages.login.failedTitle} takesFocus>
          <p>{problem}</p>
        </Notice>
      )}
      {isWithoutScript ? (
        <p>Passkeys need a page with script.</p>
      ) : (
        <>
          <p className={styles.withoutScript}>
            Passkeys need JavaScript, which is turned off in this browser.
          </p>
          <Button wide className={styles.withScript} isBusy={isBusy} onClick={() => void signIn()}>
            Sign in with a passkey
          </Button>
        </>
      )}
    </div>
  )
}

/** Email and password. `onDone` is called after signing in, with the server's response. */
function LoginForm({
  initialEmail,
  onDone,
}: {
  initialEmail: string
  onDone: (message: string) => Promise<void>
}) {
  const [search] = useSearchParams()
  const sent = usePostedForm('login')
  const asked = usePostedForm('resend')
  const [refusal, setRefusal] = useState<ErrorCode | null>(asked ? 'email_unverified' : (sent?.code ?? null))
  // Without script, the new link was sent before this page came.
  const [isResent] = useState(search.has('resent'))
  const [resent, setResent] = useState<string | null>(isResent ? messages.verify.resent : null)
  const { form, values, field } = useForm({
    name: 'login',
    initial: { email: asked?.values['email'] ?? initialEmail, password: '' },
    check: checkLogin,
    async send(body) {
      let message: string
      try {
        ;({ message } = await call(api.login, { body }))
      } catch (error) {
        setRefusal(error instanceof ApiError ? error.code : null)
        throw error
      }
      await onDone(message)
    },
    fallback: messages.login.fallback,
  })
  const { form: resend } = useForm({
    name: 'resend',
    initial: {},
    check: () => null,
    async send() {
      const { message } = await call(api.resendVerification, { body: { email: values.email } })
      setResent(message)
    },
    fallback: messages.verify.fallback,
  })

  return (
    <Form
      title={messages.login.failedTitle}
      form={form}
      submit="Login"
      submitting="Signing in …"
      beside={
        <>
          {refusal === 'too_many_requests' && (
            <p>
              You don’t have to wait if you choose a new password:{' '}
              <Link to={links.forgotPassword}>Forgot password?</Link>
            </p>
          )}
          {refusal === 'email_unverified' && !resent && (
            <form method="post" onSubmit={resend.onSubmit}>
              <input type="hidden" name="form" value="resend" />
              <input type="hidden" name="email" value={values.email} />
              <p>
                <Button type="submit" disabled={resend.busy}>
                  Send a new link
                </Button>
              </p>
            </form>
          )}
          {resent && (
            <Notice kind="success" takesFocus={!isResent}>
              {resent}
            </Notice>
          )}
          {resend.problem && (
            <Notice kind="error" takesFocus>
              {resend.problem.text}
            </Notice>
          )}
        </>
      }
    >
      <EmailField {...field('email')} />
      <PasswordField {...field('password')} label="Password" autoComplete="current-password" />
    </Form>
  )
}

import { useState } from 'react'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { ApiError, call } from '#client/lib/call.ts'
import { forgetKept } from '#client/lib/offline/service-worker.ts'
import { useForm } from '#client/lib/use-form.ts'
import { Button } from '#client/ui/button.tsx'
import { EmailField, PasswordField } from '#client/ui/field.tsx'
import { Form } from '#client/ui/form.tsx'
import { Notice } from '#client/ui/notice.tsx'

/** For the element that replaces the button that was pressed. */
function takeFocus(element: HTMLElement | null): void {
  element?.focus()
}

/** Email and password. `onDone` is called after signing in, with the server's response. */
export function LoginForm({
  initialEmail,
  onDone,
}: {
  initialEmail: string
  onDone: (message: string) => Promise<void>
}) {
  const [email, setEmail] = useState(initialEmail)
  const [password, setPassword] = useState('')
  const [isUnverified, setUnverified] = useState(false)
  const [resent, setResent] = useState<string | null>(null)
  const form = useForm({
    check() {
      if (email.trim() && password) return null
      const fields = {
        ...(email.trim() ? {} : { email: messages.form.fillAll }),
        ...(password ? {} : { password: messages.form.fillAll }),
      }
      return { text: messages.form.fillAll, fields }
    },
    async send() {
      let message: string
      try {
        ;({ message } = await call(api.login, { body: { email, password } }))
      } catch (error) {
        setUnverified(error instanceof ApiError && error.code === 'email_unverified')
        throw error
      }
      // Clear data that the previous user of this device loaded.
      forgetKept()
      await onDone(message)
    },
    fallback: messages.login.fallback,
  })
  const resend = useForm({
    check: () => null,
    async send() {
      const { message } = await call(api.resendVerification, { body: { email } })
      setResent(message)
    },
    fallback: messages.verify.fallback,
  })

  return (
    <Form
      name="login"
      title={messages.login.failedTitle}
      form={form}
      submit="Login"
      submitting="Signing in …"
      beside={
        <>
          {isUnverified && !resent && (
            <form onSubmit={resend.onSubmit}>
              <p>
                <Button type="submit" disabled={resend.busy}>
                  Send a new link
                </Button>
              </p>
            </form>
          )}
          {resent && (
            <div ref={takeFocus} tabIndex={-1}>
              <Notice kind="success">{resent}</Notice>
            </div>
          )}
          {resend.problem && <Notice kind="error">{resend.problem.text}</Notice>}
        </>
      }
    >
      <EmailField
        id="login-email"
        value={email}
        error={form.problem?.fields['email']}
        onChange={(event) => setEmail(event.target.value)}
      />
      <PasswordField
        id="login-password"
        label="Password"
        autoComplete="current-password"
        value={password}
        error={form.problem?.fields['password']}
        onChange={(event) => setPassword(event.target.value)}
      />
    </Form>
  )
}

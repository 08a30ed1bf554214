import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams, useSearchParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { ApiError, call, errorText } from '#client/lib/call.ts'
import { checkReset } from '#client/features/accounts/form-checks.ts'
import { links } from '#client/lib/links.ts'
import { isLinkOver, usePostedForm, useWithoutScript } from '#client/lib/server-rendering.ts'
import { useRefreshSession, useSession } from '#client/lib/session.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { useForm } from '#client/lib/use-form.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { PasswordField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { ActionFailed, Notice } from '#client/ui/notice.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'
import styles from '../../features/accounts/accounts.module.css'

export default function ResetPasswordPage() {
  const { token } = useParams()
  // Remount for another link.
  return token ? (
    <ResetByLink key={token} token={token} />
  ) : (
    <DeadLink text={messages.password.invalidToken} />
  )
}

function ResetByLink({ token }: { token: string }) {
  const [search] = useSearchParams()
  const [isDone, setDone] = useState(search.has('done'))
  const refused = usePostedForm('reset')
  const [deadReason, setDeadReason] = useState(refused && isLinkOver(refused) ? refused.problem.text : null)
  const { user } = useSession()
  const refreshSession = useRefreshSession()
  if (deadReason !== null) return <DeadLink title={messages.reset.failedTitle} text={deadReason} />
  if (isDone) {
    return (
      <Page width="narrow">
        <PageTitle key="done" takesFocus>
          Password Reset Complete
        </PageTitle>
        <Notice kind="success">
          <p>{messages.reset.success}</p>
        </Notice>
        <div className={styles.actions}>
          <ButtonLink variant="primary" to={links.login}>
            Go to Login
          </ButtonLink>
        </div>
        <EndInvitations token={token} />
      </Page>
    )
  }
  return (
    <Page width="narrow">
      <PageTitle key="form">Set a new password</PageTitle>
      <ResetPasswordForm
        token={token}
        onDone={async () => {
          // The new password ended all sessions of the account, possibly this browser's too.
          if (user) await refreshSession()
          showToast({ title: messages.reset.success })
          setDone(true)
        }}
        onDeadLink={setDeadReason}
      />
      <div className={styles.actions}>
        <ButtonLink to={links.forgotPassword}>Request New Reset Link</ButtonLink>
      </div>
    </Page>
  )
}

/** For somebody whose account another person used: what that person may still have. */
function EndInvitations({ token }: { token: string }) {
  const [isAsking, setAsking] = useState(false)
  const isWithoutScript = useWithoutScript()
  const end = useMutation({
    mutationFn: () => call(api.endInvitations, { body: { token } }),
    onSettled: () => setAsking(false),
  })
  if (end.data) {
    return (
      <div className={styles.newcomer}>
        <Notice kind="success" takesFocus>
          <p>{end.data.message}</p>
        </Notice>
      </div>
    )
  }
  // It asks before it ends them, which needs script.
  if (isWithoutScript) return null
  return (
    <div className={`${styles.newcomer} ${styles.withScript}`}>
      <p>
        Could somebody else have used your account? They may still have invitation links to your memorials, or
        a passkey of their own. You can end all of them, and make new ones later.
      </p>
      <Button wide onClick={() => setAsking(true)}>
        Sign out everywhere and end invitations
      </Button>
      <ActionFailed title={messages.reset.notEndedTitle} error={end.error} />
      {isAsking && (
        <ConfirmDialog
          title="End all invitations?"
          confirmLabel="End all invitations"
          keepLabel="Keep them"
          busy={end.isPending}
          onConfirm={() => end.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>
            Everyone you invited, to any of your memorials, will need a new link from you. What they added
            stays. You’ll be signed out on every device, and passkeys and printed codes stop working.
          </p>
          <p>
            If somebody looks after a memorial with you, they still do. You can end that on its page, under
            “Who looks after this memorial”.
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}

/** A link without a token, or one that the server rejects. */
function DeadLink({ title, text }: { title?: string; text: string }) {
  return (
    <Page width="narrow">
      <PageTitle key="dead" takesFocus={title !== undefined}>
        Invalid Reset Link
      </PageTitle>
      <Notice kind="error" {...(title && { title })}>
        <p>{text}</p>
      </Notice>
      <div className={styles.actions}>
        <ButtonLink variant="primary" to={links.forgotPassword}>
          Request New Reset Link
        </ButtonLink>
        <ButtonLink to={links.login}>Back to Login</ButtonLink>
      </div>
    </Page>
  )
}

/** New password, twice. `onDone` is called after success, `onDeadLink` with the reason if the link no longer works. */
function ResetPasswordForm({
  token,
  onDone,
  onDeadLink,
}: {
  token: string
  onDone: () => Promise<void>
  onDeadLink: (text: string) => void
}) {
  const { form, field } = useForm({
    name: 'reset',
    initial: { password: '', confirmPassword: '' },
    check: checkReset(token),
    async send({ password }) {
      try {
        await call(api.resetPassword, { body: { token, password } })
      } catch (error) {
        if (error instanceof ApiError && error.status === 410)
          onDeadLink(errorText(error, messages.reset.invalid))
        throw error
      }
      await onDone()
    },
    fallback: messages.reset.fallback,
  })
  return (
    <Form title={messages.reset.failedTitle} form={form} submit="Set new password" submitting="Saving …">
      <PasswordField
        {...field('password')}
        label="New password"
        hint="At least 8 characters."
        autoComplete="new-password"
      />
      <PasswordField {...field('confirmPassword')} label="Confirm new password" autoComplete="new-password" />
    </Form>
  )
}

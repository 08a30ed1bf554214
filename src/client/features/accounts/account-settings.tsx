import { useMutation } from '@tanstack/react-query'
import { lazy } from 'react'
import { useNavigate } from 'react-router-dom'
import type { User } from '#shared/accounts/accounts.ts'
import { api } from '#shared/api.ts'
import { CHANGE_PASSWORD_FIELDS, PERSON_FIELDS } from '#shared/fields.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { deleteUserData } from '#client/lib/browser/device.ts'
import { links } from '#client/lib/links.ts'
import { useClearSession, useRefreshSession } from '#client/lib/session.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { checkFields, useForm } from '#client/lib/use-form.ts'
import { Button, ButtonAnchor } from '#client/ui/button.tsx'
import { Disclosure, Disclosures } from '#client/ui/disclosure.tsx'
import { LateDisclosure } from '#client/ui/late-disclosure.tsx'
import { PasswordField, TextField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { ActionFailed } from '#client/ui/notice.tsx'
import type { OwnMemorial } from './delete-account.tsx'
import { checkNewPassword } from './new-password.ts'
import styles from './accounts.module.css'

const DeleteAccount = lazy(() => import('./delete-account.tsx'))
const ChangeEmailForm = lazy(() => import('./change-email.tsx'))
const SignInKeys = lazy(() => import('./sign-in-keys.tsx'))
const SignedInDevices = lazy(() => import('./signed-in-devices.tsx'))

/** The user's account settings, collapsed by default. */
export function AccountSettings({ user, memorials }: { user: User; memorials: readonly OwnMemorial[] }) {
  return (
    <section className={styles.account} aria-labelledby="account">
      <h2 id="account">Your account</h2>
      <p>Signed in as {user.email}.</p>
      <Disclosures>
        <Disclosure title="Change your name">
          <div className={styles.form}>
            <ChangeNameForm user={user} />
          </div>
        </Disclosure>
        <LateDisclosure title="Change your email address">
          <div className={styles.form}>
            <ChangeEmailForm />
          </div>
        </LateDisclosure>
        <Disclosure title="Change your password">
          <div className={styles.form}>
            <ChangePasswordForm />
          </div>
        </Disclosure>
        <LateDisclosure title="Passkeys and printed codes">
          <SignInKeys user={user} />
        </LateDisclosure>
        <LateDisclosure title="Where you’re signed in">
          <SignedInDevices />
        </LateDisclosure>
        <Disclosure title="Sign out on every device">
          <SignOutEverywhere />
        </Disclosure>
        <Disclosure title="Download a copy of your data">
          <p>
            Your account, your payments and your memorials with all texts and messages, as one file. Photos
            and recordings are in it as links, which open while you are signed in.
          </p>
          <p>
            To keep the photos and recordings themselves, open a memorial and choose “Download everything” at
            its end.
          </p>
          <ButtonAnchor href={api.exportAccount.path} download>
            Download a copy
          </ButtonAnchor>
        </Disclosure>
        <LateDisclosure title="Delete your account">
          <div className={styles.form}>
            <DeleteAccount memorials={memorials} />
          </div>
        </LateDisclosure>
      </Disclosures>
    </section>
  )
}

function ChangeNameForm({ user }: { user: User }) {
  const refreshSession = useRefreshSession()
  const { form, field } = useForm({
    name: 'name',
    initial: { firstName: user.firstName, lastName: user.lastName },
    check: (body) => checkFields(PERSON_FIELDS, body),
    async send(body) {
      await call(api.updateAccount, { body })
      await refreshSession()
      showToast({ title: messages.account.nameChanged })
    },
    fallback: messages.system.internal,
  })
  return (
    <Form title={messages.account.notChangedTitle} form={form} submit="Save name" submitting="Saving …">
      <TextField {...field('firstName')} label="First name" autoComplete="given-name" />
      <TextField {...field('lastName')} label="Last name" autoComplete="family-name" />
    </Form>
  )
}

/** Changes the password after checking the current one. Other devices are signed out. */
function ChangePasswordForm() {
  const { form, field } = useForm({
    name: 'change',
    initial: { currentPassword: '', newPassword: '', confirmPassword: '' },
    check: (values) => checkNewPassword(CHANGE_PASSWORD_FIELDS, values, 'newPassword'),
    async send({ currentPassword, newPassword }, reset) {
      const { message } = await call(api.changePassword, { body: { currentPassword, newPassword } })
      reset()
      showToast({ title: message })
    },
    fallback: messages.reset.fallback,
  })
  return (
    <Form title={messages.account.notChangedTitle} form={form} submit="Change password" submitting="Saving …">
      <PasswordField {...field('currentPassword')} label="Current password" autoComplete="current-password" />
      <PasswordField
        {...field('newPassword')}
        label="New password"
        autoComplete="new-password"
        hint="At least 8 characters."
      />
      <PasswordField {...field('confirmPassword')} label="Confirm new password" autoComplete="new-password" />
    </Form>
  )
}

/** Ends all sessions of the user, for example after losing a phone. */
function SignOutEverywhere() {
  const navigate = useNavigate()
  const clearSession = useClearSession()
  const signOut = useMutation({
    mutationFn: () => call(api.signOutEverywhere, {}),
    onSuccess({ message }) {
      void navigate(links.home)
      deleteUserData()
      clearSession()
      showToast({ title: message })
    },
  })
  return (
    <>
      <p>
        If a phone is lost or somebody else has used your account: this signs you out here and on every other
        device.
      </p>
      <ActionFailed title={messages.logout.failedTitle} error={signOut.error} />
      <Button isBusy={signOut.isPending} onClick={() => signOut.mutate()}>
        Sign out everywhere
      </Button>
    </>
  )
}

import type { User } from '#shared/accounts.ts'
import { api } from '#shared/api.ts'
import { ButtonAnchor } from '#client/ui/button.tsx'
import { Disclosure, Disclosures } from '#client/ui/disclosure.tsx'
import styles from './account-settings.module.css'
import { ChangeNameForm } from './change-name-form.tsx'
import { ChangePasswordForm } from './change-password-form.tsx'
import { DeleteAccount, type OwnMemorial } from './delete-account.tsx'
import { SignOutEverywhere } from './sign-out-everywhere.tsx'

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
        <Disclosure title="Change your password">
          <div className={styles.form}>
            <ChangePasswordForm />
          </div>
        </Disclosure>
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
        <Disclosure title="Delete your account">
          <div className={styles.form}>
            <DeleteAccount memorials={memorials} />
          </div>
        </Disclosure>
      </Disclosures>
    </section>
  )
}

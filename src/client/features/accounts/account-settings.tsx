import type { User } from '#shared/accounts.ts'
import { Disclosure, Disclosures } from '#client/ui/disclosure.tsx'
import styles from './account-settings.module.css'
import { ChangeNameForm } from './change-name-form.tsx'
import { ChangePasswordForm } from './change-password-form.tsx'
import { SignOutEverywhere } from './sign-out-everywhere.tsx'

/** What a person can change about their own account, folded away until it is wanted. */
export function AccountSettings({ user }: { user: User }) {
  return (
    <section className={styles['account']} aria-labelledby="account">
      <h2 id="account">Your account</h2>
      <p>Signed in as {user.email}.</p>
      <Disclosures>
        <Disclosure title="Change your name">
          <div className={styles['form']}>
            <ChangeNameForm user={user} />
          </div>
        </Disclosure>
        <Disclosure title="Change your password">
          <div className={styles['form']}>
            <ChangePasswordForm />
          </div>
        </Disclosure>
        <Disclosure title="Sign out on every device">
          <SignOutEverywhere />
        </Disclosure>
      </Disclosures>
    </section>
  )
}

import { useNavigate } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { deleteUserData } from '#client/lib/device.ts'
import { links } from '#client/lib/links.ts'
import { checkFilled, useForm } from '#client/lib/use-form.ts'
import { PasswordField } from '#client/ui/field.tsx'
import { Form } from '#client/ui/form.tsx'

/** A memorial that is deleted with its owner's account. */
export type OwnMemorial = { id: string; honoureeFullName: string }

/** Deletes the account: lists what is deleted with it, and asks for the password. */
export function DeleteAccount({ memorials }: { memorials: readonly OwnMemorial[] }) {
  const navigate = useNavigate()
  const { form, field } = useForm({
    name: 'delete-account',
    initial: { password: '' },
    check: checkFilled,
    async send(body) {
      const { restorableUntil } = await call(api.deleteAccount, { body })
      deleteUserData()
      // The target screen clears the session: clearing it here would redirect this screen home first.
      void navigate(links.login, { state: { deletedUntil: restorableUntil } })
    },
    fallback: messages.system.internal,
  })
  return (
    <>
      {memorials.length === 0 ? (
        <p>This deletes your account. You have no memorials.</p>
      ) : (
        <>
          <p>
            This deletes your account and{' '}
            {memorials.length === 1 ? 'your memorial' : `your ${memorials.length} memorials`}, with all
            photos, recordings and messages, those of your family and friends too:
          </p>
          <ul>
            {memorials.map(({ id, honoureeFullName }) => (
              <li key={id}>{honoureeFullName}</li>
            ))}
          </ul>
          <p>
            Nobody will see them, and a QR code on a gravestone will stop working. The fee is not refunded.
            You may want to download a copy first.
          </p>
        </>
      )}
      <p>
        If you sign in again within 30 days, everything comes back as it was. After that it is gone for good.
      </p>
      <Form
        title={messages.account.notDeletedTitle}
        form={form}
        submit="Delete my account"
        submitting="Deleting …"
        variant="danger"
      >
        <PasswordField {...field('password')} label="Your password" autoComplete="current-password" />
      </Form>
    </>
  )
}

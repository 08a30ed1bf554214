import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { allQueriesOf } from '#client/lib/query-client.ts'
import { checkFilled, useForm } from '#client/lib/use-form.ts'
import { Button } from '#client/ui/button.tsx'
import { TextField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { ActionFailed } from '#client/ui/notice.tsx'
import styles from './sign-in-keys.module.css'

/** Sets up an admin's authenticator app: a QR code, and a first code that shows that it worked. */
export function NewAuthenticatorApp({ onDone }: { onDone: () => Promise<void> | void }) {
  const prepare = useMutation({ mutationFn: () => call(api.prepareAuthenticator, {}) })
  if (!prepare.data) {
    return (
      <>
        <ActionFailed title="This can’t be set up right now" error={prepare.error} />
        <Button isBusy={prepare.isPending} onClick={() => prepare.mutate()}>
          Set up an authenticator app
        </Button>
      </>
    )
  }
  const { secret, qrSvg } = prepare.data
  return (
    <>
      <p>Scan this with the app on your phone, or type the letters into it. You have five minutes.</p>
      <img
        className={styles.qr}
        src={`data:image/svg+xml,${encodeURIComponent(qrSvg)}`}
        alt="A code for your authenticator app. The same is below in letters."
      />
      <code className={styles.secret}>{secret.replaceAll(/(.{4})(?=.)/gu, '$1 ')}</code>
      <FirstCode onDone={onDone} />
    </>
  )
}

function FirstCode({ onDone }: { onDone: () => Promise<void> | void }) {
  const client = useQueryClient()
  const { form, field } = useForm({
    name: 'authenticator',
    initial: { code: '' },
    check: checkFilled,
    async send(body) {
      await call(api.addAuthenticator, { body })
      await client.invalidateQueries(allQueriesOf(api.accountKeys))
      await onDone()
    },
    fallback: messages.system.internal,
  })
  return (
    <Form title="The app isn’t set up yet" form={form} submit="Continue" submitting="Checking …">
      <TextField
        {...field('code')}
        label="Code that the app shows"
        inputMode="numeric"
        autoComplete="one-time-code"
        hint="Six digits."
      />
    </Form>
  )
}

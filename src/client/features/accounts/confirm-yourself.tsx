import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { AccountKeys } from '#shared/accounts/passkeys.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { askForPasskey, knowsPasskeys, passkeyError } from '#client/lib/browser/passkey.ts'
import { allQueriesOf } from '#client/lib/query-client.ts'
import { checkFilled, useForm } from '#client/lib/use-form.ts'
import { Button } from '#client/ui/button.tsx'
import { PasswordField, TextField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { Notice } from '#client/ui/notice.tsx'
import styles from './sign-in-keys.module.css'

/** What the user must do before the ways into the account change: as little as `keys.missing` says. */
export function ConfirmYourself({ keys, title }: { keys: AccountKeys; title: string }) {
  const { missing, passkeys, authenticator } = keys
  const client = useQueryClient()
  const onDone = () => client.invalidateQueries(allQueriesOf(api.accountKeys))
  if (!missing) return null
  const hasPasskey = passkeys.length > 0 && knowsPasskeys()
  return (
    <div className={styles.confirm}>
      <h3>{title}</h3>
      {hasPasskey && <ByPasskey onDone={onDone} />}
      {hasPasskey && (missing === 'CONFIRMATION' || authenticator) && <p className={styles.or}>or</p>}
      {missing === 'CONFIRMATION' ? (
        <ByPassword onDone={onDone} />
      ) : (
        authenticator && <ByCode onDone={onDone} />
      )}
    </div>
  )
}

type Done = { onDone: () => Promise<void> }

export function ByPasskey({ onDone }: Done) {
  const ask = useMutation({
    mutationFn: async () =>
      call(api.confirmByPasskey, { body: await askForPasskey(await call(api.confirmRequest, {})) }),
    onSuccess: onDone,
  })
  return (
    <>
      {ask.error && (
        <Notice key={ask.submittedAt} kind="error" takesFocus>
          <p>{passkeyError(ask.error)}</p>
        </Notice>
      )}
      <Button wide isBusy={ask.isPending} onClick={() => ask.mutate()}>
        Use a passkey
      </Button>
    </>
  )
}

function ByPassword({ onDone }: Done) {
  const { form, field } = useForm({
    name: 'confirm',
    initial: { password: '' },
    check: checkFilled,
    async send(body) {
      await call(api.confirmByPassword, { body })
      await onDone()
    },
    fallback: messages.system.internal,
  })
  return (
    <Form title="This wasn’t confirmed" form={form} submit="Continue" submitting="Checking …">
      <PasswordField {...field('password')} label="Your password" autoComplete="current-password" />
    </Form>
  )
}

/** The code of an admin's authenticator app. */
export function ByCode({ onDone }: Done) {
  const { form, field } = useForm({
    name: 'second-factor',
    initial: { code: '' },
    check: checkFilled,
    async send(body, reset) {
      await call(api.useAuthenticator, { body })
      reset()
      await onDone()
    },
    fallback: messages.system.internal,
  })
  return (
    <Form title="This wasn’t confirmed" form={form} submit="Continue" submitting="Checking …">
      <TextField
        {...field('code')}
        label="Code from your authenticator app"
        inputMode="numeric"
        autoComplete="one-time-code"
        hint="Six digits. A new one comes every 30 seconds."
      />
    </Form>
  )
}

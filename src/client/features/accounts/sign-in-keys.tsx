import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '#shared/accounts/accounts.ts'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import type { Passkey } from '#shared/accounts/passkeys.ts'
import { call } from '#client/lib/call.ts'
import { formatDate } from '#client/lib/dates.ts'
import { allQueriesOf, endpointQuery } from '#client/lib/query-client.ts'
import { checkFilled, useForm } from '#client/lib/use-form.ts'
import { Button } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { TextField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { ActionFailed, LoadError, Notice } from '#client/ui/notice.tsx'
import { Loading, Skeleton } from '#client/ui/page.tsx'
import { NewAuthenticatorApp } from './authenticator-app.tsx'
import { ConfirmYourself } from './confirm-yourself.tsx'
import { NewPasskey } from './new-passkey.tsx'
import { PrintedCodes } from './printed-codes.tsx'
import rows from './account-list.module.css'
import styles from './sign-in-keys.module.css'

const keysQuery = endpointQuery(api.accountKeys, {})

/** The ways into the account besides its password. */
export default function SignInKeys({ user }: { user: User }) {
  // What was confirmed minutes ago may be over by now.
  const { data, error, refetch } = useQuery({ ...keysQuery, refetchOnMount: 'always' })
  const [said, setSaid] = useState<{ text: string; at: number } | null>(null)
  const say = (text: string) => setSaid({ text, at: Date.now() })
  if (!data && error) {
    return <LoadError title="We can’t show this right now" error={error} onRetry={() => void refetch()} />
  }
  if (!data) {
    return (
      <Loading label="Loading your passkeys">
        <Skeleton height="8rem" />
      </Loading>
    )
  }
  const canChange = data.missing === null
  return (
    <>
      <p>
        With a passkey you sign in as you unlock your phone or computer: with your finger, your face or a PIN.
        Your password still works.
      </p>
      {said && (
        <Notice key={said.at} kind="success" takesFocus>
          <p>{said.text}</p>
        </Notice>
      )}
      {data.passkeys.length === 0 ? (
        <p>You have no passkey yet.</p>
      ) : (
        <ul className={rows.list}>
          {data.passkeys.map((passkey) => (
            <OnePasskey key={passkey.id} passkey={passkey} canRemove={canChange} onSaid={say} />
          ))}
        </ul>
      )}
      <ConfirmYourself keys={data} title="To change something here, first confirm that it’s you" />
      {canChange && <NewPasskey onDone={say} />}
      <PrintedCodes keys={data} email={user.email} />
      {user.isAdmin && (
        <section className={styles.section} aria-labelledby="authenticator">
          <h3 id="authenticator">Authenticator app</h3>
          {data.authenticator ? (
            <>
              <p>Added {formatDate(data.authenticator.addedAt)}. Its codes open the console.</p>
              {canChange && <RemoveApp onSaid={say} />}
            </>
          ) : (
            <>
              <p>Its codes open the console where you have no passkey.</p>
              {canChange && <NewAuthenticatorApp onDone={() => say('Your authenticator app is set up.')} />}
            </>
          )}
        </section>
      )}
    </>
  )
}

type Said = { onSaid: (text: string) => void }

function OnePasskey({ passkey, canRemove, onSaid }: Said & { passkey: Passkey; canRemove: boolean }) {
  const { id, name, addedAt, lastUsedAt } = passkey
  const [open, setOpen] = useState<'rename' | 'remove' | null>(null)
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => call(api.removePasskey, { params: { passkeyId: id } }),
    onSuccess: ({ message }) => onSaid(message),
    onSettled: async () => {
      setOpen(null)
      await client.invalidateQueries(allQueriesOf(api.accountKeys))
    },
  })
  const used = lastUsedAt === null ? 'not used yet' : `last used ${formatDate(lastUsedAt)}`
  const ofIt = <span className="visually-hidden"> the passkey {name}</span>
  return (
    <li className="row spread">
      <div>
        <p className={styles.name}>{name}</p>
        <p className="small-muted">
          Added {formatDate(addedAt)}, {used}
        </p>
      </div>
      <div className="row">
        <Button
          aria-expanded={open === 'rename'}
          onClick={() => setOpen(open === 'rename' ? null : 'rename')}
        >
          Rename{ofIt}
        </Button>
        {canRemove && <Button onClick={() => setOpen('remove')}>Remove{ofIt}</Button>}
      </div>
      <ActionFailed title="The passkey wasn’t removed" error={remove.error} />
      {open === 'rename' && (
        <Rename
          passkey={passkey}
          onSaid={(text) => {
            setOpen(null)
            onSaid(text)
          }}
        />
      )}
      {open === 'remove' && (
        <ConfirmDialog
          title={`Remove “${name}”?`}
          confirmLabel="Remove it"
          busy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setOpen(null)}
        >
          <p>It will no longer sign you in. Your password still works.</p>
        </ConfirmDialog>
      )}
    </li>
  )
}

function Rename({ passkey, onSaid }: Said & { passkey: Passkey }) {
  const client = useQueryClient()
  const { form, field } = useForm({
    name: `name-${passkey.id}`,
    initial: { name: passkey.name },
    check: checkFilled,
    async send(body) {
      const { message } = await call(api.renamePasskey, { params: { passkeyId: passkey.id }, body })
      await client.invalidateQueries(allQueriesOf(api.accountKeys))
      onSaid(message)
    },
    fallback: messages.system.internal,
  })
  return (
    <div className={styles.rename}>
      <Form title="The name wasn’t saved" form={form} submit="Save name" submitting="Saving …">
        <TextField {...field('name')} label="Name of the passkey" autoComplete="off" />
      </Form>
    </div>
  )
}

function RemoveApp({ onSaid }: Said) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => call(api.removeAuthenticator, {}),
    onSuccess: ({ message }) => onSaid(message),
    onSettled: () => client.invalidateQueries(allQueriesOf(api.accountKeys)),
  })
  return (
    <>
      <ActionFailed title="The app wasn’t removed" error={remove.error} />
      <Button isBusy={remove.isPending} onClick={() => remove.mutate()}>
        Remove the app
      </Button>
    </>
  )
}

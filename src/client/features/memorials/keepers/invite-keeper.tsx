import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import { keeperMessages } from '#shared/keepers/keeper-messages.ts'
import { KEEPER_ROLES, type KeeperRole } from '#shared/keepers/keepers.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { allQueriesOf } from '#client/lib/query-client.ts'
import { useForm } from '#client/lib/use-form.ts'
import { TextField } from '#client/ui/forms/field.tsx'
import field from '#client/ui/forms/field.module.css'
import { Form } from '#client/ui/forms/form.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { ShareText } from '#client/ui/share-text.tsx'

const { roles, mayShort, emailHint, inviteTitle, notInvited, linkOnce, mailed } = keeperMessages

/** The form by which an owner invites somebody to look after the memorial, and the link that it made: it is shown once. */
export function InviteKeeper({ memorial }: { memorial: Memorial }) {
  const client = useQueryClient()
  const [role, setRole] = useState<KeeperRole>('KEEPER')
  const [made, setMade] = useState<{ link: string | null; email: string } | null>(null)
  const { form, field: fieldOf } = useForm({
    name: 'invite-keeper',
    initial: { email: '' },
    check: () => null,
    async send({ email }, reset) {
      const { link } = await call(api.inviteKeeper, { params: { id: memorial.id }, body: { role, email } })
      setMade({ link, email })
      reset()
      await client.invalidateQueries(allQueriesOf(api.listKeepers, { id: memorial.id }))
    },
    fallback: messages.system.internal,
  })
  return (
    <>
      <h3>{inviteTitle}</h3>
      {made && (
        <Notice kind="success" takesFocus>
          {made.link === null ? (
            <p>{mailed(made.email)}</p>
          ) : (
            <>
              <p>{linkOnce}</p>
              <ShareText
                url={made.link}
                words={`${keeperMessages.asks(memorial.honoureeFullName)}.`}
                title={keeperMessages.asks(memorial.honoureeFullName)}
                copyLabel="Copy the link"
                copiedTitle="Link copied"
              />
            </>
          )}
        </Notice>
      )}
      <Form title={notInvited} form={form} submit="Invite" submitting="Inviting…">
        <fieldset className={field.choices}>
          <legend>What may they do?</legend>
          {KEEPER_ROLES.map((one) => (
            <label key={one} className={field.checkbox}>
              <input type="radio" name="role" checked={role === one} onChange={() => setRole(one)} />
              <span>
                <b>{roles[one]}</b>: {mayShort[one]}
              </span>
            </label>
          ))}
        </fieldset>
        <TextField
          {...fieldOf('email')}
          label="Their email"
          optional
          hint={emailHint}
          type="email"
          autoComplete="off"
        />
      </Form>
    </>
  )
}

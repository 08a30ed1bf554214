import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import { invitationMessages } from '#shared/invites/invitation-messages.ts'
import { INVITATION_NAME } from '#shared/invites/invitation-name.ts'
import type { Invitation } from '#shared/invites/invites.ts'
import { INVITATION_NAME_MAX, PIN_DIGITS_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { problemOf } from '#shared/text-rules.ts'
import { call } from '#client/lib/call.ts'
import { copyText } from '#client/lib/browser/copy-text.ts'
import { formatDate } from '#client/lib/dates.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { useForm } from '#client/lib/use-form.ts'
import { Button } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { TextField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { ActionFailed, LoadError, Notice } from '#client/ui/notice.tsx'
import styles from './invitations.module.css'
import share from './share-card.module.css'

const words = invitationMessages
const queryFor = (id: string) => endpointQuery(api.listInvitations, { params: { id } })

/** The links by which people come in: how many each let in, how to end one of them, and a form for another. */
export default function Invitations({ memorialId }: { memorialId: string }) {
  const { data, error, refetch } = useQuery(queryFor(memorialId))
  if (error) return <LoadError title={words.listFailed} error={error} onRetry={() => void refetch()} />
  if (!data) return null
  return (
    <>
      <p className="small-muted">{words.intro}</p>
      <ul className={styles.list}>
        {data.invitations.map((invitation) => (
          <Row key={invitation.id} memorialId={memorialId} invitation={invitation} />
        ))}
      </ul>
      <AddInvitation memorialId={memorialId} />
    </>
  )
}

function Row({ memorialId, invitation }: { memorialId: string; invitation: Invitation }) {
  const { name, inviteLink, endsAt, hasPin, people } = invitation
  // A new answer comes with every change, so this needs no clock.
  const [isOver] = useState(() => endsAt !== null && Date.parse(endsAt) <= Date.now())
  const isOpen = !isOver && inviteLink !== null
  const facts = [
    words.people(people),
    endsAt !== null && (isOver ? words.ended : words.ends)(formatDate(endsAt)),
    hasPin && words.withPin,
  ]
  return (
    <li>
      <p>
        <b>
          <bdi>{name ?? words.first}</bdi>
        </b>
      </p>
      <p className="small-muted">{facts.filter(Boolean).join(' · ')}</p>
      {name !== null && (
        <>
          {isOpen && (
            <input
              className={share.link}
              aria-label={`Invitation link: ${name}`}
              value={inviteLink}
              readOnly
              onFocus={(event) => event.currentTarget.select()}
            />
          )}
          <div className={`row ${share.actions}`}>
            {isOpen && (
              <Button
                aria-label={`Copy invitation link: ${name}`}
                onClick={() => void copyText(inviteLink, messages.share.copiedTitle)}
              >
                Copy
              </Button>
            )}
            <End memorialId={memorialId} id={invitation.id} name={name} />
          </div>
        </>
      )}
    </li>
  )
}

/** Ends one link after a question. */
function End({ memorialId, id, name }: { memorialId: string; id: string; name: string }) {
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const end = useMutation({
    mutationFn: () => call(api.endInvitation, { params: { id: memorialId, linkId: id } }),
    onSuccess: () => client.invalidateQueries(queryFor(memorialId)),
    onError: () => setAsking(false),
  })
  return (
    <>
      <Button variant="quiet" aria-label={`${words.end}: ${name}`} onClick={() => setAsking(true)}>
        {words.end}
      </Button>
      <ActionFailed title={words.notEnded} error={end.error} />
      {isAsking && (
        <ConfirmDialog
          title={words.endTitle(name)}
          confirmLabel={words.end}
          busy={end.isPending}
          onConfirm={() => end.mutate()}
          onClose={() => !end.isPending && setAsking(false)}
        >
          <p>{words.endText}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

/** The end of a day (`YYYY-MM-DD`) where the user is, as an instant; null for none. */
function endOf(day: string): string | null {
  return day === '' ? null : new Date(`${day}T23:59:59`).toISOString()
}

const INITIAL = { name: '', endsAt: '', pin: '' }

function AddInvitation({ memorialId }: { memorialId: string }) {
  const client = useQueryClient()
  const [made, setMade] = useState<string | null>(null)
  const { form, field } = useForm({
    name: 'add-invitation',
    initial: INITIAL,
    check({ name }) {
      const problem = problemOf(INVITATION_NAME, name)
      return problem === null ? null : { text: problem, fields: { name: problem } }
    },
    async send({ name, endsAt, pin }, reset) {
      const list = await call(api.addInvitation, {
        params: { id: memorialId },
        body: { name, endsAt: endOf(endsAt), pin },
      })
      client.setQueryData(queryFor(memorialId).queryKey, list)
      setMade(INVITATION_NAME.clean(name))
      reset()
    },
    fallback: messages.system.internal,
  })
  return (
    <>
      <h3>{words.addTitle}</h3>
      {made !== null && (
        <Notice key={made} kind="success" takesFocus>
          <p>{words.made(made)}</p>
        </Notice>
      )}
      <Form title={words.notMade} form={form} submit="Make the link" submitting="Making the link…">
        <TextField
          {...field('name')}
          label="Name of the link"
          hint={words.nameHint}
          maxLength={2 * INVITATION_NAME_MAX}
          autoComplete="off"
        />
        <TextField {...field('endsAt')} label="Last day" optional hint={words.endHint} type="date" />
        <TextField
          {...field('pin')}
          label="PIN"
          optional
          hint={words.pinHint}
          inputMode="numeric"
          autoComplete="off"
          maxLength={2 * PIN_DIGITS_MAX}
        />
      </Form>
    </>
  )
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import { SUCCESSOR_FIELDS } from '#shared/fields.ts'
import { fillPath } from '#shared/fill-path.ts'
import { SUCCESSION_MONTHS, SUCCESSORS_MAX } from '#shared/limits.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { paths } from '#shared/pages/pages.ts'
import { successorMessages } from '#shared/keepers/successor-messages.ts'
import type { Succession, SuccessionMonths, Successor } from '#shared/keepers/successors.ts'
import { call } from '#client/lib/call.ts'
import { formatDate } from '#client/lib/dates.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { checkFields, useForm } from '#client/lib/use-form.ts'
import { Button } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { Checkbox, SelectField, TextField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { ActionFailed, LoadError, Notice } from '#client/ui/notice.tsx'
import { ShareText } from '#client/ui/share-text.tsx'
import rows from './item-list.module.css'

const {
  intro,
  howItWorks,
  noneYet,
  listFailed,
  monthsLabel,
  months,
  notChanged,
  removeText,
  addTitle,
  unpaid,
} = successorMessages
const queryFor = (id: string) => endpointQuery(api.listSuccessors, { params: { id } })

/** Who may ask for the memorial after its owner: for the owner to name, and for admins to see. */
export function Successors({ memorial, isOwner }: { memorial: Memorial; isOwner: boolean }) {
  const { data, error, refetch } = useQuery(queryFor(memorial.id))
  if (error) return <LoadError title={listFailed} error={error} onRetry={() => void refetch()} />
  if (!data) return null
  const { successors, afterMonths } = data
  return (
    <>
      <p className="small-muted">{intro}</p>
      <p className="small-muted">{howItWorks(afterMonths)}</p>
      {successors.length === 0 && <p>{noneYet}</p>}
      <ul className={rows.list}>
        {successors.map((one) => (
          <li key={one.id}>
            <div className={rows.facts}>
              <p>
                <bdi>{one.name}</bdi>
              </p>
              <p className="small-muted">
                {one.email} · since {formatDate(one.createdAt)}
              </p>
            </div>
            {isOwner && <Remove memorialId={memorial.id} successor={one} />}
          </li>
        ))}
      </ul>
      {isOwner && successors.length > 0 && <After memorialId={memorial.id} afterMonths={afterMonths} />}
      {isOwner && successors.length < SUCCESSORS_MAX && <Name memorial={memorial} />}
      {isOwner && successors.length > 0 && <PassOn memorial={memorial} />}
    </>
  )
}

/** After how many months we ask. Saved as soon as it changes. */
function After({ memorialId, afterMonths }: { memorialId: string; afterMonths: SuccessionMonths }) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (chosen: SuccessionMonths) =>
      call(api.changeSuccession, { params: { id: memorialId }, body: { afterMonths: chosen } }),
    onSuccess: (found: Succession) => client.setQueryData(queryFor(memorialId).queryKey, found),
  })
  return (
    <>
      <SelectField
        label={monthsLabel}
        value={change.isPending ? change.variables : afterMonths}
        disabled={change.isPending}
        onChange={({ currentTarget }) => change.mutate(Number(currentTarget.value) as SuccessionMonths)}
      >
        {SUCCESSION_MONTHS.map((one) => (
          <option key={one} value={one}>
            {months(one)}
          </option>
        ))}
      </SelectField>
      <ActionFailed title={notChanged} error={change.error} />
    </>
  )
}

function PassOn({ memorial }: { memorial: Memorial }) {
  const title = successorMessages.passOnTitle(memorial.honoureeFullName)
  return (
    <>
      <h3>{successorMessages.passOnHeading}</h3>
      <p>{successorMessages.passOn}</p>
      <ShareText
        url={window.location.origin + fillPath(paths.successor, { id: memorial.id })}
        words={`${title}.`}
        title={title}
        copyLabel="Copy the link"
        copiedTitle="Link copied"
      />
    </>
  )
}

function Remove({ memorialId, successor: { id, name } }: { memorialId: string; successor: Successor }) {
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: () => call(api.removeSuccessor, { params: { id: memorialId, successorId: id } }),
    onSuccess: () => client.invalidateQueries(queryFor(memorialId)),
    onError: () => setAsking(false),
  })
  return (
    <>
      <Button aria-label={`Remove ${name}`} onClick={() => setAsking(true)}>
        Remove
      </Button>
      <ActionFailed title={successorMessages.notRemoved} error={remove.error} />
      {isAsking && (
        <ConfirmDialog
          title={successorMessages.removeTitle(name)}
          confirmLabel="Remove"
          busy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => !remove.isPending && setAsking(false)}
        >
          <p>{removeText}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function Name({ memorial }: { memorial: Memorial }) {
  const client = useQueryClient()
  const [tells, setTells] = useState(false)
  const [added, setAdded] = useState<string | null>(null)
  const { form, field: fieldOf } = useForm({
    name: 'name-successor',
    initial: { name: '', email: '' },
    check: (values) => checkFields(SUCCESSOR_FIELDS, values),
    async send({ name, email }, reset) {
      const found = await call(api.nameSuccessor, {
        params: { id: memorial.id },
        body: { name, email, tell: tells },
      })
      setAdded(name)
      setTells(false)
      reset()
      client.setQueryData(queryFor(memorial.id).queryKey, found)
    },
    fallback: messages.system.internal,
  })
  if (!memorial.isPaid) return <p>{unpaid}</p>
  return (
    <>
      <h3>{addTitle}</h3>
      {added !== null && (
        <Notice kind="success" takesFocus>
          <p>{successorMessages.added(added)}</p>
        </Notice>
      )}
      <Form title={successorMessages.notAdded} form={form} submit="Name them" submitting="Naming…">
        <TextField {...fieldOf('name')} label={successorMessages.nameLabel} autoComplete="off" />
        <TextField
          {...fieldOf('email')}
          label={successorMessages.emailLabel}
          hint={successorMessages.emailHint}
          type="email"
          autoComplete="off"
        />
        <Checkbox
          label={successorMessages.tellLabel}
          hint={successorMessages.tellHint}
          isChecked={tells}
          onChange={setTells}
        />
      </Form>
    </>
  )
}

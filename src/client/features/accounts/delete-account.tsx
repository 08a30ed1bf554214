import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { leavingMessages } from '#shared/keepers/leaving-messages.ts'
import type { Keeper } from '#shared/keepers/keepers.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { deleteUserData } from '#client/lib/browser/device.ts'
import { links } from '#client/lib/links.ts'
import { checkFilled, useForm } from '#client/lib/use-form.ts'
import { PasswordField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { LoadError } from '#client/ui/notice.tsx'
import { Loading, Skeleton } from '#client/ui/page.tsx'
import { RadioChoices } from '#client/ui/forms/radio-choices.tsx'

/** A memorial of the account, which is deleted with it or goes to one of its keepers. */
export type OwnMemorial = { id: string; honoureeFullName: string; isPaid: boolean }
type KeptMemorial = OwnMemorial & { heirs: Keeper[] }

const DELETE = 'DELETE'

/** Deletes the account, once everybody is known to whom its memorials can go. */
export default function DeleteAccount({ memorials }: { memorials: readonly OwnMemorial[] }) {
  const { data, error, refetch } = useQuery({
    queryKey: [api.deleteAccount.path, ...memorials.map(({ id }) => id)],
    queryFn: () => Promise.all(memorials.map(withHeirs)),
    // Somebody may have begun or stopped looking after one of them.
    refetchOnMount: 'always',
  })
  if (error)
    return <LoadError title="We can’t show this right now" error={error} onRetry={() => void refetch()} />
  if (!data) {
    return (
      <Loading label="Loading what belongs to your account">
        <Skeleton height="8rem" />
      </Loading>
    )
  }
  const kept = data.filter(({ heirs }) => heirs.length > 0)
  return <DeleteForm memorials={memorials} kept={kept} onRefused={refetch} />
}

/** A memorial with the keepers to whom it can go. A draft goes to nobody. */
async function withHeirs({ id, honoureeFullName, isPaid }: OwnMemorial): Promise<KeptMemorial> {
  const keepers = isPaid ? (await call(api.listKeepers, { params: { id } })).keepers : []
  const heirs = keepers.filter(({ role }) => role === 'KEEPER')
  return { id, honoureeFullName, isPaid, heirs }
}

/** Lists what is deleted with the account, asks what becomes of the memorials with keepers, and for the password. */
function DeleteForm({
  memorials,
  kept,
  onRefused,
}: {
  memorials: readonly OwnMemorial[]
  kept: readonly KeptMemorial[]
  onRefused: () => Promise<unknown>
}) {
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<Record<string, string>>({})
  const isKept = (id: string) => kept.some((one) => one.id === id)
  const deleted = memorials.filter(({ id }) => !isKept(id) || chosen[id] === DELETE)
  const isGiven = kept.some(({ id }) => chosen[id] !== undefined && chosen[id] !== DELETE)
  const { form, field } = useForm({
    name: 'delete-account',
    initial: { password: '' },
    check(values) {
      const isOpen = kept.some(({ id }) => chosen[id] === undefined)
      return isOpen ? { text: leavingMessages.chooseFirst, fields: {} } : checkFilled(values)
    },
    async send({ password }) {
      const choices = kept.map(({ id }) => {
        const choice = chosen[id] ?? DELETE
        return { memorialId: id, keeperId: choice === DELETE ? null : choice }
      })
      try {
        const body = { password, memorials: choices }
        const { restorableUntil } = await call(api.deleteAccount, { body })
        deleteUserData()
        // The target screen clears the session: clearing it here would redirect this screen home first.
        void navigate(links.login, { state: { deletedUntil: restorableUntil } })
      } catch (error) {
        await onRefused()
        throw error
      }
    },
    fallback: messages.system.internal,
  })
  return (
    <>
      {kept.map(({ id, honoureeFullName, heirs }) => (
        <RadioChoices
          key={id}
          question={leavingMessages.whatBecomes(honoureeFullName)}
          choices={Object.fromEntries([
            ...heirs.map((heir) => [heir.id, { name: leavingMessages.giveTo(heir.name) }] as const),
            [DELETE, { name: leavingMessages.deleteToo }] as const,
          ])}
          value={chosen[id] ?? ''}
          onChoose={(choice) => setChosen({ ...chosen, [id]: choice })}
        />
      ))}
      {isGiven && <p>{leavingMessages.givenStays}</p>}
      {deleted.length === 0 ? (
        <p>This deletes your account.{memorials.length === 0 && ' You have no memorials.'}</p>
      ) : (
        <>
          <p>
            This deletes your account and{' '}
            {deleted.length === 1 ? 'your memorial' : `your ${deleted.length} memorials`}, with all photos,
            recordings and messages, those of your family and friends too:
          </p>
          <ul>
            {deleted.map(({ id, honoureeFullName }) => (
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
        If you sign in again within 30 days, everything {isGiven && 'else '}comes back as it was. After that
        it is gone for good.
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

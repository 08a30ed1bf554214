import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { api } from '#shared/api.ts'
import { handoverMessages } from '#shared/keepers/handover-messages.ts'
import type { Handover, Keeper } from '#shared/keepers/keepers.ts'
import { messages } from '#shared/messages.ts'
import { call, errorFields, errorText } from '#client/lib/call.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { Button } from '#client/ui/button.tsx'
import { ConfirmDialog, Dialog, DialogActions } from '#client/ui/dialog.tsx'
import { PasswordField } from '#client/ui/forms/field.tsx'
import { ActionFailed, Notice } from '#client/ui/notice.tsx'

const texts = handoverMessages
const ENDPOINTS = {
  end: api.endHandover,
  accept: api.acceptHandover,
  takeBack: api.takeBackHandover,
} as const

/** What is offered or was handed over, and what this person can do about it. */
export function HandoverNotice({
  memorialId,
  owner,
  isOwner,
  handover,
}: {
  memorialId: string
  owner: string
  isOwner: boolean
  handover: Handover | null
}) {
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const act = useMutation({
    mutationFn: (what: keyof typeof ENDPOINTS) => call(ENDPOINTS[what], { params: { id: memorialId } }),
    // The whole page depends on whose the memorial is.
    onSuccess: () => client.invalidateQueries(),
    onSettled: () => setAsking(false),
  })
  const failed = <ActionFailed title={texts.notDone} error={act.error} />
  if (!handover) {
    return (
      <>
        {failed}
        {act.isSuccess && (
          <Notice kind="success" takesFocus>
            <p>{act.variables === 'takeBack' ? texts.isYoursAgain : texts.offerEnded}</p>
          </Notice>
        )}
      </>
    )
  }
  const { state, isYou, name } = handover
  const until = formatDateTime(handover.until)
  const isOffered = state === 'OFFERED'
  const press = (what: keyof typeof ENDPOINTS, label: string) => (
    <Button isBusy={act.isPending && act.variables === what} onClick={() => act.mutate(what)}>
      {label}
    </Button>
  )
  return (
    <>
      <Notice key={state} kind={isYou || isOwner ? 'warning' : 'info'} takesFocus={act.isSuccess}>
        <p>{sentence(handover, isOwner, owner, until)}</p>
        {isOffered && isYou && <p>{texts.takeOverText(owner)}</p>}
        <div className="row">
          {isOffered && isYou && (
            <Button variant="primary" onClick={() => setAsking(true)}>
              {texts.accept}
            </Button>
          )}
          {isOffered && (isYou || isOwner) && press('end', isOwner ? texts.withdraw : texts.decline)}
          {!isOffered && isYou && press('takeBack', texts.takeBack)}
        </div>
      </Notice>
      {failed}
      {isAsking && (
        <ConfirmDialog
          title={texts.acceptTitle}
          confirmLabel={texts.accept}
          keepLabel="Not now"
          variant="primary"
          busy={act.isPending}
          onConfirm={() => act.mutate('accept')}
          onClose={() => !act.isPending && setAsking(false)}
        >
          <p>{texts.takeOverText(name === owner ? name : owner)}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function sentence({ state, isYou, name }: Handover, isOwner: boolean, owner: string, until: string): string {
  if (state === 'OFFERED') {
    if (isOwner) return texts.offered(name, until)
    return isYou ? texts.offeredToYou(owner, until) : texts.offeredTo(name, until)
  }
  if (isOwner) return texts.takenOver(name, until)
  return isYou ? texts.handedOver(owner, until) : texts.takenOverFrom(name, until)
}

/** The owner offers the memorial to this keeper, and proves by the password that it's them. */
export function OfferHandover({ memorialId, keeper }: { memorialId: string; keeper: Keeper }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button onClick={() => setAsking(true)}>{texts.offer(keeper.name)}</Button>
      {isAsking && <OfferDialog memorialId={memorialId} keeper={keeper} onClose={() => setAsking(false)} />}
    </>
  )
}

function OfferDialog({
  memorialId,
  keeper: { id, name },
  onClose,
}: {
  memorialId: string
  keeper: Keeper
  onClose: () => void
}) {
  const client = useQueryClient()
  const [password, setPassword] = useState('')
  const offer = useMutation({
    async mutationFn() {
      await call(api.confirmByPassword, { body: { password } })
      await call(api.offerHandover, { params: { id: memorialId }, body: { keeperId: id } })
    },
    async onSuccess() {
      await client.invalidateQueries()
      onClose()
    },
  })
  const passwordProblem = errorFields(offer.error)['password']
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!offer.isPending) offer.mutate()
  }
  return (
    <Dialog title={texts.offerTitle(name)} onClose={onClose}>
      <p>{texts.offerText(name)}</p>
      {offer.error && !passwordProblem && (
        <Notice kind="error" title={texts.notOffered} takesFocus>
          <p>{errorText(offer.error, messages.system.internal)}</p>
        </Notice>
      )}
      <form noValidate onSubmit={submit}>
        <PasswordField
          label="Your password"
          autoComplete="current-password"
          value={password}
          error={passwordProblem}
          onChange={({ currentTarget }) => {
            setPassword(currentTarget.value)
            offer.reset()
          }}
        />
        <DialogActions>
          <Button onClick={onClose}>Keep it</Button>
          <Button type="submit" variant="primary" disabled={offer.isPending}>
            {texts.offerButton}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

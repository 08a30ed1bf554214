import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, useState } from 'react'
import { api } from '#shared/api.ts'
import { handoverMessages } from '#shared/keepers/handover-messages.ts'
import { keeperMessages } from '#shared/keepers/keeper-messages.ts'
import {
  KEEPER_ROLES,
  type Keeper,
  type KeeperInvite,
  type KeeperList,
  type KeeperRights,
} from '#shared/keepers/keepers.ts'
import type { Memorial, ViewerRole } from '#shared/memorials/memorials.ts'
import { successorMessages } from '#shared/keepers/successor-messages.ts'
import { call } from '#client/lib/call.ts'
import { formatDate } from '#client/lib/dates.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { Button } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { Disclosures } from '#client/ui/disclosure.tsx'
import { LateDisclosure } from '#client/ui/late-disclosure.tsx'
import { Checkbox, SelectField } from '#client/ui/forms/field.tsx'
import { ActionFailed, LoadError } from '#client/ui/notice.tsx'
import rows from '../item-list.module.css'
import { FamilyActions } from './family-actions.tsx'
import { HandoverNotice, OfferHandover } from './handover.tsx'
import { InviteKeeper } from './invite-keeper.tsx'

const { roles, title, intro, mayExport, mayExportHint, noneYet, removeText, leaveText } = keeperMessages
const Successors = lazy(async () => ({ default: (await import('../successors.tsx')).Successors }))
const queryFor = (id: string) => endpointQuery(api.listKeepers, { params: { id } })

/** Who looks after the memorial: for its owner to invite, change and remove; for the others to see, and to stop. */
export function Keepers({ memorial, role }: { memorial: Memorial; role: ViewerRole }) {
  const isOwner = role === 'OWNER'
  return (
    <div className={rows.section}>
      <Disclosures>
        <LateDisclosure title={title}>
          <KeepersOf memorial={memorial} isOwner={isOwner} />
        </LateDisclosure>
        {(isOwner || role === 'ADMIN') && (
          <LateDisclosure title={successorMessages.title}>
            <Successors memorial={memorial} isOwner={isOwner} />
          </LateDisclosure>
        )}
      </Disclosures>
    </div>
  )
}

function KeepersOf({ memorial, isOwner }: { memorial: Memorial; isOwner: boolean }) {
  const { data, error, refetch } = useQuery(queryFor(memorial.id))
  if (error)
    return <LoadError title={keeperMessages.listFailed} error={error} onRetry={() => void refetch()} />
  if (!data) return null
  const canTakeBack = data.handover?.state === 'TAKEN_OVER' && data.handover.isYou
  return (
    <>
      <p className="small-muted">{isOwner ? intro : keeperMessages.ownedBy(data.owner.name)}</p>
      <HandoverNotice
        memorialId={memorial.id}
        owner={data.owner.name}
        isOwner={isOwner}
        handover={data.handover}
      />
      {isOwner && data.keepers.length === 0 && <p>{noneYet}</p>}
      <ul className={rows.list}>
        {data.keepers.map((keeper) => (
          <li key={keeper.id}>
            <div className={rows.facts}>
              <p>
                <bdi>{keeper.name}</bdi>
                {keeper.isYou && ' (you)'}
              </p>
              <p className="small-muted">{factsOf(keeper)}</p>
            </div>
            {isOwner && <Rights memorialId={memorial.id} keeper={keeper} />}
            {isOwner && keeper.role === 'KEEPER' && memorial.isPaid && !data.handover && (
              <OfferHandover memorialId={memorial.id} keeper={keeper} />
            )}
            {(isOwner || keeper.isYou) && (
              <Remove memorialId={memorial.id} keeper={keeper} canTakeBack={canTakeBack} />
            )}
          </li>
        ))}
      </ul>
      {isOwner && (
        <>
          <Invites memorialId={memorial.id} invites={data.invites} />
          <InviteKeeper memorial={memorial} />
        </>
      )}
      <FamilyActions memorialId={memorial.id} />
    </>
  )
}

function factsOf({ role, email, createdAt, seenAt }: Keeper): string {
  return [
    roles[role],
    email,
    `since ${formatDate(createdAt)}`,
    seenAt === null ? keeperMessages.neverSeen : `last here ${formatDate(seenAt)}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** What a keeper may do. Saved as soon as it changes. */
function Rights({ memorialId, keeper }: { memorialId: string; keeper: Keeper }) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (rights: KeeperRights) =>
      call(api.changeKeeper, { params: { id: memorialId, keeperId: keeper.id }, body: rights }),
    onSuccess: (list: KeeperList) => client.setQueryData(queryFor(memorialId).queryKey, list),
  })
  const { role, mayExport: isAllowed } = change.isPending ? change.variables : keeper
  return (
    <div className={rows.within}>
      <SelectField
        label={`What ${keeper.name} may do`}
        hint={keeperMessages.mayShort[role]}
        value={role}
        disabled={change.isPending}
        onChange={({ currentTarget }) =>
          change.mutate({ role: currentTarget.value as Keeper['role'], mayExport: isAllowed })
        }
      >
        {KEEPER_ROLES.map((one) => (
          <option key={one} value={one}>
            {roles[one]}
          </option>
        ))}
      </SelectField>
      {role === 'KEEPER' && (
        <Checkbox
          label={mayExport}
          hint={mayExportHint}
          isChecked={isAllowed}
          isBusy={change.isPending}
          onChange={(isChecked) => change.mutate({ role, mayExport: isChecked })}
        />
      )}
      <ActionFailed title={keeperMessages.notChanged} error={change.error} />
    </div>
  )
}

/** The owner removes a keeper, or a keeper stops, after a question. */
function Remove({
  memorialId,
  keeper,
  canTakeBack,
}: {
  memorialId: string
  keeper: Keeper
  canTakeBack: boolean
}) {
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const { isYou, name } = keeper
  const remove = useMutation({
    mutationFn: () => call(api.removeKeeper, { params: { id: memorialId, keeperId: keeper.id } }),
    async onSuccess() {
      if (isYou) window.location.assign(links.dashboard)
      else await client.invalidateQueries(queryFor(memorialId))
    },
    onError: () => setAsking(false),
  })
  return (
    <>
      <Button aria-label={isYou ? undefined : `Remove ${name}`} onClick={() => setAsking(true)}>
        {isYou ? keeperMessages.leave : 'Remove'}
      </Button>
      <ActionFailed title={keeperMessages.notRemoved} error={remove.error} />
      {isAsking && (
        <ConfirmDialog
          title={isYou ? keeperMessages.leaveTitle : keeperMessages.removeTitle(name)}
          confirmLabel={isYou ? keeperMessages.leave : 'Remove'}
          busy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => !remove.isPending && setAsking(false)}
        >
          <p>{isYou ? leaveText : removeText}</p>
          {isYou && canTakeBack && <p>{handoverMessages.leavingEndsIt}</p>}
        </ConfirmDialog>
      )}
    </>
  )
}

function Invites({ memorialId, invites }: { memorialId: string; invites: readonly KeeperInvite[] }) {
  const client = useQueryClient()
  const revoke = useMutation({
    mutationFn: (inviteId: string) => call(api.revokeKeeperInvite, { params: { id: memorialId, inviteId } }),
    onSettled: () => client.invalidateQueries(queryFor(memorialId)),
  })
  if (invites.length === 0) return null
  return (
    <>
      <h3>Open invitations</h3>
      <ul className={rows.list}>
        {invites.map((invite) => (
          <li key={invite.id}>
            <div className={rows.facts}>
              <p>{invite.email ?? 'By a link'}</p>
              <p className="small-muted">
                {roles[invite.role]} · works once, until {formatDate(invite.expiresAt)}
              </p>
            </div>
            <Button
              aria-label={`Take back: ${roles[invite.role]}, ${invite.email ?? 'by a link'}, until ${formatDate(invite.expiresAt)}`}
              isBusy={revoke.isPending && revoke.variables === invite.id}
              onClick={() => revoke.mutate(invite.id)}
            >
              Take back
            </Button>
          </li>
        ))}
      </ul>
      <ActionFailed title={keeperMessages.notRevoked} error={revoke.error} />
    </>
  )
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Comment } from '#shared/comments/comments.ts'
import type { HeldMedia } from '#shared/removal/held.ts'
import { formatRelative } from '#client/lib/dates.ts'
import { decideHeld, setBlocked } from '#client/lib/held.ts'
import { Button } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { More } from '#client/ui/more.tsx'
import { ItemFacts } from '../item-list.tsx'

type Props = {
  memorialId: string
  item: HeldMedia | Comment
  /** Tells its buttons from those of other items. */
  name: string
  /** Milliseconds; when the list was opened. */
  now: number
  onUsed: () => void
}

/** One thing that waits for an approver: to show or decline, alone or with everything that this person left. */
export function HeldItem({ memorialId, item, name, now, onUsed }: Props) {
  const client = useQueryClient()
  const show = useMutation({
    mutationFn: () => decideHeld(client, memorialId, 'show', { ids: [item.id] }),
    onMutate: onUsed,
  })
  const decline = useMutation({
    mutationFn: () => decideHeld(client, memorialId, 'decline', { ids: [item.id] }),
    onMutate: onUsed,
  })
  return (
    <>
      <ItemFacts name={name} item={item} isWhole>
        {formatRelative(item.createdAt, Math.max(now, Date.parse(item.createdAt)))}
      </ItemFacts>
      <div className="row">
        <Button
          aria-label={`Show: ${name}`}
          data-decision="show"
          isBusy={show.isPending}
          onClick={() => show.mutate()}
        >
          Show
        </Button>
        <Button
          variant="quiet"
          aria-label={`Decline: ${name}`}
          data-decision="decline"
          isBusy={decline.isPending}
          onClick={() => decline.mutate()}
        >
          Decline
        </Button>
        <PersonButtons memorialId={memorialId} item={item} name={name} onUsed={onUsed} />
      </div>
    </>
  )
}

/** Behind "More": everything of this person at once. Nothing for what the owner added. */
function PersonButtons({ memorialId, item, name, onUsed }: Omit<Props, 'now'>) {
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const contributorId = 'body' in item ? item.authorContributorId : item.contributorId
  const person = ('body' in item ? item.authorName : item.contributorName) ?? ''
  const showAll = useMutation({
    mutationFn: (id: string) => decideHeld(client, memorialId, 'show', { contributorId: id }),
    onMutate: onUsed,
  })
  const block = useMutation({
    mutationFn: (id: string) => setBlocked(client, memorialId, id, true),
    onMutate: onUsed,
    onSettled: () => setAsking(false),
  })
  if (!contributorId) return null
  return (
    <More of={name}>
      <Button
        variant="quiet"
        isBusy={showAll.isPending}
        onClick={() => showAll.mutate(contributorId)}
      >{`Show all by ${person}`}</Button>
      <Button variant="quiet" onClick={() => setAsking(true)}>{`Block ${person}`}</Button>
      {isAsking && (
        <BlockDialog
          person={person}
          isBusy={block.isPending}
          onConfirm={() => block.mutate(contributorId)}
          onClose={() => setAsking(false)}
        />
      )}
    </More>
  )
}

/** Asks before somebody is blocked, and says what that does. */
export function BlockDialog({
  person,
  isBusy,
  onConfirm,
  onClose,
}: {
  person: string
  isBusy: boolean
  onConfirm: () => void
  onClose: () => void
}) {
  return (
    <ConfirmDialog
      title={`Block ${person}?`}
      confirmLabel="Block"
      keepLabel="Don’t block"
      busy={isBusy}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>Everything they added is hidden at once, and so is anything they add later.</p>
      <p>They aren’t told, and see their own as before. You can unblock them under “Who added what”.</p>
    </ConfirmDialog>
  )
}

import { heldMessages } from '#shared/removal/held-messages.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { HeldGroup } from '#shared/removal/held.ts'
import { HELD_PAGE } from '#shared/limits.ts'
import { decideHeld, heldQuery } from '#client/lib/held.ts'
import { Button } from '#client/ui/button.tsx'
import { HeldItem } from './held-item.tsx'
import { ItemRows } from '../item-list.tsx'
import styles from '../item-list.module.css'

/** What rules hold, folded so that nobody reads it unprepared: the newest of each rule, more on request, and how many are like it. */
export function MayHurt({
  memorialId,
  groups,
  now,
  onUsed,
}: {
  memorialId: string
  groups: HeldGroup[]
  now: number
  onUsed: () => void
}) {
  const count = groups.reduce((sum, group) => sum + group.count, 0)
  if (count === 0) return null
  return (
    <details>
      <summary className={styles.fold}>May hurt to read ({count})</summary>
      <p className="small-muted">
        We keep these apart so that you don’t come upon them unprepared. You can decline them without reading
        them. If one was meant kindly, show it.
      </p>
      {groups.map((group) => (
        <Group key={group.reason} memorialId={memorialId} group={group} now={now} onUsed={onUsed} />
      ))}
    </details>
  )
}

function Group({
  memorialId,
  group,
  now,
  onUsed,
}: {
  memorialId: string
  group: HeldGroup
  now: number
  onUsed: () => void
}) {
  const client = useQueryClient()
  const { reason } = group
  const [isMore, setMore] = useState(false)
  const more = useQuery({ ...heldQuery(memorialId, reason), enabled: isMore })
  const { count, media, comments } = more.data?.mayHurt.find((each) => each.reason === reason) ?? group
  const declineAll = useMutation({
    mutationFn: () => decideHeld(client, memorialId, 'decline', { reason }),
    onMutate: onUsed,
  })
  const why = heldMessages.reasons[reason]
  const items = [...media, ...comments].toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
  return (
    <section className={styles.group} aria-label={why}>
      <h3>
        {why} ({count})
      </h3>
      <p>
        <Button
          aria-label={`Decline ${count === 1 ? 'it' : `all ${count}`}: ${why}`}
          isBusy={declineAll.isPending}
          onClick={() => declineAll.mutate()}
        >
          {count === 1 ? 'Decline it' : `Decline all ${count}`}
        </Button>
      </p>
      <details>
        <summary className={styles.fold}>{count === 1 ? 'Read it' : 'Read the newest'}</summary>
        <ItemRows items={items}>
          {(item, name) => (
            <HeldItem memorialId={memorialId} item={item} name={name} now={now} onUsed={onUsed} />
          )}
        </ItemRows>
        {count > items.length && (
          <p className="small-muted">And {(count - items.length).toLocaleString('en')} like it.</p>
        )}
        {count > items.length && items.length < HELD_PAGE && (
          <Button isBusy={more.isFetching} onClick={() => setMore(true)}>
            Show more
          </Button>
        )}
      </details>
    </section>
  )
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { HeldInput } from '#shared/removal/held.ts'
import { decideHeld, heldQuery } from '#client/lib/held.ts'
import { useHashFocus } from '#client/lib/browser/window-hooks.ts'
import { Button } from '#client/ui/button.tsx'
import { WAITING } from '#client/ui/held-note.tsx'
import news from '../news.module.css'
import { DecidedItems } from './decided-items.tsx'
import { useDecisionKeys } from './decision-keys.ts'
import { LetInRequests } from '../contributors/let-in-requests.tsx'
import { HeldItem } from './held-item.tsx'
import { useListHeading, withNames } from '../item-list.tsx'
import { MayHurt } from './may-hurt.tsx'
import styles from '../item-list.module.css'

/** At the top of a memorial: how many new things wait for an approver, and how many are kept apart. Renders nothing if there are none. */
export function HeldNotice({ memorialId }: { memorialId: string }) {
  const { data } = useQuery(heldQuery(memorialId))
  if (!data) return null
  const text = noticeText(
    data.count + data.asking.length,
    data.mayHurt.reduce((sum, group) => sum + group.count, 0),
  )
  if (text === null) return null
  return (
    <p className={`tall-links ${news.news}`}>
      <a href={`#${WAITING}`}>{text}</a>
    </p>
  )
}

/** Names what is kept apart, too: a rule may be wrong, and nothing kind may be held for ever. */
function noticeText(waiting: number, apart: number): string | null {
  const newThings = (count: number) => (count === 1 ? '1 new thing is' : `${count} new things are`)
  if (waiting === 0 && apart === 0) return null
  if (waiting === 0) return `${newThings(apart)} kept apart: ${apart === 1 ? 'it' : 'they'} may hurt to read`
  const waits = `${newThings(waiting)} waiting for you`
  return apart === 0 ? waits : `${waits}, and ${apart} kept apart`
}

/** What waits for an approver, to show or decline. Renders nothing if there is nothing. */
export function HeldItems({ memorialId, isPrivate }: { memorialId: string; isPrivate: boolean }) {
  const client = useQueryClient()
  const { data } = useQuery(heldQuery(memorialId))
  // From a mail, which leads here before the list is.
  useHashFocus(data !== undefined)
  const [now] = useState(() => Date.now())
  // Before the heading's: it takes the focus only if nothing is left.
  const list = useDecisionKeys()
  const { heading, isUsed, markUsed } = useListHeading()
  const showAll = useMutation({
    mutationFn: (input: HeldInput) => decideHeld(client, memorialId, 'show', input),
    onMutate: markUsed,
  })
  const count = data?.count ?? 0
  if (!data || (count === 0 && data.mayHurt.length + data.asking.length === 0 && !data.hasDecided && !isUsed))
    return null
  const items = [...data.media, ...data.comments].toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
  const isWhole = count === items.length
  return (
    <section className={styles.section} aria-labelledby={WAITING}>
      <h2 ref={heading} id={WAITING} tabIndex={-1}>
        Waiting for you
      </h2>
      <p className="small-muted">
        {count === 0
          ? 'Nothing is waiting.'
          : 'Only you and the people who added these can see them. Show them or decline them: nobody is told.'}
      </p>
      {count > 1 && (
        <p>
          <Button
            isBusy={showAll.isPending}
            // Nobody shows what they haven't seen.
            onClick={() => showAll.mutate(isWhole ? {} : { ids: items.map(({ id }) => id) })}
          >
            {isWhole ? `Show all ${count}` : `Show these ${items.length}`}
          </Button>
        </p>
      )}
      {items.length > 1 && (
        <p className={`small-muted ${styles.keys}`}>
          With a keyboard: <kbd>↑</kbd> and <kbd>↓</kbd> move between these, <kbd>S</kbd> shows one,{' '}
          <kbd>D</kbd> declines it.
        </p>
      )}
      <LetInRequests memorialId={memorialId} isPrivate={isPrivate} requests={data.asking} onUsed={markUsed} />
      <ul className={styles.list} ref={list}>
        {withNames(items).map(({ item, name }) => (
          <li key={item.id}>
            <HeldItem memorialId={memorialId} item={item} name={name} now={now} onUsed={markUsed} />
          </li>
        ))}
      </ul>
      {count > items.length && (
        <p className="small-muted">
          And {(count - items.length).toLocaleString('en')} more. You’ll see the rest after these.
        </p>
      )}
      <MayHurt memorialId={memorialId} groups={data.mayHurt} now={now} onUsed={markUsed} />
      {(data.hasDecided || isUsed) && <DecidedItems memorialId={memorialId} onUsed={markUsed} />}
    </section>
  )
}

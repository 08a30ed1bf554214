import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import type { SuccessionCase } from '#shared/keepers/successors.ts'
import { call } from '#client/lib/call.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { links } from '#client/lib/links.ts'
import { Button } from '#client/ui/button.tsx'
import { ActionFailed } from '#client/ui/notice.tsx'
import { invalidateAfter, successionsQuery } from './admin.queries.ts'
import { NewestFirst } from './lists.tsx'
import styles from './lists.module.css'

/** Memorials whose owners don't answer, and that their successors can claim, or soon can. A contested one is held here. */
export function SuccessionCases() {
  return (
    <NewestFirst
      id="successions"
      title="Memorials without their owner"
      empty="Every owner answers."
      more="Load more memorials"
      query={successionsQuery}
      itemsOf={(page) => page.cases.map((one) => ({ ...one, id: one.memorial.id }))}
    >
      {(one) => <Case found={one} />}
    </NewestFirst>
  )
}

function Case({ found }: { found: SuccessionCase }) {
  const { memorial, ownerEmail, successors, isAskedFor, askingSince, mailsSent, openSince, heldSince } = found
  const client = useQueryClient()
  const isHeld = heldSince !== null
  const change = useMutation({
    mutationFn: () =>
      call(isHeld ? api.releaseSuccession : api.holdSuccession, { params: { id: memorial.id } }),
    onSuccess: () => invalidateAfter(client, 'succession'),
  })
  const label = isHeld ? 'Let it go on' : 'Hold it'
  return (
    <div className={`row spread ${styles.entry}`}>
      <div>
        <p className={styles.head}>
          <Link to={links.memorial(memorial.id)}>{memorial.honoureeFullName}</Link>
        </p>
        <p>
          {successors.map(({ name, email }) => `${name} (${email})`).join(', ')}
          {openSince ? ' can claim it from ' : ' may claim it later from '}
          {ownerEmail}.
        </p>
        <p className={`small-muted ${styles.meta}`}>
          {isAskedFor ? 'Asked for' : 'Owner not seen'} · asking since {formatDateTime(askingSince)} ·{' '}
          {mailsSent} of 3 emails
          {openSince && ` · open since ${formatDateTime(openSince)}`}
          {heldSince && ` · held since ${formatDateTime(heldSince)}`}
        </p>
      </div>
      <div className={`row ${styles.actions}`}>
        <Button
          isBusy={change.isPending}
          aria-label={`${label}: ${memorial.honoureeFullName}`}
          onClick={() => change.mutate()}
        >
          {label}
        </Button>
      </div>
      <ActionFailed title={messages.admin.actionFailedTitle} error={change.error} />
    </div>
  )
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { LetInDecision, LetInRequest } from '#shared/invites/let-in.ts'
import { letInFamilyMessages } from '#shared/invites/let-in-family-messages.ts'
import { LET_IN_WAITING_MAX } from '#shared/limits.ts'
import { call } from '#client/lib/call.ts'
import { formatDate } from '#client/lib/dates.ts'
import { heldQuery } from '#client/lib/held.ts'
import { showFailure, showToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { NameApart } from '../item-list.tsx'
import styles from '../item-list.module.css'

const words = letInFamilyMessages

/** Who asks to be let in: to let in, or not now. Renders nothing if nobody asks. */
export function LetInRequests({
  memorialId,
  isPrivate,
  requests,
  onUsed,
}: {
  memorialId: string
  isPrivate: boolean
  requests: readonly LetInRequest[]
  onUsed: () => void
}) {
  if (requests.length === 0) return null
  return (
    <div className={styles.group}>
      <h3>{words.heading}</h3>
      <p className="small-muted">{isPrivate ? words.whilePrivate : words.intro}</p>
      {requests.length >= LET_IN_WAITING_MAX && <p>{words.full}</p>}
      <ul className={styles.list}>
        {requests.map((request) => (
          <Row
            key={request.id}
            memorialId={memorialId}
            isPrivate={isPrivate}
            request={request}
            onUsed={onUsed}
          />
        ))}
      </ul>
    </div>
  )
}

function Row({
  memorialId,
  isPrivate,
  request: { id, name, relation, email, createdAt, mayHurt },
  onUsed,
}: {
  memorialId: string
  isPrivate: boolean
  request: LetInRequest
  onUsed: () => void
}) {
  const client = useQueryClient()
  const decide = useMutation({
    mutationFn: (decision: LetInDecision) =>
      call(api.decideLetIn, { params: { id: memorialId, requestId: id }, body: { decision } }),
    onMutate: onUsed,
    onSuccess: (_, decision) => showToast({ title: decision === 'LET_IN' ? words.isLetIn : words.isNotNow }),
    onError: (error) => showFailure(words.notDecided, error),
    onSettled: () => client.invalidateQueries(heldQuery(memorialId)),
  })
  const who = `${name}: ${relation}`
  return (
    <li>
      <div className={styles.facts}>
        {mayHurt ? (
          <NameApart>{who}</NameApart>
        ) : (
          <p>
            <bdi>{who}</bdi>
          </p>
        )}
        <p className="small-muted">
          {email} · {formatDate(createdAt)}
        </p>
      </div>
      <div className="row">
        {!isPrivate && (
          <Button
            aria-label={`${words.letIn}: ${name}`}
            isBusy={decide.isPending && decide.variables === 'LET_IN'}
            onClick={() => decide.mutate('LET_IN')}
          >
            {words.letIn}
          </Button>
        )}
        <Button
          variant="quiet"
          aria-label={`${words.notNow}: ${name}`}
          isBusy={decide.isPending && decide.variables === 'NOT_NOW'}
          onClick={() => decide.mutate('NOT_NOW')}
        >
          {words.notNow}
        </Button>
      </div>
    </li>
  )
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type MouseEvent } from 'react'
import { api } from '#shared/api.ts'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { nameOf } from '#shared/funeral/gatherings.ts'
import { replyListMessages } from '#shared/replies/reply-list-messages.ts'
import type { ReplyCounts } from '#shared/replies/replies.ts'
import { call } from '#client/lib/call.ts'
import { Button } from '#client/ui/button.tsx'
import { ActionFailed, Notice } from '#client/ui/notice.tsx'
import { refreshReplyCounts, replyCountsQuery } from './reply-counts.ts'

type Gathering = Pick<FuneralEvent, 'id' | 'title' | 'kind'>
/** Whom a change hasn't reached. */
type Behind = Pick<ReplyCounts, 'toTell' | 'peopleToTell' | 'withoutAddress'>

const NOBODY: Behind = { toTell: 0, peopleToTell: 0, withoutAddress: 0 }

/** For an editor: asks whether to tell people of the changes of these gatherings that they don't know yet. Renders nothing if there are none. */
export function TellChanges({ memorialId, events }: { memorialId: string; events: readonly Gathering[] }) {
  const { data } = useQuery({ ...replyCountsQuery(memorialId), refetchOnMount: 'always' })
  return events.map((event) => (
    <TellChange
      key={event.id}
      memorialId={memorialId}
      event={event}
      behind={data?.counts.find(({ eventId }) => eventId === event.id) ?? NOBODY}
    />
  ))
}

function TellChange({ memorialId, event, behind }: { memorialId: string; event: Gathering; behind: Behind }) {
  const client = useQueryClient()
  const { toTell, withoutAddress } = behind
  const count = toTell + withoutAddress
  // Until the number differs: another change is another question.
  const [notNow, setNotNow] = useState(0)
  const tell = useMutation({
    mutationFn: (_asked: Behind) => call(api.tellReplies, { params: { id: memorialId, eventId: event.id } }),
    onSuccess: () => refreshReplyCounts(client, memorialId),
  })
  if (tell.data && count === 0)
    return (
      <Notice kind="success" title={nameOf(event)} takesFocus>
        <Told told={tell.data.told} asked={tell.variables} />
      </Notice>
    )
  if (count === 0 || count === notNow) return null
  const title = toTell > 0 ? question(behind) : replyListMessages.unaware(withoutAddress)
  return (
    <Notice kind="warning" title={`${nameOf(event)}: ${title}`}>
      {toTell > 0 && <p>{replyListMessages.tellText(toTell)}</p>}
      <WithoutAddress people={withoutAddress} />
      <ActionFailed title={replyListMessages.tellFailed} error={tell.error} />
      <div className="row">
        <Button variant="primary" isBusy={tell.isPending} onClick={() => tell.mutate(behind)}>
          {toTell > 0 ? 'Tell them' : 'We’ve told them'}
        </Button>
        <Button
          onClick={(press) => {
            focusOnHeading(press)
            setNotNow(count)
          }}
        >
          Not now
        </Button>
      </div>
    </Notice>
  )
}

function question({ toTell, peopleToTell }: Behind): string {
  return peopleToTell > 0 ? replyListMessages.tell(peopleToTell) : replyListMessages.tellAfar(toTell)
}

function Told({ told, asked: { toTell, withoutAddress } }: { told: number; asked: Behind }) {
  if (toTell === 0) return <p>{replyListMessages.toldByFamily}</p>
  return (
    <>
      <p>{replyListMessages.told(told)}</p>
      <WithoutAddress people={withoutAddress} />
    </>
  )
}

function WithoutAddress({ people }: { people: number }) {
  return people > 0 && <p>{replyListMessages.withoutAddress(people)}</p>
}

/** The pressed button goes with its question: the focus moves to the heading above it. */
function focusOnHeading({ currentTarget }: MouseEvent<HTMLElement>): void {
  currentTarget.closest('section')?.querySelector<HTMLElement>('h2[tabindex]')?.focus()
}

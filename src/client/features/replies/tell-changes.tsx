import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import type { FuneralEvent } from '#shared/funeral.ts'
import { nameOf } from '#shared/gatherings.ts'
import { replyMessages } from '#shared/gathering-messages.ts'
import { call } from '#client/lib/call.ts'
import { Button } from '#client/ui/button.tsx'
import { ActionFailed, Notice } from '#client/ui/notice.tsx'
import { refreshReplyCounts, replyCountsQuery } from './reply-counts.ts'

type Gathering = Pick<FuneralEvent, 'id' | 'title' | 'kind'>

/** For an editor: asks whether to tell people of the changes of these gatherings that they don't know yet. Renders nothing if there are none. */
export function TellChanges({ memorialId, events }: { memorialId: string; events: readonly Gathering[] }) {
  const { data } = useQuery({ ...replyCountsQuery(memorialId), refetchOnMount: 'always' })
  return events.map((event) => (
    <TellChange
      key={event.id}
      memorialId={memorialId}
      event={event}
      count={data?.counts.find(({ eventId }) => eventId === event.id)?.toTell ?? 0}
    />
  ))
}

function TellChange({ memorialId, event, count }: { memorialId: string; event: Gathering; count: number }) {
  const client = useQueryClient()
  // Until the number differs: another change is another question.
  const [notNow, setNotNow] = useState(0)
  const tell = useMutation({
    mutationFn: () => call(api.tellReplies, { params: { id: memorialId, eventId: event.id } }),
    onSuccess: () => refreshReplyCounts(client, memorialId),
  })
  if (tell.data && count === 0)
    return (
      <Notice kind="success" title={nameOf(event)} takesFocus>
        <p>{replyMessages.told(tell.data.told)}</p>
      </Notice>
    )
  if (count === 0 || count === notNow) return null
  return (
    <Notice kind="warning" title={`${nameOf(event)}: ${replyMessages.tell(count)}`}>
      <p>{replyMessages.tellText}</p>
      <ActionFailed title={replyMessages.tellFailed} error={tell.error} />
      <div className="row">
        <Button variant="primary" isBusy={tell.isPending} onClick={() => tell.mutate()}>
          Tell them
        </Button>
        <Button onClick={() => setNotNow(count)}>Not now</Button>
      </div>
    </Notice>
  )
}

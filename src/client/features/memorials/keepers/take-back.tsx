import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { KeptMemorial } from '#shared/memorials/memorials.ts'
import { call } from '#client/lib/call.ts'
import { formatDate } from '#client/lib/dates.ts'
import { allQueriesOf } from '#client/lib/query-client.ts'
import { Button } from '#client/ui/button.tsx'
import { ActionFailed, Notice } from '#client/ui/notice.tsx'

/** Says on the dashboard that a memorial has another owner now, and gives it back by one press; nothing for others. */
export function TakeBack({ memorial: { id, honoureeFullName, takeBack } }: { memorial: KeptMemorial }) {
  const client = useQueryClient()
  const take = useMutation({
    mutationFn: () => call(api.takeBackHandover, { params: { id } }),
    onSuccess: () => client.invalidateQueries(allQueriesOf(api.dashboard)),
  })
  if (!takeBack) return null
  return (
    <Notice>
      <p>
        The memorial of {honoureeFullName} is {takeBack.owner}’s now. It was yours, and you can take it back
        until {formatDate(takeBack.until)}.
      </p>
      <Button
        isBusy={take.isPending}
        aria-label={`Take it back: the memorial of ${honoureeFullName}`}
        onClick={() => take.mutate()}
      >
        Take it back
      </Button>
      <ActionFailed title="This didn’t work" error={take.error} />
    </Notice>
  )
}

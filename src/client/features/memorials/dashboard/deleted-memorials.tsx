import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { DeletedMemorial } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { formatDate } from '#client/lib/dates.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { ActionFailed } from '#client/ui/notice.tsx'
import { DownloadEverything } from '../download-everything.tsx'
import styles from './deleted-memorials.module.css'

/** The owner's memorials that they can't open: deleted, or removed by an admin. */
export const hiddenQuery = endpointQuery(api.deletedMemorials, {})

/** Deleted memorials that the owner can still restore. Renders nothing if there are none. */
export function DeletedMemorials() {
  const { data } = useQuery(hiddenQuery)
  if (!data || data.memorials.length === 0) return null
  return (
    <section className={styles.deleted} aria-labelledby="deleted">
      <h2 id="deleted">Deleted memorials</h2>
      <ul className={styles.list}>
        {data.memorials.map((memorial) => (
          <li key={memorial.id} className="row spread">
            <Deleted memorial={memorial} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Deleted({ memorial }: { memorial: DeletedMemorial }) {
  const client = useQueryClient()
  const restore = useMutation({
    mutationFn: () => call(api.restoreMemorial, { params: { id: memorial.id } }),
    async onSuccess() {
      showToast({ title: messages.memorial.restored })
      await Promise.all([
        client.invalidateQueries({ queryKey: [api.dashboard.path] }),
        client.invalidateQueries({ queryKey: hiddenQuery.queryKey }),
      ])
    },
  })
  return (
    <>
      <div>
        <p>{memorial.honoureeFullName}</p>
        <p className="small-muted">
          Deleted {formatDate(memorial.deletedAt)}. Can be brought back until{' '}
          {formatDate(memorial.restorableUntil)}.
        </p>
      </div>
      <ActionFailed title={messages.memorial.notRestoredTitle} error={restore.error} />
      <div className="row">
        <Button isBusy={restore.isPending} onClick={() => restore.mutate()}>
          Bring it back<span className="visually-hidden">: {memorial.honoureeFullName}</span>
        </Button>
        <DownloadEverything memorial={memorial} />
      </div>
    </>
  )
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { AccountSession } from '#shared/accounts/accounts.ts'
import { api } from '#shared/api.ts'
import { sessionMessages } from '#shared/accounts/session-messages.ts'
import { call } from '#client/lib/call.ts'
import { formatDate } from '#client/lib/dates.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { Button } from '#client/ui/button.tsx'
import { ActionFailed, LoadError, Notice } from '#client/ui/notice.tsx'
import { Loading, Skeleton } from '#client/ui/page.tsx'
import rows from './account-list.module.css'
import styles from './signed-in-devices.module.css'

const USED = { DAY: 'in the last day', WEEK: 'in the last week', MONTH: 'in the last month' } as const

const sessionsQuery = endpointQuery(api.accountSessions, {})

/** Where the account is signed in. */
export default function SignedInDevices() {
  const client = useQueryClient()
  // Somebody who opens the list again asks how it is now.
  const { data, error, refetch } = useQuery({ ...sessionsQuery, refetchOnMount: 'always' })
  const end = useMutation({
    mutationFn: (sessionId: string | null) =>
      sessionId === null
        ? call(api.endOtherSessions, {})
        : call(api.endAccountSession, { params: { sessionId } }),
    // Also after a refusal: the list is not as it was.
    onSettled: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
  if (!data && error) {
    return <LoadError title={sessionMessages.notLoadedTitle} error={error} onRetry={() => void refetch()} />
  }
  if (!data) {
    return (
      <Loading label="Loading the list">
        <Skeleton height="5rem" />
      </Loading>
    )
  }
  const hasOthers = data.sessions.some(({ isCurrent }) => !isCurrent)
  return (
    <>
      <p>
        If you don’t know a device in this list, end it here and change your password. The country is a guess
        from the internet connection.
      </p>
      {end.data && !end.isPending && (
        <Notice key={end.submittedAt} kind="success" takesFocus>
          <p>{end.data.message}</p>
        </Notice>
      )}
      <ActionFailed title={sessionMessages.notEndedTitle} error={end.error} />
      <ul className={rows.list}>
        {data.sessions.map((session) => (
          <li key={session.id} className="row spread">
            <Device session={session} />
            {!session.isCurrent && (
              <Button
                isBusy={end.isPending && end.variables === session.id}
                onClick={() => end.mutate(session.id)}
              >
                End this one<span className="visually-hidden">: {nameOf(session)}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      {hasOthers ? (
        <Button isBusy={end.isPending && end.variables === null} onClick={() => end.mutate(null)}>
          End all others
        </Button>
      ) : (
        <p>You’re not signed in anywhere else.</p>
      )}
    </>
  )
}

function Device({ session }: { session: AccountSession }) {
  return (
    <div>
      <p>
        {nameOf(session)}
        {session.isCurrent && <strong className={styles.current}> This one</strong>}
      </p>
      <p className="small-muted">
        Signed in {formatDate(session.signedInAt)}
        {!session.isCurrent && `, used ${USED[session.lastUsed]}`}
      </p>
    </div>
  )
}

/** `Chrome on Android, Zimbabwe` */
function nameOf({ device, country }: AccountSession): string {
  return [device ?? 'Unknown device', country].filter(Boolean).join(', ')
}

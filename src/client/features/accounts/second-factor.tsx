import { useQuery } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import { knowsPasskeys } from '#client/lib/browser/passkey.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { LoadError } from '#client/ui/notice.tsx'
import { Loading, Skeleton } from '#client/ui/page.tsx'
import { NewAuthenticatorApp } from './authenticator-app.tsx'
import { ByCode, ByPasskey, ConfirmYourself } from './confirm-yourself.tsx'
import { NewPasskey } from './new-passkey.tsx'
import styles from './sign-in-keys.module.css'

/** What an admin does before the console opens: uses a passkey or an authenticator app, or sets one up. */
export default function SecondFactor({ onDone }: { onDone: () => void }) {
  const { data, error, refetch } = useQuery({
    ...endpointQuery(api.accountKeys, {}),
    refetchOnMount: 'always',
  })
  if (!data && error) {
    return <LoadError title="We can’t show this right now" error={error} onRetry={() => void refetch()} />
  }
  if (!data) {
    return (
      <Loading label="Loading your passkeys">
        <Skeleton height="8rem" />
      </Loading>
    )
  }
  const { passkeys, authenticator } = data
  const finish = async () => onDone()
  if (passkeys.length > 0 || authenticator) {
    const usesPasskey = passkeys.length > 0 && knowsPasskeys()
    return (
      <div className={styles.confirm}>
        {usesPasskey && <ByPasskey onDone={finish} />}
        {usesPasskey && authenticator && <p className={styles.or}>or</p>}
        {authenticator && <ByCode onDone={finish} />}
        {!usesPasskey && !authenticator && (
          <p>This browser doesn’t know passkeys. Please open the console in another one.</p>
        )}
      </div>
    )
  }
  return (
    <>
      <p>
        You have neither yet. A passkey is the simplest: you confirm as you unlock your phone or computer. An
        authenticator app works on any phone.
      </p>
      <ConfirmYourself keys={data} title="First, confirm that it’s you" />
      {data.missing === null && (
        <div className={styles.setUp}>
          <NewPasskey onDone={onDone} />
          <NewAuthenticatorApp onDone={onDone} />
        </div>
      )}
    </>
  )
}

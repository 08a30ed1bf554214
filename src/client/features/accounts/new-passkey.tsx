import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import { call } from '#client/lib/call.ts'
import { knowsPasskeys, makePasskey, passkeyError } from '#client/lib/browser/passkey.ts'
import { allQueriesOf } from '#client/lib/query-client.ts'
import { Button } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'

/** The button that makes a passkey on this device. */
export function NewPasskey({ onDone }: { onDone?: (message: string) => void }) {
  const client = useQueryClient()
  const add = useMutation({
    mutationFn: async () =>
      call(api.addPasskey, { body: await makePasskey(await call(api.preparePasskey, {})) }),
    onSuccess: ({ message }) => onDone?.(message),
    onSettled: () => client.invalidateQueries(allQueriesOf(api.accountKeys)),
  })
  if (!knowsPasskeys()) return <p>This browser doesn’t know passkeys. You can add one from another device.</p>
  return (
    <>
      {add.error && (
        <Notice key={add.submittedAt} kind="error" title="No passkey was added" takesFocus>
          <p>{passkeyError(add.error)}</p>
        </Notice>
      )}
      <Button isBusy={add.isPending} onClick={() => add.mutate()}>
        Add a passkey
      </Button>
    </>
  )
}

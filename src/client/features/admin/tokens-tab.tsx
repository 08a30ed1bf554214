import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import { LOW_TOKENS } from '#shared/limits.ts'
import { messages, tokensLeft, tokensMade } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { announce } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { ActionFailed, Notice } from '#client/ui/notice.tsx'
import { invalidateAfter, useTabData } from './admin.queries.ts'
import { Figures } from './figures.tsx'

export function TokensTab() {
  const client = useQueryClient()
  const { data: pool } = useTabData(api.adminTokens, {})
  const generate = useMutation({
    mutationFn: () => call(api.generateTokens, { body: {} }),
    onSuccess(after) {
      announce(tokensMade(Math.max(0, after.availableCount - (pool?.availableCount ?? 0))))
      client.setQueryData(endpointQuery(api.adminTokens, {}).queryKey, after)
      invalidateAfter(client, 'tokens')
    },
  })
  const isLow = pool !== undefined && pool.availableCount < LOW_TOKENS
  const button = (
    <Button
      {...(isLow && { variant: 'primary' })}
      isBusy={generate.isPending}
      onClick={() => generate.mutate()}
    >
      Generate More Tokens
    </Button>
  )
  return (
    <>
      <Figures
        figures={[
          ['Available', pool?.availableCount],
          ['Assigned', pool?.assignedCount],
          ['Revoked', pool?.revokedCount],
        ]}
      />
      {isLow && (
        <Notice kind="warning" title={messages.admin.lowTokensTitle}>
          <p>{tokensLeft(pool.availableCount)}</p>
        </Notice>
      )}
      <ActionFailed title={messages.admin.actionFailedTitle} error={generate.error} />
      {pool && button}
    </>
  )
}

import { useQuery } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import { endpointQuery } from '#client/lib/query-client.ts'

/** A link to the sandbox mailbox, in environments that don't send real mail. */
export function LocalMailbox() {
  const { data } = useQuery(endpointQuery(api.config, {}))
  if (!data?.mailboxUrl) return null
  return (
    <p>
      <a href={data.mailboxUrl}>Open the local mailbox</a>
    </p>
  )
}

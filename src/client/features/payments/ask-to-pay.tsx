import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import { PRICE_TEXT } from '#shared/limits.ts'
import type { PayLink } from '#shared/payments/pay-links.ts'
import { call } from '#client/lib/call.ts'
import { formatDate } from '#client/lib/dates.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { Button } from '#client/ui/button.tsx'
import { Checkbox } from '#client/ui/forms/field.tsx'
import { ActionFailed, LoadError } from '#client/ui/notice.tsx'
import { ShareText } from '#client/ui/share-text.tsx'
import styles from './payments.module.css'

const queryFor = (memorialId: string | null) =>
  endpointQuery(api.payLink, { query: memorialId === null ? {} : { memorialId } })

/** A link by which somebody else pays, for who has no card or is far from the money. */
export default function AskToPay({ memorialId }: { memorialId: string | null }) {
  const { data, error, refetch } = useQuery(queryFor(memorialId))
  return (
    <>
      <p>
        You get a link to send around. Anybody who opens it can pay US{PRICE_TEXT} by card or by mobile money,
        without an account. The first payment ends it, and we tell you who paid.
      </p>
      {data && <Asking memorialId={memorialId} link={data.link} />}
      {error && <LoadError title="This could not be loaded" error={error} onRetry={() => void refetch()} />}
    </>
  )
}

function Asking({ memorialId, link }: { memorialId: string | null; link: PayLink | null }) {
  const client = useQueryClient()
  const [shows, setShows] = useState(link?.showsMemorial ?? false)
  const { queryKey } = queryFor(memorialId)
  const ask = useMutation({
    mutationFn: (showsMemorial: boolean) => call(api.askToPay, { body: { memorialId, showsMemorial } }),
    onSuccess: (made) => client.setQueryData(queryKey, { link: made }),
    onError: () => setShows(link?.showsMemorial ?? false),
  })
  const end = useMutation({
    mutationFn: (token: string) => call(api.endPayLink, { params: { token } }),
    onSuccess: () => client.setQueryData(queryKey, { link: null }),
  })
  return (
    <>
      {memorialId !== null && (
        <Checkbox
          label="Show the name and portrait of the person who died"
          hint="Otherwise it says only that you ask, and for how much."
          isChecked={shows}
          isBusy={ask.isPending}
          onChange={(isChecked) => {
            setShows(isChecked)
            if (link) ask.mutate(isChecked)
          }}
        />
      )}
      {link === null ? (
        <Button isBusy={ask.isPending} onClick={() => ask.mutate(shows)}>
          Make the link
        </Button>
      ) : (
        <>
          <ShareText
            url={link.url}
            words={`${link.text}.`}
            title={link.text}
            copyLabel="Copy the link"
            copiedTitle="Link copied"
          />
          <p className={`small-muted ${styles.small}`}>
            It works until {formatDate(link.expiresAt)}, or until somebody has paid.
          </p>
          <Button isBusy={end.isPending} onClick={() => end.mutate(link.token)}>
            End this link
          </Button>
        </>
      )}
      <ActionFailed title="This didn’t work" error={ask.error ?? end.error} />
    </>
  )
}

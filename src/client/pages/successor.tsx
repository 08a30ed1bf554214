import { useMutation, useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { fillPath } from '#shared/fill-path.ts'
import { paths } from '#shared/pages/pages.ts'
import { claimMessages } from '#shared/keepers/claim-messages.ts'
import type { Claimable } from '#shared/keepers/successors.ts'
import { call } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { useSession } from '#client/lib/session.ts'
import { SignedInAs, SignInFirst } from '#client/features/accounts/sign-in-first.tsx'
import { Button } from '#client/ui/button.tsx'
import { ActionFailed, Notice } from '#client/ui/notice.tsx'
import { LoadingScreen, Page, PageTitle } from '#client/ui/page.tsx'
import { ScreenFailed } from '#client/ui/screen-failed.tsx'

const { askTitle, askText, askWhat, askButton, notAsked, needsAccount } = claimMessages

/** `/memorial/:id/successor`: whom its owner named asks for a memorial, and takes it over. */
export default function SuccessorPage() {
  const { id = '' } = useParams()
  const { user, isLoading } = useSession()
  const { data, error } = useQuery({
    ...endpointQuery(api.claimable, { params: { id } }),
    enabled: user !== null,
  })
  if (error) return <ScreenFailed />
  if (isLoading || (user && !data)) return <LoadingScreen />
  return data?.memorial ? <Claim id={id} memorial={data.memorial} /> : <Ask id={id} />
}

function Claim({ id, memorial }: { id: string; memorial: NonNullable<Claimable['memorial']> }) {
  const { claimTitle, claimText, claimButton, notClaimed } = claimMessages
  const claim = useMutation({
    mutationFn: () => call(api.claimMemorial, { params: { id } }),
    onSuccess: () => window.location.assign(links.memorial(id)),
  })
  return (
    <Page width="form">
      <PageTitle>{claimTitle(memorial.honoureeFullName)}</PageTitle>
      <p>{claimText(memorial.ownerName)}</p>
      <ActionFailed title={notClaimed} error={claim.error} />
      <SignedInAs />
      <Button variant="primary" wide isBusy={claim.isPending} onClick={() => claim.mutate()}>
        {claimButton}
      </Button>
    </Page>
  )
}

function Ask({ id }: { id: string }) {
  const { user } = useSession()
  const ask = useMutation({ mutationFn: () => call(api.askForMemorial, { params: { id } }) })
  return (
    <Page width="form">
      <PageTitle>{askTitle}</PageTitle>
      <p>{askText}</p>
      <p>{askWhat}</p>
      <ActionFailed title={notAsked} error={ask.error} />
      {!user && <SignInFirst path={fillPath(paths.successor, { id })} text={needsAccount} />}
      {user && ask.data && (
        <Notice kind="success" takesFocus>
          <p>{ask.data.message}</p>
        </Notice>
      )}
      {user && !ask.data && (
        <>
          <SignedInAs />
          <Button variant="primary" wide isBusy={ask.isPending} onClick={() => ask.mutate()}>
            {askButton}
          </Button>
        </>
      )}
    </Page>
  )
}

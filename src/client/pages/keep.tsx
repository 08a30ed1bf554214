import { useMutation, useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { fillPath } from '#shared/fill-path.ts'
import { keeperMessages } from '#shared/keepers/keeper-messages.ts'
import type { OpenedKeeperInvite } from '#shared/keepers/keepers.ts'
import { paths } from '#shared/pages/pages.ts'
import { ApiError, call } from '#client/lib/call.ts'
import { formatDate } from '#client/lib/dates.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { useSession } from '#client/lib/session.ts'
import { SignedInAs, SignInFirst } from '#client/features/accounts/sign-in-first.tsx'
import { Button } from '#client/ui/button.tsx'
import { ActionFailed } from '#client/ui/notice.tsx'
import { LoadingScreen, Page, PageTitle } from '#client/ui/page.tsx'
import { ScreenFailed } from '#client/ui/screen-failed.tsx'

/** `/keep/:token`: an invitation to look after a memorial with its owner. */
export default function KeepPage() {
  const { token = '' } = useParams()
  const { data, error } = useQuery(endpointQuery(api.keeperInvite, { params: { token } }))
  const { isLoading } = useSession()
  if (error instanceof ApiError && error.status === 404) return <InviteOver />
  if (error) return <ScreenFailed />
  if (!data || isLoading) return <LoadingScreen />
  return <Invited token={token} invite={data} />
}

function Invited({ token, invite }: { token: string; invite: OpenedKeeperInvite }) {
  const { role, mayExport, honoureeFullName, invitedBy, expiresAt } = invite
  const { user } = useSession()
  const accept = useMutation({
    mutationFn: () => call(api.acceptKeeperInvite, { params: { token } }),
    onSuccess: ({ memorialId }) => window.location.assign(links.memorial(memorialId)),
  })
  return (
    <Page width="form">
      <PageTitle>{keeperMessages.invitedTitle(honoureeFullName)}</PageTitle>
      <p>{keeperMessages.invitedBy(invitedBy, role)}</p>
      <p>{keeperMessages.may[role]}</p>
      {mayExport && <p>{keeperMessages.youMayExport}</p>}
      <ActionFailed title={keeperMessages.notAccepted} error={accept.error} />
      {user ? (
        <>
          <SignedInAs />
          <Button variant="primary" wide isBusy={accept.isPending} onClick={() => accept.mutate()}>
            Yes, I’ll help
          </Button>
        </>
      ) : (
        <SignInFirst path={fillPath(paths.keeperInvite, { token })} text={keeperMessages.needsAccount} />
      )}
      <p className="small-muted">This invitation works once, until {formatDate(expiresAt)}.</p>
    </Page>
  )
}

function InviteOver() {
  return (
    <Page width="narrow">
      <PageTitle>{keeperMessages.overTitle}</PageTitle>
      <p>{keeperMessages.inviteOver}. Please ask whoever sent it for a new one.</p>
    </Page>
  )
}
